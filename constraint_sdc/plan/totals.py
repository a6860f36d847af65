"""Totals: variables that an equality determines, computed for every record instead of masked with their parts.

A rule that determines a total by one side of its own comparison is cut: its parts are grouped as if the rule were not
there. The total is then a function of the masked parts, so it discloses nothing that they do not, and the rule holds
for every record by construction. All other rules that read a total are evaluated on every record after masking. Where
one fails, `undone` names the total, and the next plan masks it with its parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.series import Series
from constraint_sdc.evaluate.expression import Outside, variables_of, walk
from constraint_sdc.evaluate.truth import Numbers, evaluate_number
from constraint_sdc.evaluate.value import Records
from constraint_sdc.plan.blocks import Roles
from constraint_sdc.plan.derivation import determined
from constraint_sdc.plan.design import PlanInputs, Total
from constraint_sdc.plan.plan import Block, ComputedTotal, RulePlan, UndoneTotal, Why
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale, VariableWish

_OWN_FIRST = 1.5  # a variable that varies this much more than the one alone on a side absorbs errors better
_FORGIVEN = 1e-9  # of the largest value: the rule's own arithmetic decides later, record by record


@dataclass(frozen=True, slots=True)
class CutTotals:
    """The totals in the order of computation, and those that stay with their parts although an equality has them."""

    totals: tuple[Total, ...] = ()
    undone: tuple[UndoneTotal, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Return the variables that are computed."""
        return frozenset(total.name for total in self.totals)

    def reading(self, rules: Iterable[RuleFacts]) -> tuple[RuleFacts, ...]:
        """Return the rules that read a total: no block decides them."""
        return tuple(rule for rule in rules if not rule.is_cross_record and not self.names.isdisjoint(rule.variables))


def cut_totals(rules: Sequence[RuleFacts], roles: Roles, inputs: PlanInputs) -> CutTotals:
    """Return which variables are computed; none unless the inputs ask for it."""
    if not inputs.computes_totals:
        return CutTotals()
    search = _CutSearch(roles, inputs, _blocked(rules, inputs))
    usable = [rule for rule in rules if not rule.is_cross_record and rule.is_evaluable and rule.is_certain]
    for rule in usable:
        search.cut(rule)
    search.drop_tied(usable)
    return CutTotals(tuple(search.in_order()), tuple(search.undone.values()))


def _blocked(rules: Sequence[RuleFacts], inputs: PlanInputs) -> dict[str, Reason]:
    """Return the variables that cannot be computed, each with the reason."""
    recipe, blocked = inputs.recipe, dict[str, Reason]()
    names = inputs.table.columns if recipe.groups == "all" else (name for group in recipe.groups for name in group)
    blocked |= dict.fromkeys(names, because("total-wished"))
    for name, wish in recipe.variables.items():
        if wish.operator is not None or wish.weight is not None:
            blocked[name] = because("total-wished")
    for rule in rules:
        if not rule.is_cross_record and not rule.edit.never_fires and not (rule.is_evaluable and rule.is_certain):
            read = rule.variables if rule.is_certain else tuple(inputs.table.columns)
            blocked |= dict.fromkeys(read, because("total-not-evaluated", rule=rule.id))
    blocked |= dict.fromkeys(inputs.promised.key, because("total-in-key"))
    return {**blocked, **inputs.undone}


@dataclass(slots=True)
class _CutSearch:
    """The cuts found so far, by variable; `undone` has the reason where a rule has a total that is not computed."""

    roles: Roles
    inputs: PlanInputs
    blocked: Mapping[str, Reason]
    found: dict[str, Total] = field(default_factory=dict)
    undone: dict[str, UndoneTotal] = field(default_factory=dict)

    def cut(self, rule: RuleFacts) -> None:
        """Compute one variable of the rule, if it determines one that may be computed.

        The one that varies most loses least. Solving is exact in whole numbers; a rule with other numbers is solved
        only if it has no variable alone on a side. The variable alone on a side is the last one tried.
        """
        forms = determined(rule.edit)
        series = {name: self._series(name) for name in forms if self._is_number(name)}
        is_whole = all(one.grid.decimals == 0 for one in series.values()) and len(series) == len(forms)
        has_own = any(is_own for _, is_own in forms.values())
        weights = {
            name: one.deviation * (_OWN_FIRST if forms[name][1] else 1.0)
            for name, one in series.items()
            if name not in self.found and (forms[name][1] or is_whole or not has_own)
        }
        for name in sorted(weights, key=lambda name: -weights[name]):
            expression, is_own = forms[name]
            parts = tuple(variables_of(expression))
            total = Total(series[name], rule.id, expression, is_own, parts, self._codes((name, *parts)))
            reason = self.blocked.get(name) or self._objection(total, rule)
            if reason is None:
                self.found[name] = total
                self.undone.pop(name, None)
                return
            if is_own or not has_own or name in self.inputs.undone:
                self.undone.setdefault(name, UndoneTotal(name, rule.id, reason))
            if is_own or not has_own:
                return

    def drop_tied(self, rules: Sequence[RuleFacts]) -> None:
        """Drop totals that another equality ties to variables which are masked: it would not hold."""
        is_changing = True
        while is_changing:
            is_changing = False
            for rule in rules:
                is_plain = rule.terms is not None and len(rule.terms) == 1
                is_cut = any(total.rule == rule.id for total in self.found.values())
                if not is_plain or is_cut or not determined(rule.edit):
                    continue
                for name in (name for name in rule.variables if name in self.found):
                    total = self.found.pop(name)
                    self.undone[name] = UndoneTotal(name, total.rule, because("total-tied", rule=rule.id))
                    is_changing = True

    def in_order(self) -> Iterator[Total]:
        """Yield the totals so that each follows the totals among its parts."""
        done: set[str] = set()
        while len(done) < len(self.found):
            for name, total in self.found.items():
                if name not in done and all(part in done or part not in self.found for part in total.parts):
                    done.add(name)
                    yield total

    def _is_number(self, name: str) -> bool:
        is_masked = name in self.roles.masked and self.roles.masked[name][1] is Scale.NUMERIC
        return is_masked and self._series(name).grid.notation is None

    def _series(self, name: str) -> Series:
        wish = self.inputs.recipe.variables.get(name, VariableWish())
        return make_series(self.inputs.table.columns[name], Scale.NUMERIC, wish, self._codes((name,))[name])

    def _codes(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        return {name: self.inputs.recipe.missing.get(name, ()) for name in names}

    def _behind(self, parts: Iterable[str]) -> set[str]:
        """Return the parts, and the parts of totals among them."""
        seen: set[str] = set()
        waiting = list(parts)
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += self.found[name].parts if name in self.found else ()
        return seen

    def _objection(self, total: Total, rule: RuleFacts) -> Reason | None:
        """Return why the variable cannot be computed; None if nothing in the original is against it."""
        if total.name in self._behind(total.parts):
            return because("total-in-cycle")
        if any(isinstance(part, Outside) for part in walk(total.expression)):
            return because("total-not-evaluated", rule=rule.id)
        if any(part not in self.inputs.table.columns for part in total.parts):
            return because("total-without-number", records=self.inputs.table.records)
        if not any(part in self.roles.masked for part in total.parts):
            return because("total-of-unmasked")
        found = computable(total, self.inputs)
        blank = total.series.is_blank
        if (odd := int(np.count_nonzero(found.is_number == blank))) or len(np.unique(total.series.blank[blank])) > 1:
            return because("total-missing-otherwise", records=odd)
        broken = np.zeros(len(blank), np.bool_)
        broken[self.inputs.broken.get(rule.id, np.zeros(0, np.int64))] = True
        held = found.is_number & ~broken
        gaps = np.abs(found.values[held] - total.series.values[held])
        largest = float(np.nanmax(np.abs(total.series.values), initial=0.0))
        if off := int(np.count_nonzero(gaps > _FORGIVEN * largest)):
            return because("total-not-everywhere", records=off)
        return None


@dataclass(frozen=True, slots=True)
class Computable:
    """Where the expression of a total gives a number, and that number as a double."""

    is_number: Flags
    values: Floats


def computable(total: Total, inputs: PlanInputs) -> Computable:
    """Return what the expression gives on the original; a missing part gives no number."""
    columns = {part: inputs.table.columns[part] for part in total.parts}
    records = Records(columns, inputs.table.records)
    numbers = evaluate_number(total.expression, records, xpath1=inputs.is_xpath1, domains=inputs.domains)
    nowhere = np.zeros(inputs.table.records, np.bool_)
    if numbers is None:
        return Computable(nowhere, np.full(inputs.table.records, np.nan))
    values = as_doubles(numbers)
    blank = nowhere
    for part, column in columns.items():
        blank = blank | make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), total.codes[part]).is_blank
    return Computable(~numbers.unsure & np.isfinite(values) & ~blank, values)


def as_doubles(numbers: Numbers) -> Floats:
    """Return the numbers as doubles; undefined where they are unsure."""
    if numbers.doubles is not None:
        return numbers.doubles
    assert numbers.mantissa is not None
    found: Floats = numbers.mantissa / 10.0**numbers.scale
    return found


# What the plan says of totals.


def planned_totals(cut: CutTotals, blocks: Sequence[Block], roles: Roles) -> tuple[ComputedTotal, ...]:
    """Return every total with the blocks from which it is computed, through the totals among its parts."""
    homes = {name: frozenset((block.number,)) for block in blocks for name in block.names}
    planned = []
    for total in cut.totals:
        homes[total.name] = frozenset().union(*(homes.get(part, frozenset()) for part in total.parts))
        planned.append(
            ComputedTotal(
                name=total.name,
                role=roles.masked[total.name][0],
                grid=total.series.grid,
                rule=total.rule,
                parts=total.parts,
                blocks=tuple(sorted(homes[total.name])),
            )
        )
    return tuple(planned)


def explain_read(rule: RuleFacts, cut: CutTotals) -> RulePlan:
    """Return why a rule that reads a total still holds."""
    own = next((total for total in cut.totals if total.rule == rule.id), None)
    reason = because("reads-totals", variables=tuple(name for name in rule.variables if name in cut.names))
    if own is not None:
        reason = because("total-by-rule", variable=own.name, is_own=own.is_own)
    return RulePlan(rule.id, rule.edit.constraint.kind.value, rule.says, rule.variables, Why.COMPUTED, reason)
