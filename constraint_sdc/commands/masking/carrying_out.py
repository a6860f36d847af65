"""Carry out a plan in memory; where records cannot share values, let unmasked variables of their rules join."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from constraint_sdc.commands.masking.preparation import Prepared
from constraint_sdc.commands.masking.verbatim import refuse_verbatim
from constraint_sdc.engines.freeing import give_back_after_work
from constraint_sdc.engines.running import rest_workers
from constraint_sdc.errors import CannotShareError, PlanRefusedError, UsageError
from constraint_sdc.files.json_file import read_json
from constraint_sdc.limits import TOTALS_TRIED
from constraint_sdc.maskers.inputs import mask_table
from constraint_sdc.maskers.masked import Masked
from constraint_sdc.maskers.totals import add_totals, loss_of, masked_series, priced_totals
from constraint_sdc.plan.design import Design, PlanInputs
from constraint_sdc.plan.inventory import UndecidedError, with_recoded
from constraint_sdc.plan.plan import Plan, RulePlan, TotalsPlan, UndoneTotal
from constraint_sdc.plan.plan_json import changed_inputs, plan_differences, plan_from_json
from constraint_sdc.reports.check.wording import counted
from constraint_sdc.reports.masking.inventory_text import undecided_lines
from constraint_sdc.reports.refusal import conflict_sentence
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Role, Scale, VariableWish
from constraint_sdc.stages import stage


def carry_out(prepared: Prepared) -> tuple[Plan, Masked]:
    """Return the plan with its prices and the masked values; nothing is written.

    A block first leaves unmasked variables as they are and stratifies on what rules ask of them. What a rule asks of
    them that only Saxon judges is not known: its groups share the values of these variables only if others fail. When
    too few records agree on that, the variables join the block, unless the recipe pins them: then the plan refuses.
    Totals that break a rule are masked with their parts in the next round, so that each round has fewer of them.
    """
    carry = _least_loss if prepared.totals == "auto" else lambda way: _carried_out(way.plan_inputs, way)
    carried, recoding = carry(prepared), prepared.recoding
    inventory = with_recoded(carried.plan.inventory, recoding.columns)
    plan = replace(carried.plan, recoded=recoding.recoded, inventory=inventory)
    return plan, replace(carried.masked, recoded=recoding.columns)


@dataclass(frozen=True, slots=True)
class _CarriedOut:
    """A plan that was carried out, and the design and the inputs of its last round."""

    plan: Plan
    design: Design
    masked: Masked
    inputs: PlanInputs

    @property
    def loss(self) -> float:
        """Return the information loss of the whole file."""
        names = [one.name for one in masked_series(self.design)]
        return loss_of(names, self.design, self.masked, self.inputs.recipe.missing)


def _carried_out(inputs: PlanInputs, prepared: Prepared) -> _CarriedOut:
    while True:
        design = _designed(inputs, prepared)
        give_back_after_work()
        try:
            masked, undone = add_totals(design, mask_table(design, prepared.mask_inputs), prepared.mask_inputs)
        except CannotShareError as refusal:
            inputs = _after(refusal, inputs, design)
        except UsageError as refusal:
            raise _refused(refusal, _drawn_along(inputs, design.plan)) from None
        else:
            if undone:
                inputs = replace(inputs, undone={**inputs.undone, **undone})
                continue
            rest_workers()
            refuse_verbatim(design, masked, prepared)
            give_back_after_work()
            return _CarriedOut(_priced(design, masked, inputs), design, masked, inputs)


def _priced(design: Design, masked: Masked, inputs: PlanInputs) -> Plan:
    """Return the plan with what masking cost, and warnings of goals that are not reached."""
    blocks = tuple(replace(block.plan, price=block.price) for block in masked.blocks)
    totals = design.plan.totals
    if totals is not None:
        totals = priced_totals(totals, design, masked, inputs.recipe.missing)
    plan = replace(design.plan, blocks=blocks, totals=totals)
    return replace(plan, warnings=(*_missed_goals(plan), *plan.warnings))


# Totals masked with their parts or computed from them: the masking that loses least.


def _least_loss(prepared: Prepared) -> _CarriedOut:
    """Return the masking of least loss on the way from all totals computed to all totals together.

    The total that loses most is put together with its parts first; of many totals, several at a time. If the best of
    these has geometric means, arithmetic ones are tried in their place. A masking that the plan refuses does not count,
    unless it refuses all. With equal losses fewer totals are computed.
    """
    inputs, tried, refusals = prepared.plan_inputs, list[_CarriedOut](), list[PlanRefusedError]()
    step = None
    while True:
        try:
            tried.append(_carried_out(inputs, prepared))
        except PlanRefusedError as refusal:
            refusals.append(refusal)
            if not inputs.computes_totals:
                break
            inputs = replace(inputs, computes_totals=False)
            continue
        computed = sorted(tried[-1].plan.computed, key=lambda total: -(total.loss or 0.0))
        if not computed:
            break
        step = step or -(-len(computed) // (TOTALS_TRIED - 1))
        dearest = {total.name: because("total-costs-more") for total in computed[:step]}
        inputs = replace(inputs, undone={**inputs.undone, **_undone(tried[-1]), **dearest})
        if len(dearest) == len(computed) or len(tried) >= TOTALS_TRIED - 1:
            inputs = replace(inputs, computes_totals=False)
    if not tried:
        raise refusals[0]
    best = min(reversed(tried), key=lambda way: way.loss)
    if _has_geometric_mean(best.plan):
        with suppress(PlanRefusedError):
            by_mean = _carried_out(replace(best.inputs, products_by_mean=True), prepared)
            best = min(best, by_mean, key=lambda way: way.loss)
    together = next((way.loss for way in tried if not way.plan.computed), None)
    return _chosen(best, together, tried[0])


def _has_geometric_mean(plan: Plan) -> bool:
    return any(variable.traits.averages_logarithms for block in plan.blocks for variable in block.variables)


def _undone(way: _CarriedOut) -> dict[str, Reason]:
    return {} if way.plan.totals is None else {one.name: one.because for one in way.plan.totals.undone}


def _chosen(best: _CarriedOut, together_loss: float | None, first: _CarriedOut) -> _CarriedOut:
    """Return the masking that was chosen, with both prices; `first` has as many totals computed as can be."""
    planned = best.plan.totals
    if planned is None:
        dearer = (UndoneTotal(one.name, one.rule, because("total-costs-more")) for one in first.plan.computed)
        known = () if first.plan.totals is None else first.plan.totals.undone
        planned = TotalsPlan("auto", (), (*known, *dearer))
    totals = replace(planned, asked="auto", loss=best.loss, together_loss=together_loss)
    return replace(best, plan=replace(best.plan, totals=totals))


_MASKED_TWICE = 20_000  # records; of a larger file only the price of what is asked for is computed


def with_together_price(plan: Plan, prepared: Prepared) -> Plan:
    """Return the plan with the loss of the file if its totals were masked with their parts, for comparison."""
    totals = plan.totals
    if totals is None or totals.asked != "computed" or plan.records > _MASKED_TWICE:
        return plan
    if not totals.computed:
        return replace(plan, totals=replace(totals, together_loss=totals.loss))
    try:
        together = _carried_out(replace(prepared.plan_inputs, computes_totals=False), prepared)
    except PlanRefusedError:
        return plan
    return replace(plan, totals=replace(totals, together_loss=together.loss))


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


def require_decided(prepared: Prepared) -> None:
    """Refuse a file in which nobody decided on something; nothing else is refused here."""
    try:
        _designed(prepared.plan_inputs, prepared)
    except UndecidedError:
        raise
    except (PlanRefusedError, UsageError):
        return


@stage("planning")
def _designed(inputs: PlanInputs, prepared: Prepared) -> Design:
    try:
        return prepared.mask_inputs.masker.plan(inputs)
    except UndecidedError as refusal:
        raise _told(refusal, prepared) from None


def _told(refusal: UndecidedError, prepared: Prepared) -> UndecidedError:
    """Return the refusal with what the undecided things look like, and how to decide."""
    count = counted(len(refusal.things), "thing")
    data = prepared.original.dataset.path.name
    record = prepared.original.record
    named = "" if record is None else f" --record {shlex.quote(record)}"
    init = f"constraint-sdc init {shlex.quote(data)}{named} -o recipe.yml"
    hint = f"`{init}` proposes a recipe; --undecided guess tries without one"
    what = f"nobody decided what becomes of {count} in {data}"
    return UndecidedError(what, things=refusal.things, hint=hint, advice=undecided_lines(refusal.things))


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
        "totals": "together" if plan.totals is None else plan.totals.asked,
        "undecided": plan.undecided,
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
