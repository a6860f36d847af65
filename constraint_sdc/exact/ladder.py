"""The exact step: a representative of every group, on the grid and within every rule, by the first step that works.

Each step proposes representatives for the groups that still fail, and the rules' own expressions judge the texts that
would be written. The steps are: rounded, derived, nudged, repaired, anchored, medoid. A step runs for all remaining
groups together. With `actual` records given, a representative that is one of them is moved off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TypeVar

import numpy as np

from constraint_sdc.arrays import Flags, Moves, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import CannotShareError
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates, Deriver
from constraint_sdc.exact.conflict import find_conflict, most_candidates
from constraint_sdc.exact.moving_off import MovingOff
from constraint_sdc.exact.nudge import Polisher, move, moves, shorten
from constraint_sdc.exact.repair import PROPOSALS, Repairer
from constraint_sdc.exact.settlement import BlockJudge, Costs, Settlement
from constraint_sdc.plan.design import BlockDesign, Derivation
from constraint_sdc.plan.plan import ExactStep
from constraint_sdc.plan.rule_facts import AtomTruth
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_ROUNDS = (12, 36, 72, 120)  # numbers of moves tried per round, nearest first
_MOST_ASKED = 24  # neighbours of a group, per round, about which Saxon is asked
_MOST_PROGRAMMES = 2_000  # limit per block; every group gets a first proposal
_ANCHORS = 3  # members tried as anchors
_WAYS = (0.125, 0.25, 0.5, 0.75, 0.9)  # shares of the distance to a substitute
_TOGETHER = 32  # groups that look for other records at the same time
_STARTS = 6  # members from which a representative is moved off
_STRANGERS = (60, 600, 6_000)  # records of other groups tried as the last resort, nearest first, in rounds


STRANGERS = sum(_STRANGERS)
"""Records of other groups that are tried for a group, at most."""


class StrangersNeededError(Exception):
    """Records that are near to some groups of a run are needed, but not at hand; no user ever sees this."""

    def __init__(self, groups: frozenset[int]) -> None:
        super().__init__(groups)
        self.groups = groups


@dataclass(frozen=True, slots=True)
class Representatives:
    """One candidate per group, in the order of the groups, and the step that each took.

    `outside` counts groups whose values left the range of the file because all others were records' own.
    """

    candidates: Candidates
    step: tuple[ExactStep, ...]
    outside: int = 0

    def notes(self) -> tuple[Reason, ...]:
        """Return what must be told of these values."""
        return (because("outside-range", groups=self.outside),) if self.outside else ()


@dataclass(frozen=True, slots=True)
class _Nudged:
    """The remaining groups of a stratum, and which variables move."""

    derivations: tuple[Derivation, ...]
    groups: Rows
    free: list[int]


@dataclass(frozen=True, slots=True)
class _Anchored:
    """A proposal for each remaining group of a stratum, and the record from which variables are copied."""

    derivations: tuple[Derivation, ...]
    proposed: Candidates
    records: Rows


_Part = TypeVar("_Part")


@dataclass(slots=True)
class Ladder:
    """The groups of one block and the steps that they go through.

    `targets` (g x d) are the operators' values, NaN where there is none to average; `copied` (g x d) the record from
    which a cell is copied, or NOT_COPIED. `mixed` groups have members with different blanks: only an actual record can
    represent them. `points` are the block's standardised records.

    If every record gets its own values, a group is one record and must not be represented by itself: `company` has the
    records that may replace it, nearest first, and `substitutes` (one for every group) are tried first.

    `actual` are the original records that must not represent a group, None if they may. `saxon_judge` asks Saxon also
    about rules that the evaluator takes, for values by which it cannot judge.

    The groups may be a run of those of a block, from number `first_group` on. Then the records are theirs, and after
    them those that are near to the groups `has_strangers_of`; None if all records of the block are at hand.
    """

    design: BlockDesign
    groups: Groups
    stratum: tuple[int, ...]
    targets: Points
    copied: Rows
    mixed: Rows
    points: Points
    judge: BlockJudge
    deriver: Deriver
    company: Callable[[int], Rows] | None = None
    substitutes: Candidates | None = None
    actual: ActualRecords | None = None
    saxon_judge: BlockJudge | None = None
    first_group: int = 0
    has_strangers_of: frozenset[int] | None = None
    _rounded: Candidates = field(init=False)
    _settled: Settlement = field(init=False)
    _has_blanks: bool = field(init=False)
    _strata: Rows = field(init=False)

    def __post_init__(self) -> None:
        """Look for blanks once: without them the members of a group are ranked by distance alone."""
        self._strata = np.array(self.stratum, np.int64)
        self._has_blanks = any(bool(series.is_blank.any()) for series in self.design.series)

    def climb_down(self) -> Representatives:
        """Return a representative for every group; raise an error if no actual record satisfies a group's rules."""
        return self.continue_from(self.rounded(), {}, np.arange(len(self.groups)))

    def continue_from(self, best: Candidates, step: dict[int, ExactStep], left: Rows) -> Representatives:
        """Return a representative for every group; all groups except those `left` already have theirs in `best`."""
        costs = Costs(self.design.series, self.groups, self.targets)
        self._rounded = best.take(np.arange(len(best)))
        averaged = np.setdiff1d(left, self.mixed)
        ranges = None if self.company is not None else self._ranges()
        self._settled = Settlement(self.judge, costs, best, averaged, dict(step), self.actual, ranges)
        self._settled.settle(self._rounded.take(averaged), ExactStep.ROUNDED)
        self._derive(Polisher(self.design, self.deriver, costs))
        self._nudge()
        if self.substitutes is None:
            self._repair()
        else:
            self._draw_in(self.substitutes)
        self._anchor()
        self._settled.left = np.union1d(self._settled.left, np.intersect1d(left, self.mixed))
        self._settled.settle_by_records()
        self._take_records()
        self._move_off(left)
        steps = tuple(map(self._settled.step.__getitem__, range(len(self.groups))))
        return Representatives(self._settled.best, steps, len(self._settled.outside))

    def _ranges(self) -> tuple[Points, Points]:
        """Return the least and the greatest value of every variable in every group, NaN where it has none."""
        low, high = np.empty((2, len(self.groups), len(self.design.series)))
        for j, series in enumerate(self.design.series):
            values = series.values[self.groups.order]
            low[:, j], high[:, j] = (f.reduceat(values, self.groups.starts) for f in (np.fmin, np.fmax))
        return low, high

    def rounded(self) -> Candidates:
        """Return the operators' values on the grid for every group."""
        candidates = Candidates.blank(self.design.series, np.arange(len(self.groups)))
        for variable in range(len(self.design.series)):
            rows = np.flatnonzero(self.copied[:, variable] != NOT_COPIED)
            candidates.copy_cells(variable, rows, self.copied[rows, variable])
            is_target = (self.copied[:, variable] == NOT_COPIED) & np.isfinite(self.targets[:, variable])
            rows = np.flatnonzero(is_target)
            candidates.set_numbers(variable, rows, self.targets[rows, variable])
        return candidates

    def _left(self) -> Iterator[tuple[tuple[Derivation, ...], Rows]]:
        """Yield the remaining groups, stratum by stratum, with the stratum's derivations."""
        strata, left = self._strata, self._settled.left
        for number in np.unique(strata[left]).tolist():
            yield self.design.strata[number].derivations, left[strata[left] == number]

    def _derive(self, polisher: Polisher) -> None:
        proposals: list[Candidates] = []
        for derivations, groups in self._left():
            if derivations:
                proposed = self._rounded.take(groups)
                self.deriver.derive(proposed, derivations)
                proposals.append(Candidates.joined(list(polisher.polished(proposed, derivations))))
        self._settle(proposals, ExactStep.DERIVED)

    def _nudge(self) -> None:
        """Try the neighbours of all strata in rounds: doubles of few digits first, then moves on the grid."""
        parts = [_Nudged(derivations, groups, self._free(derivations, groups)) for derivations, groups in self._left()]
        doubles = [[j for j in part.free if self.design.series[j].grid.decimals is None] for part in parts]
        shortened = [shorten(self._rounded.take(part.groups), free) for part, free in zip(parts, doubles, strict=True)]
        for each in zip_longest(*shortened):
            self._derive_and_settle(
                [(part.derivations, one) for part, one in zip(parts, each, strict=True) if one is not None],
                ExactStep.NUDGED,
            )
        width = len(self.design.series)
        ways = [
            np.split(moves([j for j in part.free if j not in free], width), np.cumsum(_ROUNDS))
            for part, free in zip(parts, doubles, strict=True)
        ]
        for some in zip(*ways, strict=True):
            self._derive_and_settle(
                [(part.derivations, self._moved(part.groups, move)) for part, move in zip(parts, some, strict=True)],
                ExactStep.NUDGED,
            )

    def _moved(self, groups: Rows, some: Moves) -> Candidates:
        """Return the groups among these that still fail, moved in every one of some ways."""
        still = np.intersect1d(groups, self._settled.left)
        proposed = self._rounded.take(np.tile(still, len(some)))
        move(proposed, np.repeat(some, len(still), axis=0))
        return proposed

    def _free(self, derivations: tuple[Derivation, ...], groups: Rows) -> list[int]:
        """Return the averaged variables that are not derived."""
        derived = {derivation.variable for derivation in derivations}
        return [
            j
            for j, variable in enumerate(self.design.plan.variables)
            if variable.traits.is_average
            and variable.name not in derived
            and np.isfinite(self.targets[groups, j]).all()
        ]

    def _derive_and_settle(
        self, proposals: Sequence[tuple[tuple[Derivation, ...], Candidates]], step: ExactStep
    ) -> None:
        for derivations, proposed in proposals:
            if len(proposed):
                self.deriver.derive(proposed, derivations)
        self._settle([proposed for _, proposed in proposals], step)

    def _settle(self, proposals: Sequence[Candidates], step: ExactStep) -> None:
        """Settle the proposals of all strata, together if Saxon is asked about them."""
        most_asked = _MOST_ASKED if step is ExactStep.NUDGED else None
        for part in self._batches([proposed for proposed in proposals if len(proposed)]):
            self._settled.settle(Candidates.joined(part), step, most_asked)

    def _batches(self, parts: list[_Part]) -> list[list[_Part]]:
        """Return what is judged at a time: everything if Saxon is asked, else one part after the other.

        The evaluator has one scale for the decimals of a batch: a larger batch may need more digits than it has.
        """
        return [parts] if self.design.asking_saxon and parts else [[part] for part in parts]

    def _repair(self) -> None:
        members = {group: self._ranking(group) for group in self._settled.left.tolist()}
        truth = AtomTruth(self.judge.table, self.deriver.domains)
        repairer = Repairer(self.design, self.stratum, self.targets, members, truth, self.first_group)
        for number in range(len(PROPOSALS)):
            if number and number * len(members) > _MOST_PROGRAMMES:
                return
            proposals = [
                (derivations, repairer.propose(self._rounded.take(self._repairable(groups, number)), number))
                for derivations, groups in self._left()
            ]
            as_solved = [proposed.take(np.arange(len(proposed))) for _, proposed in proposals]
            self._derive_and_settle(proposals, ExactStep.REPAIRED)
            open_ = [np.flatnonzero(np.isin(proposed.group, self._settled.left)) for proposed in as_solved]
            self._settle([one.take(rows) for one, rows in zip(as_solved, open_, strict=True)], ExactStep.REPAIRED)

    def _repairable(self, groups: Rows, number: int) -> Rows:
        """Return the groups for which a further programme is worth its time: it knows nothing of what Saxon judges."""
        return np.setdiff1d(groups, np.array(sorted(self.judge.turned_down), np.int64)) if number else groups

    def _draw_in(self, substitutes: Candidates) -> None:
        """Move numbers towards the substitute, which satisfies the rules: a convex rule holds close enough to it.

        For single records this replaces the repair, which would solve a programme for each of them.
        """
        free = [j for j, variable in enumerate(self.design.plan.variables) if variable.traits.is_average]
        for part in _WAYS:
            proposals = []
            for derivations, groups in self._left():
                proposed, goal = self._rounded.take(groups), substitutes.values[groups]
                for j in free:
                    rows = np.flatnonzero(np.isfinite(goal[:, j]) & (proposed.source[:, j] == NOT_COPIED))
                    between = (1.0 - part) * proposed.values[rows, j] + part * goal[rows, j]
                    proposed.set_numbers(j, rows, between)
                proposals.append((derivations, proposed))
            self._derive_and_settle(proposals, ExactStep.DRAWN_IN)

    def _anchor(self) -> None:
        """Copy the variables of failing rules from a member; repeat for rules that then fail, until none fails."""
        for rank in range(_ANCHORS):
            parts = [self._anchored(derivations, left, rank) for derivations, left in self._left()]
            for _ in self.design.rules:
                if not parts:
                    break
                for some in self._batches(parts):
                    self._copy_failing(some)
                self._settle([part.proposed for part in parts], ExactStep.ANCHORED)
                parts = [part for part in parts if np.isin(part.proposed.group, self._settled.left).any()]

    def _anchored(self, derivations: tuple[Derivation, ...], left: Rows, rank: int) -> _Anchored:
        rankings = {group: self._ranking(group) for group in left.tolist()}
        groups = np.array([group for group, members in rankings.items() if len(members)], np.int64)
        proposed = self._rounded.take(groups)
        self.deriver.derive(proposed, derivations)
        ranked = [rankings[group] for group in groups.tolist()]
        records = np.array([members[min(rank, len(members) - 1)] for members in ranked], np.int64)
        return _Anchored(derivations, proposed, records)

    def _copy_failing(self, parts: Sequence[_Anchored]) -> None:
        """Copy the variables that failing rules read, and derive the others again; copied variables are not derived."""
        failing = ~self.judge.verdicts(Candidates.joined([part.proposed for part in parts]))
        ends = np.cumsum([len(part.proposed) for part in parts])
        for part, its in zip(parts, np.split(failing, ends[:-1]), strict=True):
            self._copy(part.proposed, its, part.records, part.derivations)

    def _copy(self, proposed: Candidates, failing: Flags, records: Rows, derivations: tuple[Derivation, ...]) -> None:
        for j, series in enumerate(self.design.series):
            reads = np.array([series.name in self.judge.variables(rule.id) for rule in self.design.rules], np.bool_)
            rows = np.flatnonzero(failing[:, reads].any(axis=1))
            proposed.copy_cells(j, rows, records[rows])
        anchors = proposed.source.copy()
        self.deriver.derive(proposed, derivations)
        for j in range(len(self.design.series)):
            rows = np.flatnonzero(anchors[:, j] != NOT_COPIED)
            proposed.copy_cells(j, rows, anchors[rows, j])

    def _take_records(self) -> None:
        """Try the members of each group, nearest to its mean first; then other records of the file."""
        if self.substitutes is not None:
            self._settled.settle_at_last(self.substitutes.take(self._settled.left), ExactStep.SHARED)
        rankings = {group: self._ranking(group) for group in self._settled.left.tolist()}
        first, count = 0, 1
        while len(self._settled.left) and first < max(map(len, rankings.values()), default=0):
            chosen = {group: rankings[group][first : first + count] for group in self._settled.left.tolist()}
            self._take_first(chosen)
            first, count = first + count, 2 * count if self.design.asking_saxon else 1
        for group in self._settled.left.tolist():
            self._settled.settle_by_waiting(group)
        self._take_strangers()

    def _move_off(self, left: Rows) -> None:
        """Move representatives that are actual records towards the mean of their group, until they are nobody's.

        They start where they are; if that fails, at other members; then Saxon is asked about candidates by which the
        evaluator cannot judge. The last resorts are what k records of the file share, and what lies outside the range
        of the file. A block that the plan copies whole does not move.
        """
        if self.actual is None or all(variable.traits.copies_a_record for variable in self.design.plan.variables):
            return
        left = left[self.actual.include(self._settled.best.take(left))]
        for judge in (self.judge, self.saxon_judge):
            if judge is not None and len(left):
                left = self._moved_off(left, judge, self.actual)
        stubborn = [group for group in left.tolist() if not self._settled.settle_by_waiting(group)]
        self._require_strangers(stubborn)
        for group in stubborn:
            if not self._take_shared(group, self.actual):
                self._settled.settle_outside(group)

    def _moved_off(self, left: Rows, judge: BlockJudge, actual: ActualRecords) -> Rows:
        """Move off the representatives of some groups; return the groups where that fails."""
        moving = MovingOff(self.design, self.stratum, self._goals(), judge, self.deriver, actual, self._ranking)
        for rank in range(_STARTS + 1):
            starts = self._settled.best.take(left) if rank == 0 else self._members_as_starts(left, rank - 1)
            self._settled.replace_record(moving.moved(starts))
            left = left[actual.include(self._settled.best.take(left))]
            if not len(left):
                break
        return left

    def _take_shared(self, group: int, actual: ActualRecords) -> bool:
        """Give a group the nearest values that k records share and its rules allow; tell if there are any."""
        copies = self._copies_of_nearest(group)
        shared = copies.take(np.flatnonzero(~actual.include(copies))[: sum(_STRANGERS[:1])])
        passing = np.flatnonzero(self.judge.passing(shared))
        if len(passing):
            self._settled.replace_record(shared.take(passing[:1]), ExactStep.MEDOID)
        return bool(len(passing))

    def _copies_of_nearest(self, group: int) -> Candidates:
        nearest = self._nearest(group)[: sum(_STRANGERS[:2])]
        return self._copies(np.full(len(nearest), group), nearest)

    def _members_as_starts(self, groups: Rows, rank: int) -> Candidates:
        rankings = {group: self._ranking(group) for group in groups.tolist()}
        chosen = {group: int(members[rank]) for group, members in rankings.items() if rank < len(members)}
        copies = self._copies(np.array(list(chosen), np.int64), np.array(list(chosen.values()), np.int64))
        return copies.take(np.flatnonzero(self.judge.passing(copies)))

    def _goals(self) -> Points:
        """Return the operators' numbers; where there is none, the mean of the members that have a value."""
        values = np.array([one.values[self.groups.order] for one in self.design.series]).T
        present = np.isfinite(values)
        total = np.add.reduceat(np.where(present, values, 0.0), self.groups.starts)
        count = np.add.reduceat(present.astype(np.int64), self.groups.starts)
        means = np.where(count > 0, total / np.maximum(count, 1), np.nan)
        is_number = np.array([one.scale is Scale.NUMERIC for one in self.design.series], np.bool_)
        return np.where(np.isfinite(self.targets), self.targets, np.where(is_number, means, np.nan))

    def _take_first(self, chosen: Mapping[int, Rows]) -> None:
        """Give each group the first of the records chosen for it that satisfies its rules."""
        groups = np.repeat(np.array(list(chosen), np.int64), [len(records) for records in chosen.values()])
        records = np.concatenate([np.zeros(0, np.int64), *chosen.values()])
        self._settled.settle_at_last(self._copies(groups, records))

    def _take_strangers(self) -> None:
        """Try the nearest records of other groups, because every rule must hold.

        If Saxon is asked, some groups take the first rounds together, and the last one each alone, because it is long.
        The first group without a record ends the masking.
        """
        left, size = self._settled.left, _TOGETHER if self.design.asking_saxon else 1
        self._require_strangers(left.tolist())
        for some in np.split(left, np.arange(size, len(left), size)):
            nearest = {group: self._nearest(group) for group in some.tolist()}
            start = 0
            for count in _STRANGERS[:-1]:
                failing = np.intersect1d(some, self._settled.left).tolist()
                self._take_first({group: nearest[group][start : start + count] for group in failing})
                start += count
            for group in np.intersect1d(some, self._settled.left).tolist():
                self._take_first({group: nearest[group][start:]})
                if group in self._settled.left:
                    raise self._no_record(group, nearest[group])

    def _require_strangers(self, groups: list[int]) -> None:
        """Raise StrangersNeededError if the records that are near to some of these groups are not at hand."""
        if self.has_strangers_of is not None and (missing := set(groups) - self.has_strangers_of):
            raise StrangersNeededError(frozenset(missing))

    def _nearest(self, group: int) -> Rows:
        """Return the records of the file that are nearest to a group."""
        rows = self.groups.rows(group)
        gaps = ((self.points - self.points[rows].mean(axis=0)) ** 2).sum(axis=1)
        if self.company is not None:
            gaps[rows] = np.inf
        return np.argsort(gaps, kind="stable")[: min(STRANGERS, int(np.isfinite(gaps).sum()))]

    def _no_record(self, group: int, nearest: Rows) -> CannotShareError:
        asked = nearest[: most_candidates(len(self.groups.rows(group)))]
        conflict = find_conflict(self.judge, group, self._copies(np.full(len(asked), group), asked), asked)
        return CannotShareError("records cannot share values", others=self.design.others, conflict=conflict)

    def _copies(self, groups: Rows, records: Rows) -> Candidates:
        copies = Candidates.blank(self.design.series, groups)
        copies.copy_records(records)
        return copies

    def _ranking(self, group: int) -> Rows:
        """Return a group's members: the most common pattern of blanks first, then the nearest to the mean."""
        if self.company is not None:
            return self.company(group)
        rows = self.groups.rows(group)
        points = self.points[rows]
        gaps = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        if not self._has_blanks:
            return rows[np.argsort(gaps, kind="stable")]
        blanks = np.array([series.blank[rows] for series in self.design.series])
        _, pattern, counts = np.unique(blanks, axis=1, return_inverse=True, return_counts=True)
        return rows[np.lexsort((gaps, (blanks != 0).sum(axis=0), -counts[pattern.ravel()]))]


def count_steps(step: tuple[ExactStep, ...]) -> Mapping[ExactStep, int]:
    """Return how many groups took each step, steps in order."""
    return {kind: step.count(kind) for kind in ExactStep if kind in step}
