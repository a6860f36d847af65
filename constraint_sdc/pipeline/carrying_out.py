"""Carry out a plan in memory; where records cannot share values, let unmasked variables of their rules join."""

from __future__ import annotations

from dataclasses import replace

from constraint_sdc.errors import CannotShareError, PlanRefusedError, UsageError
from constraint_sdc.mask.mask_table import mask_table
from constraint_sdc.model.masked import Masked
from constraint_sdc.model.method import GroupAnonymity
from constraint_sdc.model.plan import Plan
from constraint_sdc.model.policy import Role, Scale, VariableWish
from constraint_sdc.pipeline.preparation import Prepared
from constraint_sdc.plan.inputs import PlanInputs
from constraint_sdc.plan.make_plan import make_plan


def carry_out(prepared: Prepared) -> tuple[Plan, Masked]:
    """Return the plan with its prices and the masked values; nothing is written.

    A block first leaves unmasked variables as they are and stratifies on what rules ask of them. When too few records
    agree on that, the variables join the block, unless the recipe pins them: then the plan refuses.
    """
    inputs = prepared.plan_inputs
    while True:
        design = make_plan(inputs)
        try:
            masked = mask_table(design, prepared.mask_inputs)
        except CannotShareError as refusal:
            joining = frozenset(refusal.others) & _may_join(inputs, design.plan)
            if not joining:
                raise
            inputs = replace(inputs, joined=inputs.joined | joining)
        except UsageError as refusal:
            raise _refused(refusal, _drawn_along(inputs, design.plan)) from None
        else:
            blocks = tuple(replace(block.plan, price=block.price) for block in masked.blocks)
            plan = replace(design.plan, blocks=blocks)
            return replace(plan, warnings=(*_missed_goals(plan), *plan.warnings)), masked


def _missed_goals(plan: Plan) -> tuple[str, ...]:
    """Say loudly which goals are not reached."""
    return tuple(
        f"goal {goal.number} ({goal.parameter}) is MISSED: {'; '.join(goal.missed)}"
        for goal in plan.all_goals()
        if goal.missed
    )


def _drawn_along(inputs: PlanInputs, plan: Plan) -> list[str]:
    """Return the categories that nobody asked to mask: rules drew them into a block."""
    if isinstance(inputs.masker, GroupAnonymity):
        return []  # its parameters are asked for by goals
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
    """Return the variables that are unmasked only because nobody asked for them."""
    wishes = inputs.recipe.variables
    loose = [kept.name for kept in plan.kept if kept.role is not Role.IDENTIFIER]
    return frozenset(name for name in loose if name not in wishes or wishes[name].role is None)
