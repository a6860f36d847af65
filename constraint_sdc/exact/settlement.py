"""Which candidates the rules accept, and which groups have a representative already."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.ordering import first_of_each, stable_order
from constraint_sdc.data.series import Series
from constraint_sdc.data.table import Column, Table
from constraint_sdc.data.text import Text, equal
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates
from constraint_sdc.judge.records import RecordJudge
from constraint_sdc.judge.rule_set import Evaluate
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.plan.plan import ExactStep
from constraint_sdc.plan.rule_facts import RuleFacts
from constraint_sdc.settings.reason import Reason, because

# The check of candidates by the rules' own expressions: every rule of a block, for every record of the group.


@dataclass(frozen=True, slots=True)
class _MemberPairs:
    """Every candidate with every record of its group: pair p is candidate `which[p]` for record `records[p]`.

    The pairs of a candidate follow each other from `starts` on.
    """

    which: Rows
    records: Rows
    starts: Rows

    @classmethod
    def of(cls, candidates: Candidates, groups: Groups) -> _MemberPairs:
        """Return all pairs."""
        sizes = groups.sizes[candidates.group]
        which = np.repeat(np.arange(len(candidates)), sizes)
        starts = np.cumsum(sizes) - sizes
        within = np.arange(len(which)) - np.repeat(starts, sizes)
        return cls(which, groups.order[groups.starts[candidates.group][which] + within], starts)

    def all_of(self, holds: Flags) -> Flags:
        """Tell which candidates satisfy what holds for these pairs."""
        return np.asarray(np.logical_and.reduceat(holds, self.starts), np.bool_)


@dataclass(frozen=True, slots=True)
class BlockJudge:
    """A rule must hold for every record that satisfied it before; `held` has these records by rule.

    Rules that cannot be evaluated here are judged by `saxon` on every record of the group, in its own XML. A rule that
    neither can judge holds if its variables are copied together from a record that satisfied it. `turned_down` are
    groups with a candidate that satisfied all other rules, but not those that Saxon judges.
    """

    design: BlockDesign
    groups: Groups
    table: Table
    held: Mapping[str, Flags]
    evaluate: Evaluate
    saxon: RecordJudge | None = None
    turned_down: set[int] = field(default_factory=set)
    _held_in: dict[str, Flags] = field(default_factory=dict, repr=False, compare=False)

    def passing(self, candidates: Candidates, most_asked: int | None = None) -> Flags:
        """Tell which candidates may represent their groups; Saxon is asked of those that satisfy all other rules.

        With `most_asked` it is asked of so many for each group, the first ones; the others do not pass.
        """
        holds = self._here(candidates, {})
        asked = [rule.asks_saxon for rule in self.design.rules]
        open_ = np.flatnonzero(holds[:, np.logical_not(asked)].all(axis=1))
        if most_asked is not None:
            open_ = open_[_rank_in_group(candidates.group[open_]) < most_asked]
        passing = np.asarray(self._with_saxon(candidates, holds, {}, open_).all(axis=1), np.bool_)
        self.turned_down.update(candidates.group[open_[~passing[open_]]].tolist())
        return passing

    def verdicts(self, candidates: Candidates) -> Flags:
        """Tell which rules (columns) a candidate satisfies, for every record of its group."""
        return self._with_saxon(candidates, self._here(candidates, {}), {}, np.arange(len(candidates)))

    def verdicts_as_if_masked(self, copies: Candidates, records: Rows, names: Collection[str]) -> Flags:
        """Tell the same of copies of records if unmasked variables were copied with them."""
        released = {name: self.table.columns[name].take(records) for name in names}
        return self._with_saxon(copies, self._each(copies, released), released, np.arange(len(copies)))

    def _here(self, candidates: Candidates, released: Mapping[str, Column]) -> Flags:
        """Judge by the evaluator; a rule that it does not take holds where its variables are copied together."""
        if not len(candidates) or not self.design.rules:
            return np.ones((len(candidates), len(self.design.rules)), np.bool_)
        return self._each(candidates, released) if self.design.others else self._alike(candidates)

    def _alike(self, candidates: Candidates) -> Flags:
        """Judge rules that read masked variables only: the verdict is the same for all records of a group."""
        found = self.evaluate(candidates.columns(), len(candidates))
        holds = np.zeros((len(candidates), len(self.design.rules)), np.bool_)
        for place, rule in enumerate(self.design.rules):
            held = self._held_by_any(rule.id)[candidates.group]
            holds[:, place] = ~held | found.get(rule.id, np.False_)
            if not rule.asks_saxon:
                holds[:, place] |= self._copied(rule.id, candidates)
        return holds

    def _held_by_any(self, rule: str) -> Flags:
        """Tell in which groups at least one record satisfied the rule."""
        if rule not in self._held_in:
            self._held_in[rule] = np.logical_or.reduceat(self.held[rule][self.groups.order], self.groups.starts)
        return self._held_in[rule]

    def _each(self, candidates: Candidates, released: Mapping[str, Column]) -> Flags:
        """Judge every candidate on every record of its group, with that record's own unmasked values.

        Those of variables that are `released` are given for every candidate.
        """
        pairs = _MemberPairs.of(candidates, self.groups)
        columns = {name: column.take(pairs.which) for name, column in candidates.columns().items()}
        for name in self.design.others:
            if name in released:
                columns[name] = released[name].take(pairs.which)
            elif name in self.table.columns:
                columns[name] = self.table.columns[name].take(pairs.records)
        found = self.evaluate(columns, len(pairs.which))
        holds = np.zeros((len(candidates), len(self.design.rules)), np.bool_)
        for place, rule in enumerate(self.design.rules):
            known = ~self._open(rule, candidates, pairs, released)
            holds[:, place] = pairs.all_of(known | found.get(rule.id, np.False_))
        return holds

    def _with_saxon(self, candidates: Candidates, holds: Flags, released: Mapping[str, Column], rows: Rows) -> Flags:
        """Return the verdicts with Saxon's on the candidates `rows`, where nothing else tells that a rule holds."""
        asking = [(place, rule) for place, rule in enumerate(self.design.rules) if rule.asks_saxon]
        if self.saxon is None or not asking:
            return holds
        rows = rows[~holds[rows][:, [place for place, _ in asking]].all(axis=1)]
        if not len(rows):
            return holds
        some = candidates.take(rows)
        given = {name: column.take(rows) for name, column in released.items()}
        pairs = _MemberPairs.of(some, self.groups)
        open_ = {rule.id: self._open(rule, some, pairs, given) for _, rule in asking}
        asked = np.flatnonzero(np.any(list(open_.values()), axis=0))
        columns = {**some.columns(), **given}
        found = self.saxon.holds(
            pairs.records[asked], {name: column.take(pairs.which[asked]) for name, column in columns.items()}
        )
        holds = holds.copy()
        for place, rule in asking:
            each = ~open_[rule.id]
            each[asked] |= found[rule.id]
            holds[rows, place] = pairs.all_of(each)
        return holds

    def _open(self, rule: RuleFacts, candidates: Candidates, pairs: _MemberPairs, released: Collection[str]) -> Flags:
        """Tell for which pairs a rule must be judged.

        It need not hold for a record that broke it. It holds where all that it reads is as in a record that satisfied
        it; of a rule that asks Saxon this is not known, because it may also read the markup around a value.
        """
        open_ = self.held[rule.id][pairs.records]
        if rule.asks_saxon:
            return open_
        copied = self._copied(rule.id, candidates)[pairs.which]
        return open_ & ~(copied & self._same_others(rule.id, candidates, pairs.which, pairs.records, released))

    def _copied(self, rule: str, candidates: Candidates) -> Flags:
        """Tell where all variables of the rule come from one record that satisfied it."""
        names = self.variables(rule)
        mine = [j for j, series in enumerate(candidates.series) if series.name in names]
        if not mine:
            return np.zeros(len(candidates), np.bool_)
        sources = candidates.source[:, mine]
        is_one: Flags = (sources == sources[:, :1]).all(axis=1) & (sources[:, 0] != NOT_COPIED)
        return is_one & self.held[rule][np.where(is_one, sources[:, 0], 0)]

    def notes(self, other: BlockJudge | None = None) -> tuple[Reason, ...]:
        """Return how often Saxon was asked, if it was, by this judge and by another one."""
        asked = [judge.saxon for judge in (self, other) if judge is not None and judge.saxon is not None]
        calls = sum(saxon.calls for saxon in asked)
        return (because("saxon-asked", records=sum(saxon.asked for saxon in asked), calls=calls),) if calls else ()

    def variables(self, rule: str) -> frozenset[str]:
        """Return the variables that a rule reads."""
        return frozenset(next(plan.variables for plan in self.design.plan.rules if plan.rule == rule))

    def _same_others(
        self, rule: str, candidates: Candidates, which: Rows, records: Rows, released: Collection[str]
    ) -> Flags:
        """Tell where a rule's unmasked values equal those of the record that its masked values were copied from."""
        names = self.variables(rule)
        mine = [j for j, series in enumerate(candidates.series) if series.name in names]
        sources = np.maximum(candidates.source[:, mine].max(axis=1, initial=0), 0)[which]
        same = np.ones(len(which), np.bool_)
        for name in self.design.others:
            column = self.table.columns.get(name)
            if column is not None and name in names and name not in released:
                one, other = column.take(sources), column.take(records)
                same &= equal(Text.of_column(one), Text.of_column(other)) & (one.present() == other.present())
        return same


def _rank_in_group(group: Rows) -> Rows:
    """Return how many candidates of the same group come before each one.

    >>> _rank_in_group(np.array([4, 7, 4, 4, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = stable_order(group)
    ordered = group[order]
    first = np.searchsorted(ordered, ordered)
    rank = np.empty(len(group), np.int64)
    rank[order] = np.arange(len(group)) - first
    return rank


def file_range(series: Sequence[Series]) -> tuple[Floats, Floats]:
    """Return the least and the greatest value of every variable; nothing lies between them where it has none."""
    low, high = np.array([one.extent for one in series]).reshape(-1, 2).T
    return low, high


# The groups that already have a representative, and the step that found it.

# The cost of a representative: its squared standardised distance from the operators' values.


_AT_A_TIME = 1 << 16  # members whose costs are computed together


class Costs:
    """Costs against `targets` (g x d): the operators' values, NaN where there is none to average.

    `limit[g]` is the cost of the group's nearest member plus a step of the grid: a representative that costs more is no
    better than an actual record.
    """

    def __init__(self, series: Sequence[Series], groups: Groups, targets: Points) -> None:
        self._targets = targets
        self._deviations = np.array([one.deviation for one in series])
        members = np.empty(len(groups.order))
        for start in range(0, len(members), _AT_A_TIME):
            rows = groups.order[start : start + _AT_A_TIME]
            values = np.column_stack([one.values[rows] for one in series])
            members[start : start + len(rows)] = self.of(values, groups.label[rows])
        steps = [float(one.grid.step or 0) / one.deviation for one in series]
        self.limit: Floats = np.minimum.reduceat(members, groups.starts) + sum(step**2 for step in steps) + 1e-9

    def of(self, values: Points, groups: Rows) -> Floats:
        """Return the cost of values (c x d), each row for its group; cells without a number cost nothing."""
        gaps = values / self._deviations - self._targets[groups] / self._deviations
        cost: Floats = np.nansum(gaps**2, axis=1)
        return cost


class _Waiting(NamedTuple):
    """A proposal that satisfies the rules: its cost, the candidates among which it has a row, and their step."""

    cost: float
    candidates: Candidates
    row: int
    step: ExactStep

    def candidate(self) -> Candidates:
        """Return the proposal alone."""
        return self.candidates.take(np.array([self.row]))


@dataclass(slots=True)
class Settlement:
    """`best` has a candidate per group; those of groups in `left` do not satisfy the rules yet.

    A proposal that is one of the `actual` records does not settle a group. The cheapest one of each group waits in case
    that nothing else satisfies its rules. The neighbours of such a group stay within the `ranges` of its members as
    long as others are found. One that leaves the range of a variable in the file is the very last resort, and only if
    it has no other sign than all values of the variable: less than none is impossible more often than more than most.
    """

    judge: BlockJudge
    costs: Costs
    best: Candidates
    left: Rows
    step: dict[int, ExactStep] = field(default_factory=dict)
    actual: ActualRecords | None = None
    ranges: tuple[Points, Points] | None = None
    _dear: dict[int, _Waiting] = field(default_factory=dict)
    _own: dict[int, _Waiting] = field(default_factory=dict)
    _far: dict[int, _Waiting] = field(default_factory=dict)
    _range: tuple[Floats, Floats] | None = None
    outside: set[int] = field(default_factory=set)

    @property
    def _copies_everything(self) -> bool:
        """Tell whether the plan takes every variable of the block from one record."""
        variables = self.judge.design.plan.variables
        return all(variable.traits.copies_a_record for variable in variables)

    def settle(self, proposed: Candidates, step: ExactStep, most_asked: int | None = None) -> None:
        """Keep the cheapest proposal of each group that passes; Saxon is asked of at most `most_asked` for each group.

        A proposal that costs more than an actual record is kept as a fallback.
        """
        passing = self._nobodys(proposed.take(np.flatnonzero(self.judge.passing(proposed, most_asked))), step)
        is_far = self._strays(passing, of_file=True)
        far = passing.take(np.flatnonzero(is_far))
        rows = np.flatnonzero(~self._changes_sign(far))
        self._remember(self._far, self.costs.of(far.values, far.group), far, rows, step)
        passing = passing.take(np.flatnonzero(~is_far))
        costs = self.costs.of(passing.values, passing.group)
        is_dear = (costs > self.costs.limit[passing.group]) | self._strays(passing)
        self._remember(self._dear, costs, passing, np.flatnonzero(is_dear), step)
        order = np.flatnonzero(~is_dear)[stable_order(costs[~is_dear])]
        groups, first = first_of_each(passing.group[order])
        self._keep(groups, passing.take(order[first]), step)

    def settle_at_last(self, proposed: Candidates, step: ExactStep = ExactStep.MEDOID) -> None:
        """Keep the first proposal of each group that passes, or its fallback if that costs no more."""
        passing = proposed.take(np.flatnonzero(self.judge.passing(proposed)))
        groups, first = first_of_each(passing.group)
        first_ones = passing.take(first)
        costs = self.costs.of(first_ones.values, groups)
        for place, group in enumerate(groups.tolist()):
            if group in self._dear and self._dear[group].cost <= costs[place]:
                self.settle_by_waiting(group)
            else:
                self._keep(np.array([group]), first_ones.take(np.array([place])), step)

    def settle_by_waiting(self, group: int) -> bool:
        """Keep the fallback of a group; tell whether there is one."""
        if group not in self._dear:
            return False
        waiting = self._dear[group]
        self._keep(np.array([group]), waiting.candidate(), waiting.step)
        return True

    def _nobodys(self, passing: Candidates, step: ExactStep) -> Candidates:
        """Return the candidates that are nobody's record; the cheapest other one of each group is remembered."""
        if self.actual is None:
            return passing
        is_own = self.actual.include(passing)
        own = passing.take(np.flatnonzero(is_own))
        self._remember(self._own, self.costs.of(own.values, own.group), own, np.arange(len(own)), step)
        return passing.take(np.flatnonzero(~is_own))

    def _strays(self, candidates: Candidates, *, of_file: bool = False) -> Flags:
        """Tell which candidates have left the range of their group, or `of_file`, only to be nobody's record."""
        is_met = np.isin(candidates.group, np.array(list(self._own), np.int64))
        if self.ranges is None or not is_met.any():
            return np.zeros(len(candidates), np.bool_)
        low, high = self._file_range() if of_file else (ends[candidates.group] for ends in self.ranges)
        return is_met & ((candidates.values < low) | (candidates.values > high)).any(axis=1)

    def _changes_sign(self, candidates: Candidates) -> Flags:
        """Tell which candidates have a negative number where no record has one, or a positive one."""
        low, high = self._file_range()
        changes = ((candidates.values < 0) & (low >= 0)) | ((candidates.values > 0) & (high <= 0))
        return np.asarray(changes.any(axis=1), np.bool_)

    def settle_outside(self, group: int) -> None:
        """Give a group the cheapest proposal outside the range of the file, if there is one."""
        if group in self._far:
            self.outside.add(group)
            self._keep(np.array([group]), self._far[group].candidate(), self._far[group].step)

    def _file_range(self) -> tuple[Floats, Floats]:
        if self._range is None:
            self._range = file_range(self.best.series)
        return self._range

    def settle_by_records(self) -> None:
        """Keep the remembered proposals that are actual records, where nothing else satisfied the rules so far."""
        for group in np.intersect1d(self.left, np.array(list(self._own), np.int64)).tolist():
            waiting = self._own[group]
            self._keep(np.array([group]), waiting.candidate(), waiting.step)

    def replace_record(self, moved: Candidates, step: ExactStep = ExactStep.MOVED_OFF) -> None:
        """Replace actual records by candidates that are nobody's, or by fallbacks that cost less."""
        for place, cost in enumerate(self.costs.of(moved.values, moved.group).tolist()):
            group = int(moved.group[place])
            if group in self._dear and self._dear[group].cost <= cost:
                self.settle_by_waiting(group)
            else:
                self._keep(moved.group[place : place + 1], moved.take(np.array([place])), step)

    @staticmethod
    def _remember(
        waiting: dict[int, _Waiting], costs: Floats, candidates: Candidates, rows: Rows, step: ExactStep
    ) -> None:
        """Let the cheapest of these candidates of each group wait, if none as cheap does; of equals, the first."""
        order = rows[stable_order(costs[rows])]
        groups, first = first_of_each(candidates.group[order])
        cheapest = candidates.take(order[first])
        for place, (group, cost) in enumerate(zip(groups.tolist(), costs[order[first]].tolist(), strict=True)):
            if group not in waiting or cost < waiting[group].cost:
                waiting[group] = _Waiting(cost, cheapest, place, step)

    def _keep(self, groups: Rows, candidates: Candidates, step: ExactStep) -> None:
        self.best.put(groups, candidates)
        is_record = candidates.are_records() & (step is ExactStep.ANCHORED or self._copies_everything)
        self.step.update(dict.fromkeys(groups.tolist(), step))
        self.step.update(dict.fromkeys(groups[is_record].tolist(), ExactStep.MEDOID))
        self.left = self.left[self.left != groups[0]] if len(groups) == 1 else self._without(groups)

    def _without(self, groups: Rows) -> Rows:
        """Return the groups that are left without these; their order stays, so that they need not be sorted again."""
        is_gone = np.zeros(len(self.best), np.bool_)
        is_gone[groups] = True
        return self.left[~is_gone[self.left]]
