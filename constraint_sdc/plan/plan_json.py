"""The plan as JSON under schemas/plan.schema.json, and back: saved, compared, and part of the certificate.

Reasons are codes with parameters here. `reports/sentences.py` adds their sentences for readers; no code reads those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from hashlib import sha256
from typing import Any

from constraint_sdc import __version__
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.series import Grid
from constraint_sdc.files.json_file import json_text
from constraint_sdc.plan.plan import (
    Block,
    BlockPlan,
    ComputedTotal,
    ExactStep,
    Fate,
    Formation,
    GoalReport,
    InventoryEntry,
    Kept,
    Plan,
    Price,
    Promise,
    Recoded,
    RulePlan,
    SignalValue,
    StratumPlan,
    TotalsPlan,
    UndoneTotal,
    VariablePlan,
    Why,
)
from constraint_sdc.settings.masker import masker_from_json, masker_to_json
from constraint_sdc.settings.protect import Protect, protect_from_json, protect_to_json
from constraint_sdc.settings.reason import (
    reason_from_json,
    reason_to_json,
    reasons_from_json,
    reasons_to_json,
    without_quotes,
)
from constraint_sdc.settings.recipe import Division
from constraint_sdc.settings.words import Role, Scale, Standardise, Treatment

# The result of a goal as JSON under schemas/plan.schema.json, and back.


def goal_to_json(goal: GoalReport) -> dict[str, object]:
    """Return a goal as JSON values."""
    content = asdict(goal)
    del content["missed"], content["notes"]
    return {
        **content,
        "values": list(content["values"]),
        "missed_reasons": reasons_to_json(goal.missed),
        "note_reasons": reasons_to_json(goal.notes),
        "is_reached": goal.is_reached,
    }


def goal_from_json(content: Mapping[str, Any]) -> GoalReport:
    """Return the goal from content that follows the schema."""
    names = (one.name for one in fields(GoalReport) if one.name in content)
    return GoalReport(
        **{
            **{name: content[name] for name in names},
            "values": tuple(SignalValue(**value) for value in content["values"]),
            "missed": reasons_from_json(content["missed_reasons"]),
            "notes": reasons_from_json(content["note_reasons"]),
        }
    )


SCHEMA = "constraint-sdc/plan"
SCHEMA_VERSION = 2
_RARE = (ExactStep.MOVED_OFF, ExactStep.SWAPPED, ExactStep.KEPT)  # steps that are told only if a group took them


def plan_to_json(plan: Plan) -> dict[str, object]:
    """Return the plan as JSON values with a stable order of keys."""
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "constraint-sdc", "version": __version__},
        "k": plan.k,
        "masker": masker_to_json(plan.masker),
        **division_to_json(plan.division),
        "seed": plan.seed,
        "on_broken": plan.on_broken,
        "undecided": plan.undecided,
        **({} if plan.totals is None else {"totals": totals_to_json(plan.totals)}),
        **({} if plan.protect == Protect() else {"protect": protect_to_json(plan.protect)}),
        "not_promised_reasons": reasons_to_json(plan.not_promised),
        **({} if not plan.recoded else {"recoded": [asdict(one) for one in plan.recoded]}),
        "records": plan.records,
        "blocks": [_block(block) for block in plan.blocks],
        "kept": [_kept(kept) for kept in plan.kept],
        "inventory": [_entry(one) for one in plan.inventory],
        "assumption_reasons": reasons_to_json(plan.assumptions),
        "warning_reasons": reasons_to_json(plan.warnings),
        "rules": [_rule(rule) for rule in plan.rules],
        "broken": dict(sorted(plan.broken.items())),
        "inputs": dict(sorted(plan.inputs.items())),
    }


def plan_from_json(content: Mapping[str, Any]) -> Plan:
    """Return the plan from content that follows the schema."""
    return Plan(
        k=content["k"],
        division=division_from_json(content),
        seed=content["seed"],
        on_broken=content["on_broken"],
        undecided=content["undecided"],
        inventory=tuple(_entry_from(one) for one in content["inventory"]),
        records=content["records"],
        blocks=tuple(_block_from(block) for block in content["blocks"]),
        kept=tuple(
            Kept(kept["name"], Role(kept["role"]), reason_from_json(kept["reason"]), kept["is_removed"])
            for kept in content["kept"]
        ),
        assumptions=reasons_from_json(content["assumption_reasons"]),
        rules=tuple(_rule_from(rule) for rule in content["rules"]),
        broken=content["broken"],
        inputs=content["inputs"],
        masker=masker_from_json(content["masker"]),
        warnings=reasons_from_json(content["warning_reasons"]),
        totals=_totals_from(content["totals"]) if "totals" in content else None,
        protect=protect_from_json(content.get("protect", {})),
        not_promised=reasons_from_json(content["not_promised_reasons"]),
        recoded=tuple(Recoded(**one) for one in content.get("recoded", ())),
    )


def totals_to_json(totals: TotalsPlan) -> dict[str, object]:
    """Return what becomes of totals as JSON values."""
    return {
        "asked": totals.asked,
        "computed": [
            {
                "name": total.name,
                "role": total.role.value,
                "grid": _grid(total.grid),
                "rule": total.rule,
                "parts": list(total.parts),
                "blocks": list(total.blocks),
                "loss": total.loss,
            }
            for total in totals.computed
        ],
        "undone": [
            {"name": one.name, "rule": one.rule, "reason": reason_to_json(one.because)} for one in totals.undone
        ],
        "loss": totals.loss,
        "together_loss": totals.together_loss,
    }


def _totals_from(content: Mapping[str, Any]) -> TotalsPlan:
    return TotalsPlan(
        asked=content["asked"],
        computed=tuple(
            ComputedTotal(
                name=total["name"],
                role=Role(total["role"]),
                grid=Grid(**total["grid"]),
                rule=total["rule"],
                parts=tuple(total["parts"]),
                blocks=tuple(total["blocks"]),
                loss=total["loss"],
            )
            for total in content["computed"]
        ),
        undone=tuple(
            UndoneTotal(one["name"], one["rule"], reason_from_json(one["reason"])) for one in content["undone"]
        ),
        loss=content["loss"],
        together_loss=content["together_loss"],
    )


def division_to_json(division: Division) -> dict[str, object]:
    """Return how records are divided, in the form of plans and certificates."""
    return {
        "partition": division.partition,
        "effort": division.effort,
        "standardise": division.standardise.value,
        "weights": division.weights,
    }


def division_from_json(content: Mapping[str, Any]) -> Division:
    """Return the division from these entries."""
    return Division(content["partition"], content["effort"], Standardise(content["standardise"]), content["weights"])


def _options(plan: Plan) -> tuple[object, ...]:
    return plan.k, plan.masker, plan.division, plan.seed, plan.on_broken, plan.undecided


def plan_digest(plan: Plan) -> str:
    """Return the SHA-256 of the plan's decisions: everything except prices, quotations and the program's version."""
    content = plan_to_json(replace(plan, blocks=_without_prices(plan), totals=_decided(plan)))
    del content["tool"]
    return sha256(json_text(without_quotes(content)).encode("utf-8")).hexdigest()


def _without_prices(plan: Plan) -> tuple[BlockPlan, ...]:
    return tuple(replace(block, price=None) for block in plan.blocks)


def _decided(plan: Plan) -> TotalsPlan | None:
    return None if plan.totals is None else plan.totals.without_prices()


def plan_differences(saved: Plan, now: Plan) -> tuple[str, ...]:
    """Return which parts of two plans differ, other than inputs and prices."""
    parts = [
        ("options", _options(saved), _options(now)),
        ("number of records", saved.records, now.records),
        ("records that break rules", dict(saved.broken), dict(now.broken)),
        ("number of blocks", len(saved.blocks), len(now.blocks)),
        *(
            (f"block {old.number} ({', '.join(old.names)})", replace(old, price=None), replace(new, price=None))
            for old, new in zip(saved.blocks, now.blocks, strict=False)
        ),
        ("totals", _decided(saved), _decided(now)),
        ("promises about people", (saved.protect, saved.not_promised), (now.protect, now.not_promised)),
        ("categories made coarser", saved.recoded, now.recoded),
        ("variables that are not masked", saved.kept, now.kept),
        ("assumptions", saved.assumptions, now.assumptions),
        ("warnings", saved.warnings, now.warnings),
        ("rules that no block decides", saved.rules, now.rules),
    ]
    return tuple(name for name, old, new in parts if old != new)


def changed_inputs(saved: Plan, now: Plan) -> tuple[str, ...]:
    """Return the roles of the inputs whose digests differ: data, rules, recipe."""
    roles = dict.fromkeys((*saved.inputs, *now.inputs))
    return tuple(role for role in roles if saved.inputs.get(role) != now.inputs.get(role))


def _block(block: BlockPlan) -> dict[str, object]:
    return {
        "number": block.number,
        "variables": [_variable(variable) for variable in block.variables],
        "reason": reason_to_json(block.block.because),
        "strategy_reason": reason_to_json(block.strategy),
        "partition_reason": reason_to_json(block.partition),
        "shares": block.shares,
        "strata": [_stratum(stratum) for stratum in block.strata],
        "rules": [_rule(rule) for rule in block.rules],
        "price": None if block.price is None else price_to_json(block.price),
    }


def _block_from(content: Mapping[str, Any]) -> BlockPlan:
    variables = tuple(_variable_from(variable) for variable in content["variables"])
    names = tuple(variable.name for variable in variables)
    return BlockPlan(
        block=Block(content["number"], names, reason_from_json(content["reason"])),
        variables=variables,
        strategy=reason_from_json(content["strategy_reason"]),
        partition=reason_from_json(content["partition_reason"]),
        strata=tuple(
            StratumPlan(
                reasons_from_json(stratum["condition_reasons"]),
                stratum["size"],
                Formation(stratum["formation"]),
                reasons_from_json(stratum["derivation_reasons"]),
            )
            for stratum in content["strata"]
        ),
        rules=tuple(_rule_from(rule) for rule in content["rules"]),
        price=None if content["price"] is None else _price_from(content["price"]),
        shares=content["shares"],
    )


def _variable(variable: VariablePlan) -> dict[str, object]:
    return {
        "name": variable.name,
        "role": variable.role.value,
        "type": variable.scale.value,
        "grid": _grid(variable.grid),
        "operator": variable.operator,
        "weight": variable.weight,
        "treatment": variable.treatment.value,
        **({"order": list(variable.order)} if variable.order else {}),
    }


def _grid(grid: Grid) -> dict[str, object]:
    whole = {"plain_whole": True} if grid.plain_whole else {}
    dates = {} if grid.notation is None else {"notation": grid.notation.value}
    return {"decimals": grid.decimals, "pads": grid.pads, **whole, **dates}


def _grid_from(content: Mapping[str, Any]) -> Grid:
    notation = DateNotation(content["notation"]) if "notation" in content else None
    return Grid(content["decimals"], content["pads"], content.get("plain_whole", False), notation)


def _variable_from(content: Mapping[str, Any]) -> VariablePlan:
    return VariablePlan(
        name=content["name"],
        role=Role(content["role"]),
        scale=Scale(content["type"]),
        grid=_grid_from(content["grid"]),
        operator=content["operator"],
        weight=content["weight"],
        treatment=Treatment(content["treatment"]),
        order=tuple(content.get("order", ())),
    )


def _stratum(stratum: StratumPlan) -> dict[str, object]:
    return {
        "condition_reasons": reasons_to_json(stratum.conditions),
        "size": stratum.size,
        "formation": stratum.formation.value,
        "derivation_reasons": reasons_to_json(stratum.derivations),
    }


def _rule(rule: RulePlan) -> dict[str, object]:
    return {
        "rule": rule.rule,
        "kind": rule.kind,
        "says": rule.says,
        "variables": list(rule.variables),
        "why": rule.why.value,
        "reason": reason_to_json(rule.because),
    }


def _rule_from(content: Mapping[str, Any]) -> RulePlan:
    return RulePlan(
        rule=content["rule"],
        kind=content["kind"],
        says=content["says"],
        variables=tuple(content["variables"]),
        why=Why(content["why"]),
        because=reason_from_json(content["reason"]),
    )


def _kept(kept: Kept) -> dict[str, object]:
    reason = reason_to_json(kept.because)
    return {"name": kept.name, "role": kept.role.value, "reason": reason, "is_removed": kept.is_removed}


def _entry(one: InventoryEntry) -> dict[str, object]:
    count = {} if one.count is None else {"count": one.count}
    return {
        "what": one.what,
        "kind": one.kind,
        "fate": one.fate.value,
        **count,
        "reason": reason_to_json(one.because),
    }


def _entry_from(content: Mapping[str, Any]) -> InventoryEntry:
    fate, reason = Fate(content["fate"]), reason_from_json(content["reason"])
    return InventoryEntry(content["what"], content["kind"], fate, reason, content.get("count"))


def price_to_json(price: Price) -> dict[str, object]:
    """Return a price as JSON values; every exact step has its count, also if it is 0, except rare ones."""
    return {
        "loss": price.loss,
        "plain_loss": price.plain_loss,
        "groups": price.groups,
        "smallest": price.smallest,
        "steps": {
            step.value: price.steps.get(step, 0) for step in ExactStep if step not in _RARE or step in price.steps
        },
        "promises": [
            {
                "what_reason": reason_to_json(promise.what),
                "difference": promise.difference,
                "is_exact": promise.is_exact,
            }
            for promise in price.promises
        ],
        "note_reasons": reasons_to_json(price.notes),
        **({"goals": [goal_to_json(goal) for goal in price.goals]} if price.goals else {}),
    }


def _price_from(content: Mapping[str, Any]) -> Price:
    return Price(
        loss=content["loss"],
        plain_loss=content["plain_loss"],
        groups=content["groups"],
        smallest=content["smallest"],
        steps={ExactStep(step): count for step, count in content["steps"].items()},
        promises=tuple(
            Promise(reason_from_json(promise["what_reason"]), promise["difference"], promise["is_exact"])
            for promise in content["promises"]
        ),
        notes=reasons_from_json(content["note_reasons"]),
        goals=tuple(goal_from_json(goal) for goal in content.get("goals", ())),
    )
