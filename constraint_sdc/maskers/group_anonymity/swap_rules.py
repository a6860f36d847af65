"""Edit rules under swaps: why each still holds, and which pairs of records may exchange values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Flags, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, Table
from constraint_sdc.evaluate.expression import variables_of
from constraint_sdc.judge.rule_set import Evaluate
from constraint_sdc.maskers.group_anonymity.goal import Goal
from constraint_sdc.operators.mode import Mode
from constraint_sdc.plan.blocks import refuse_unknown, told_role
from constraint_sdc.plan.design import BlockDesign, Design, PlanInputs, Stratum, refuse_removed
from constraint_sdc.plan.inventory import Fates, decide, make_inventory, undecided_warnings
from constraint_sdc.plan.plan import Block, BlockPlan, Formation, Kept, Plan, RulePlan, StratumPlan, VariablePlan, Why
from constraint_sdc.plan.read_series import is_numeric, make_series, not_numeric
from constraint_sdc.plan.reasons import unless_evaluated
from constraint_sdc.plan.rule_facts import RuleFacts, computed_with, rule_facts
from constraint_sdc.plan.treatment import plan_warnings
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Role, Scale, Treatment, VariableWish

# The plan of group anonymity: a block for every parameter, and why each rule still holds after the swaps.


def plan_swaps(inputs: PlanInputs, goals: Sequence[Goal]) -> Design:
    """Return the plan and its design: only the parameters of the goals change."""
    refuse_unknown(inputs.table, inputs.recipe)
    names = tuple(dict.fromkeys(goal.parameter for goal in goals))
    kept = _kept(names, inputs)
    facts = rule_facts(inputs.rules, inputs.says, inputs.table.columns.keys(), inputs.evaluable)
    refuse_removed(facts, kept)
    decisions = decide(inputs.table, inputs.recipe, computed_with(facts), names)
    fates = Fates(names, (), kept)
    inventory = make_inventory(fates, decisions, inputs.recipe, inputs.surroundings, inputs.undecided)
    facts = _pattern_wide(
        facts, [name for name in inputs.table.columns if name not in kept or not kept[name].is_removed]
    )
    local = [rule for rule in facts if not rule.is_cross_record]
    designs: list[BlockDesign] = []
    listed: set[str] = set()
    for number, name in enumerate(names, start=1):
        mine = [rule for rule in local if name in rule.variables]
        designs.append(_block(number, name, mine, listed, inputs, goals))
        listed |= {rule.id for rule in mine}
    plan = Plan(
        k=inputs.k,
        division=inputs.division,
        seed=inputs.seed,
        on_broken=inputs.on_broken,
        records=inputs.table.records,
        blocks=tuple(design.plan for design in designs),
        kept=tuple(kept.values()),
        assumptions=inputs.notes,
        rules=tuple(_outside(rule) for rule in facts if rule.id not in listed),
        broken={rule: len(rows) for rule, rows in inputs.broken.items()},
        inputs=inputs.digests,
        masker=inputs.masker,
        warnings=(
            *plan_warnings(inputs.masker, inputs.division.partition, inputs.k, inputs.seed),
            *inputs.warnings,
            *undecided_warnings(inventory),
        ),
        undecided=inputs.undecided,
        inventory=inventory,
    )
    return Design(plan, tuple(designs))


def _kept(parameters: Collection[str], inputs: PlanInputs) -> dict[str, Kept]:
    """Return every variable that is not a parameter."""
    found: dict[str, Kept] = {}
    for name in inputs.table.columns:
        if name in parameters:
            continue
        wish = inputs.recipe.variables.get(name, VariableWish())
        told = told_role(name, wish, inputs.recipe)
        role, reason = told or (Role.UNTOUCHED, because("only-swapped", variables=tuple(parameters)))
        found[name] = Kept(name, role, reason, wish.is_removed)
    return found


def _pattern_wide(facts: tuple[RuleFacts, ...], names: Sequence[str]) -> tuple[RuleFacts, ...]:
    """Return the rules with all variables on which their verdicts may depend; `names` are those of the masked file.

    Whether a rule fires depends on the contexts of its whole pattern, because an earlier rule may take its nodes. A
    rule whose variables are uncertain may read everything.
    """
    contexts: dict[str, dict[str, None]] = {}
    unsure: dict[str, tuple[str, ...]] = {}
    for rule in facts:
        found = contexts.setdefault(rule.edit.pattern, {})
        context = rule.edit.context
        if context is None:
            found.update(dict.fromkeys(rule.variables))
            unsure |= {} if rule.is_certain else {rule.edit.pattern: rule.anything}
        elif context.condition is not None:
            found.update(dict.fromkeys(variables_of(context.condition)))
    return tuple(
        replace(rule, variables=tuple(names), anything=rule.anything or unsure[rule.edit.pattern])
        if not rule.is_certain or rule.edit.pattern in unsure
        else replace(rule, variables=tuple(n for n in names if n in rule.variables or n in contexts[rule.edit.pattern]))
        for rule in facts
    )


def _block(
    number: int,
    name: str,
    rules: list[RuleFacts],
    listed: Collection[str],
    inputs: PlanInputs,
    goals: Sequence[Goal],
) -> BlockDesign:
    """Design the block of one parameter; rules that an earlier block lists are obeyed but not listed again."""
    series = _series(name, inputs)
    records = inputs.table.records
    numbers = tuple(place for place, goal in enumerate(goals, start=1) if goal.parameter == name)
    wish = inputs.recipe.variables.get(name, VariableWish())
    variable = VariablePlan(
        name,
        wish.role or Role.CONFIDENTIAL,
        series.scale,
        series.grid,
        Mode.name,
        treatment=Treatment.SWAPPED,
    )
    plan = BlockPlan(
        block=Block(number, (name,), because("parameter-of-goals", goals=numbers)),
        variables=(variable,),
        strategy=because("values-exchanged", variable=name),
        partition=because("no-partition"),
        strata=(StratumPlan((), records, Formation.WHOLE, ()),),
        rules=tuple(_inside(rule, name) for rule in rules if rule.id not in listed),
        shares=False,
    )
    return BlockDesign(
        plan=plan,
        rules=tuple(rules),
        series=(series,),
        cloud=Cloud(np.zeros((records, 1))),
        strata=(Stratum(np.arange(records), (), (), shares_conditions=True),),
    )


def _series(name: str, inputs: PlanInputs) -> Series:
    column, missing = inputs.table.columns[name], inputs.recipe.missing.get(name, ())
    wish = inputs.recipe.variables.get(name, VariableWish())
    is_number = is_numeric(column, missing)
    if wish.scale is Scale.NUMERIC and not is_number:
        raise not_numeric(name)
    scale = wish.scale or (Scale.NUMERIC if is_number else Scale.NOMINAL)
    return make_series(column, scale, wish, missing)


def _inside(rule: RuleFacts, parameter: str) -> RulePlan:
    kind = rule.edit.constraint.kind.value
    if rule.is_evaluable:
        return RulePlan(rule.id, kind, rule.says, rule.variables, Why.CHECKED, because("pairs-checked"))
    others = tuple(name for name in rule.variables if name != parameter)
    reason = because("pairs-agree", variables=others if rule.is_certain else (), reads_any=not rule.is_certain)
    return RulePlan(rule.id, kind, rule.says, rule.variables, Why.MEDOID, unless_evaluated(rule, reason))


def _outside(rule: RuleFacts) -> RulePlan:
    kind = rule.edit.constraint.kind.value
    if rule.is_cross_record:
        return RulePlan(rule.id, kind, rule.says, rule.variables, Why.JUDGED, because("beyond-pair"))
    return RulePlan(rule.id, kind, rule.says, rule.variables, Why.UNTOUCHED, because("reads-no-swapped"))


# Which pairs may exchange values: those after which every rule that held holds for both records.
#
# Rules are evaluated by their own expressions on the texts to be written. A rule that cannot be evaluated here allows a
# pair only if both records agree in everything else that it reads: each then has, after the swap, the values that the
# other had before, and the two verdicts are exchanged. They must be the same.

_MOST_KNOWN = 50_000_000  # pairs of a record and a text whose verdicts are cached


def text_codes(column: Column) -> Rows:
    """Return a number for every record, the same for the same text and state."""
    codes: dict[tuple[int, str | None], int] = {}
    cells = zip(column.state.tolist(), column.texts(), strict=True)
    return np.array([codes.setdefault(cell, len(codes)) for cell in cells], np.int64)


@dataclass
class SwapRules:
    """The rules of one parameter after swaps of other parameters, and possibly of some of its own values.

    `sources` has the record whose value of each parameter a record has now; `held` which records satisfied a rule
    before masking.
    """

    design: BlockDesign
    table: Table
    held: Mapping[str, Flags]
    evaluate: Evaluate
    sources: Mapping[str, Rows]
    codes_of: Callable[[str], Rows]
    _verdicts: Flags | None = field(default=None, init=False)
    _is_known: Flags | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """Return the parameter."""
        return self.design.series[0].name

    def allowed(self, rows: Rows, others: Rows) -> Flags:
        """Tell which pairs may exchange their values of the parameter."""
        if not self.design.rules:
            return np.ones(len(rows), np.bool_)
        # Both sides of all pairs at once: record `who` with the value that record `whose` has now.
        who, whose = np.concatenate((rows, others)), np.concatenate((others, rows))
        holds = self._all_hold(who, whose)
        for rule in self.design.unevaluated:
            holds &= self._exchanged(rule, who, whose)
        return holds[: len(rows)] & holds[len(rows) :]

    @cached_property
    def _own_codes(self) -> Rows:
        """Return the present text of every record, as a number."""
        return self.codes_of(self.name)[self.sources[self.name]]

    def _all_hold(self, who: Rows, whose: Rows) -> Flags:
        """Tell where all rules that can be evaluated hold; evaluated once for each record and text."""
        texts = int(self._own_codes.max()) + 1
        keys, first, place = np.unique(who * texts + self._own_codes[whose], return_index=True, return_inverse=True)
        who, whose, place = who[first], whose[first], place.reshape(-1)
        if self.table.records * texts > _MOST_KNOWN:
            return self._judged(who, whose)[place]
        if self._verdicts is None or self._is_known is None:
            self._verdicts = np.zeros(self.table.records * texts, np.bool_)
            self._is_known = np.zeros(self.table.records * texts, np.bool_)
        new = np.flatnonzero(~self._is_known[keys])
        if len(new):
            self._verdicts[keys[new]] = self._judged(who[new], whose[new])
            self._is_known[keys[new]] = True
        found: Flags = self._verdicts[keys][place]
        return found

    def _judged(self, who: Rows, whose: Rows) -> Flags:
        found = self.evaluate(self._columns(who, whose), len(who))
        holds = np.ones(len(who), np.bool_)
        for rule in self.design.rules:
            if rule.id not in self.design.unevaluated:
                holds &= ~self.held[rule.id][who] | found[rule.id]
        return holds

    def _columns(self, who: Rows, whose: Rows) -> dict[str, Column]:
        """Return the texts to be written for records `who` with the parameter's values of `whose`."""
        columns = {name: self._now(name, who) for name in self.design.others}
        columns[self.name] = self._now(self.name, whose)
        return columns

    def _now(self, name: str, rows: Rows) -> Column:
        return self.table.columns[name].take(self.sources[name][rows] if name in self.sources else rows)

    def _exchanged(self, rule: str, who: Rows, whose: Rows) -> Flags:
        """Tell where a rule that is not evaluated only exchanges its verdicts, and these are the same."""
        same: Flags = self.held[rule][who] == self.held[rule][whose]
        for name in self.design.reads[rule]:
            if name != self.name:
                codes = self.codes_of(name)
                codes = codes[self.sources[name]] if name in self.sources else codes
                same &= codes[who] == codes[whose]
        return same
