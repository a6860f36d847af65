"""The plan and the certificate as an assessment's page tells of them: names and sentences, ready to be set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from constraint_sdc.maskers.registry import DEFAULT
from constraint_sdc.plan.plan import BlockPlan, Kept, Plan, RulePlan, StratumPlan, Why
from constraint_sdc.reports.assessment.figures_text import percent
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.masking.goal_text import goal_sentence, grid_word, has_numbers, least_words, treatment_word
from constraint_sdc.reports.masking.plan_text import promise_text, steps_text, why_meaning
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.settings.words import Standardise

_STRATA_SHOWN = 12
_TONES: dict[Why, str] = dict.fromkeys(Why, "pass") | {Why.UNTOUCHED: "idle", Why.JUDGED: "warn"}


def plan_section(plan: Plan | None) -> dict[str, object] | None:
    """Return what the page says of a plan."""
    if plan is None:
        return None
    used = [why for why in Why if any(rule.why is why for rule in plan.all_rules())]
    return {
        "says": _opening(plan),
        "assumptions": sentences(plan.assumptions),
        "warnings": sentences(plan.warnings),
        "blocks": [_block(plan, block) for block in plan.blocks],
        "rules": [_rule(rule) for rule in plan.rules],
        "kept": [_kept(variable) for variable in plan.kept],
        "broken": [(rule, counted(records, "record")) for rule, records in plan.broken.items() if records],
        "meanings": [(why.value, _TONES[why], why_meaning(why, plan)) for why in used],
    }


def _opening(plan: Plan) -> str:
    masked = sum(len(block.variables) for block in plan.blocks)
    said = f"{counted(masked, 'variable')} of {counted(plan.records, 'record')} masked in "
    said += counted(len(plan.blocks), "block")
    said += f", {least}; " if (least := least_words(plan)) else "; "
    return said + ", ".join(_division(plan))


def _division(plan: Plan) -> Iterator[str]:
    division, beside = plan.division, "" if plan.partition is None else f", partition {plan.partition}"
    divided = division.method if plan.masker.name == DEFAULT else f"{plan.masker.name}{beside}"
    yield f"method {divided}" + ("" if division.effort is None else f" at {division.effort} effort")
    if division.standardise is not Standardise.Z_SCORE:
        yield f"standardised: {division.standardise.value}"
    if division.weights is not None:
        yield f"records weighted by {division.weights}"
    yield f"seed {plan.seed}."


def _block(plan: Plan, block: BlockPlan) -> dict[str, object]:
    shown = block.strata[:_STRATA_SHOWN]
    more = len(block.strata) - len(shown)
    return {
        "number": block.number,
        "names": block.names,
        "facts": list(_facts(plan, block)),
        "variables": [
            (v.name, v.role.value, v.scale.value, grid_word(v), treatment_word(v), f"{v.weight:g}")
            for v in block.variables
        ],
        "strata": [_stratum(i, stratum) for i, stratum in enumerate(shown, 1)],
        "more_strata": f"… and {number(more)} more, all of them in the certificate" if more else None,
        "rules": [_rule(rule) for rule in block.rules],
    }


def _facts(plan: Plan, block: BlockPlan) -> Iterator[tuple[str, str]]:
    yield "Together", sentence(block.block.because)
    yield "How", sentence(block.strategy)
    yield "Partition", sentence(block.partition) + (f"; {least}" if (least := least_words(plan)) else "")
    price = block.price
    if price is not None and price.goals:
        yield from ((f"Goal {goal.number}", goal_sentence(goal)) for goal in price.goals)
    elif price is not None:
        plain = "not computed for a file of this size" if price.plain_loss is None else percent(price.plain_loss)
        if has_numbers(block):
            yield "Price", f"information loss {percent(price.loss)}, plain MDAV without rules {plain}"
        yield "Groups", f"{number(price.groups)}, the smallest of {counted(price.smallest, 'record')}"
        yield "Exact steps", steps_text(price)
        yield from (("Keeps", promise_text(promise)) for promise in price.promises)
        yield from (("Note", note) for note in sentences(price.notes))


def _stratum(i: int, stratum: StratumPlan) -> dict[str, object]:
    return {
        "number": str(i),
        "records": number(stratum.size),
        "formed": stratum.formation.value,
        "conditions": "; ".join(sentences(stratum.conditions)) or "none, all records together",
        "derivations": sentences(stratum.derivations),
    }


def _rule(rule: RulePlan) -> dict[str, object]:
    says = rule.says if rule.says == rule.kind else f"{rule.says} ({rule.kind})"
    return {
        "rule": rule.rule,
        "why": rule.why.value,
        "tone": _TONES[rule.why],
        "says": says,
        "because": sentence(rule.because),
    }


def _kept(variable: Kept) -> tuple[str, str, str]:
    removed = "taken out of the file; " if variable.is_removed else ""
    return variable.name, variable.role.value, removed + sentence(variable.because)


def certificate_section(certificate: Mapping[str, Any] | None) -> dict[str, object] | None:
    """Return what the page says of a certificate: how the file was masked, the digests and the versions."""
    if certificate is None:
        return None
    output = certificate["output"]
    files = [(one["role"], one["file"] or "", one["sha256"]) for one in certificate["inputs"]]
    return {
        "options": [(name.replace("_", " "), _option(value)) for name, value in certificate["options"].items()],
        "files": [*files, ("masked file", output["file"], output["sha256"]), ("plan", "", certificate["plan_sha256"])],
        "versions": list(certificate["versions"].items()),
    }


def _option(value: object) -> str:
    return "not given" if value is None else str(value)
