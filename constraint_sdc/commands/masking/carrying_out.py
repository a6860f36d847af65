"""Carry out a plan in memory; where records cannot share values, let unmasked variables of their rules join."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from constraint_sdc.commands.masking.preparation import Prepared
from constraint_sdc.errors import CannotShareError, PlanRefusedError, UsageError
from constraint_sdc.files.json_file import read_json
from constraint_sdc.maskers.inputs import mask_table
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.plan.design import Design, PlanInputs
from constraint_sdc.plan.plan import Plan, RulePlan
from constraint_sdc.plan.plan_json import changed_inputs, plan_differences, plan_from_json
from constraint_sdc.reports.refusal import conflict_sentence
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role, Scale, VariableWish


def carry_out(prepared: Prepared) -> tuple[Plan, Masked]:
    """Return the plan with its prices and the masked values; nothing is written.

    A block first leaves unmasked variables as they are and stratifies on what rules ask of them. What a rule asks of
    them that only Saxon judges is not known: its groups share the values of these variables only if others fail. When
    too few records agree on that, the variables join the block, unless the recipe pins them: then the plan refuses.
    """
    inputs = prepared.plan_inputs
    while True:
        design = prepared.mask_inputs.masker.plan(inputs)
        try:
            masked = mask_table(design, prepared.mask_inputs)
        except CannotShareError as refusal:
            inputs = _after(refusal, inputs, design)
        except UsageError as refusal:
            raise _refused(refusal, _drawn_along(inputs, design.plan)) from None
        else:
            blocks = tuple(replace(block.plan, price=block.price) for block in masked.blocks)
            plan = replace(design.plan, blocks=blocks)
            return replace(plan, warnings=(*_missed_goals(plan), *plan.warnings)), masked


def _after(refusal: CannotShareError, inputs: PlanInputs, design: Design) -> PlanInputs:
    """Return the inputs of the next attempt; the refusal if there is none."""
    others = frozenset(refusal.others)
    binding = others & frozenset[str]().union(*(block.seen_by_saxon for block in design.blocks)) - inputs.bound
    if binding:
        return replace(inputs, bound=inputs.bound | binding)
    joining = others & _may_join(inputs, design.plan)
    if not joining:
        raise _worded(refusal) from None
    return replace(inputs, joined=inputs.joined | joining)


def _worded(refusal: CannotShareError) -> CannotShareError:
    """Return the refusal with its conflict in words; that of a masker which names no conflict as it is."""
    if refusal.conflict is None:
        return refusal
    hint = "`plan` and `mask` try ways out"
    what = conflict_sentence(refusal.conflict)
    return CannotShareError(what, others=refusal.others, hint=hint, conflict=refusal.conflict)


def _missed_goals(plan: Plan) -> tuple[Reason, ...]:
    """Return a warning for every goal that is not reached."""
    return tuple(
        because("goal-missed", goal=goal.number, parameter=goal.parameter, missed=goal.missed)
        for goal in plan.all_goals()
        if goal.missed
    )


def _drawn_along(inputs: PlanInputs, plan: Plan) -> list[str]:
    """Return the categories that the recipe does not ask to mask: rules tie them into a block."""
    if inputs.masker.names_variables:
        return []  # each of them is asked for
    asked = {name for name, wish in inputs.recipe.variables.items() if wish != VariableWish()}
    masked = (variable for block in plan.blocks for variable in block.variables)
    return [variable.name for variable in masked if variable.scale is Scale.NOMINAL and variable.name not in asked]


def _refused(refusal: UsageError, drawn_along: list[str]) -> UsageError | PlanRefusedError:
    """Return the refusal; of the plan, if it is rules and no wish of the user that the method cannot obey."""
    if not drawn_along:
        return refusal
    what = f"{refusal.what}; rules draw {', '.join(drawn_along)} into a block"
    return PlanRefusedError(what, hint=refusal.hint)


def _may_join(inputs: PlanInputs, plan: Plan) -> frozenset[str]:
    """Return the variables that are unmasked only because the recipe does not name them."""
    wishes = inputs.recipe.variables
    loose = [kept.name for kept in plan.kept if kept.role is not Role.IDENTIFIER]
    return frozenset(name for name in loose if name not in wishes or wishes[name].role is None)


# A plan saved by `plan --out`: read it back, and refuse to mask by it when something changed since.

_WAY_OUT = "look at the new plan, save it with `plan --out`, and mask by that"


def read_plan(path: Path) -> Plan:
    """Return a saved plan."""
    return plan_from_json(
        read_json(path, "plan.schema.json", "a saved plan", renew="make a new plan with `plan --out`")
    )


def options_of_plan(plan: Plan) -> dict[str, Any]:
    """Return what a plan has decided, by the name of the option."""
    division = plan.division
    return {
        "k": plan.k,
        "masker": plan.masker.name,
        "partition": plan.partition,
        "effort": division.effort,
        "standardise": division.standardise.value,
        "weights": division.weights,
        "seed": plan.seed,
        "on_broken": plan.on_broken,
    }


def planned_rule(plan: Plan, name: str) -> RulePlan:
    """Return what a plan says about the rule of this id."""
    rules = {rule.rule: rule for rule in plan.all_rules()}
    if name not in rules:
        known = f"the rules are: {', '.join(rules)}" if rules else "the plan has no rules"
        raise UsageError(f"no rule has the id {name!r}", hint=known)
    return rules[name]


def require_same_plan(saved: Plan, now: Plan, hint: str = _WAY_OUT) -> None:
    """Refuse when the inputs or the decisions of the saved plan are not those of the plan made now."""
    if changed := changed_inputs(saved, now):
        raise PlanRefusedError(f"changed since the plan was saved: {', '.join(changed)}", hint=hint)
    if parts := plan_differences(saved, now):
        raise PlanRefusedError(f"the plan made now is not the saved one; they differ in: {', '.join(parts)}", hint=hint)
