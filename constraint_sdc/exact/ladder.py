"""The exact step: a representative of every group, on the grid and within every rule, by the first step that works.

Each step proposes representatives for the groups that still fail, and the rules' own expressions judge the texts that
would be written. The steps are: rounded, derived, nudged, repaired, anchored, medoid. A step runs for all remaining
groups together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import CannotShareError
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates, Deriver
from constraint_sdc.exact.conflict import find_conflict, most_candidates
from constraint_sdc.exact.nudge import Polisher, move, moves, shorten
from constraint_sdc.exact.repair import PROPOSALS, Repairer
from constraint_sdc.exact.settlement import BlockJudge, Costs, Settlement
from constraint_sdc.plan.design import BlockDesign, Derivation
from constraint_sdc.plan.plan import ExactStep

_ROUNDS = (12, 36, 72, 120)  # numbers of moves tried per round, nearest first
_MOST_PROGRAMMES = 2_000  # limit per block; every group gets a first proposal
_ANCHORS = 3  # members tried as anchors
_WAYS = (0.125, 0.25, 0.5, 0.75, 0.9)  # shares of the distance to a substitute
_STRANGERS = (60, 600, 6_000)  # records of other groups tried as the last resort, nearest first, in rounds


@dataclass(frozen=True, slots=True)
class Representatives:
    """One candidate per group, in the order of the groups, and the step that each took."""

    candidates: Candidates
    step: tuple[ExactStep, ...]


@dataclass(slots=True)
class Ladder:
    """The groups of one block and the steps that they go through.

    `targets` (g x d) are the operators' values, NaN where there is none to average; `copied` (g x d) the record from
    which a cell is copied, or NOT_COPIED. `mixed` groups have members with different blanks: only an actual record can
    represent them. `points` are the block's standardised records.

    If every record gets its own values, a group is one record and must not be represented by itself: `company` has the
    records that may replace it, nearest first, and `substitutes` (one for every group) are tried first.
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
    _rounded: Candidates = field(init=False)
    _settled: Settlement = field(init=False)

    def climb_down(self) -> Representatives:
        """Return a representative for every group; raise an error if no actual record satisfies a group's rules."""
        return self.continue_from(self.rounded(), {}, np.arange(len(self.groups)))

    def continue_from(self, best: Candidates, step: dict[int, ExactStep], left: Rows) -> Representatives:
        """Return a representative for every group; all groups except those `left` already have theirs in `best`."""
        costs = Costs(self.design.series, self.groups, self.targets)
        self._rounded = best.take(np.arange(len(best)))
        averaged = np.setdiff1d(left, self.mixed)
        self._settled = Settlement(self.judge, costs, best, averaged, dict(step))
        self._settled.settle(self._rounded.take(averaged), ExactStep.ROUNDED)
        self._derive(Polisher(self.design, self.deriver, costs))
        self._nudge()
        if self.substitutes is None:
            self._repair()
        else:
            self._draw_in(self.substitutes)
        self._anchor()
        self._settled.left = np.union1d(self._settled.left, np.intersect1d(left, self.mixed))
        self._take_records()
        steps = tuple(self._settled.step[group] for group in range(len(self.groups)))
        return Representatives(self._settled.best, steps)

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
        strata = np.array(self.stratum, np.int64)
        left = self._settled.left
        for number in np.unique(strata[left]).tolist():
            yield self.design.strata[number].derivations, left[strata[left] == number]

    def _derive(self, polisher: Polisher) -> None:
        for derivations, groups in self._left():
            if derivations:
                proposed = self._rounded.take(groups)
                self.deriver.derive(proposed, derivations)
                every = list(polisher.polished(proposed, derivations))
                self._settled.settle(Candidates.joined(every), ExactStep.DERIVED)

    def _nudge(self) -> None:
        for derivations, groups in self._left():
            free = self._free(derivations, groups)
            doubles = [j for j in free if self.design.series[j].grid.decimals is None]
            for proposed in shorten(self._rounded.take(groups), doubles):
                self._derive_and_settle(proposed, derivations, ExactStep.NUDGED)
            every = moves([j for j in free if j not in doubles], len(self.design.series))
            for some in np.split(every, np.cumsum(_ROUNDS)):
                still = np.intersect1d(groups, self._settled.left)
                proposed = self._rounded.take(np.tile(still, len(some)))
                move(proposed, np.repeat(some, len(still), axis=0))
                self._derive_and_settle(proposed, derivations, ExactStep.NUDGED)

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

    def _derive_and_settle(self, proposed: Candidates, derivations: tuple[Derivation, ...], step: ExactStep) -> None:
        if len(proposed):
            self.deriver.derive(proposed, derivations)
            self._settled.settle(proposed, step)

    def _repair(self) -> None:
        members = {group: self._ranking(group) for group in self._settled.left.tolist()}
        repairer = Repairer(self.design, self.stratum, self.targets, members)
        for number in range(len(PROPOSALS)):
            if number and number * len(members) > _MOST_PROGRAMMES:
                return
            for derivations, groups in self._left():
                proposed = repairer.propose(self._rounded.take(groups), number)
                as_solved = proposed.take(np.arange(len(proposed)))
                self._derive_and_settle(proposed, derivations, ExactStep.REPAIRED)
                open_ = np.flatnonzero(np.isin(as_solved.group, self._settled.left))
                self._settled.settle(as_solved.take(open_), ExactStep.REPAIRED)

    def _draw_in(self, substitutes: Candidates) -> None:
        """Move numbers towards the substitute, which satisfies the rules: a convex rule holds close enough to it.

        For single records this replaces the repair, which would solve a programme for each of them.
        """
        free = [j for j, variable in enumerate(self.design.plan.variables) if variable.traits.is_average]
        for part in _WAYS:
            for derivations, groups in self._left():
                proposed, goal = self._rounded.take(groups), substitutes.values[groups]
                for j in free:
                    rows = np.flatnonzero(np.isfinite(goal[:, j]) & (proposed.source[:, j] == NOT_COPIED))
                    between = (1.0 - part) * proposed.values[rows, j] + part * goal[rows, j]
                    proposed.set_numbers(j, rows, between)
                self._derive_and_settle(proposed, derivations, ExactStep.DRAWN_IN)

    def _anchor(self) -> None:
        """Copy the variables of failing rules from a member; repeat for rules that then fail, until none fails."""
        for rank in range(_ANCHORS):
            for derivations, left in self._left():
                rankings = {group: self._ranking(group) for group in left.tolist()}
                groups = np.array([group for group, members in rankings.items() if len(members)], np.int64)
                proposed = self._rounded.take(groups)
                self.deriver.derive(proposed, derivations)
                ranked = [rankings[group] for group in groups.tolist()]
                records = np.array([members[min(rank, len(members) - 1)] for members in ranked], np.int64)
                for _ in self.design.rules:
                    self._copy_failing(proposed, records, derivations)
                    self._settled.settle(proposed, ExactStep.ANCHORED)

    def _copy_failing(self, proposed: Candidates, records: Rows, derivations: tuple[Derivation, ...]) -> None:
        """Copy the variables that failing rules read, and derive the others again; copied variables are not derived."""
        failing = ~self.judge.verdicts(proposed)
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
        for turn in range(max(map(len, rankings.values()), default=0)):
            groups = [group for group in self._settled.left.tolist() if turn < len(rankings[group])]
            records = np.array([rankings[group][turn] for group in groups], np.int64)
            self._settled.settle_at_last(self._copies(np.array(groups, np.int64), records))
        for group in self._settled.left.tolist():
            if not self._settled.settle_by_waiting(group):
                self._take_stranger(group)

    def _take_stranger(self, group: int) -> None:
        """Try the nearest records of other groups, because every rule must hold."""
        rows = self.groups.rows(group)
        gaps = ((self.points - self.points[rows].mean(axis=0)) ** 2).sum(axis=1)
        if self.company is not None:
            gaps[rows] = np.inf
        nearest = np.argsort(gaps, kind="stable")[: min(sum(_STRANGERS), int(np.isfinite(gaps).sum()))]
        for some in np.split(nearest, np.cumsum(_STRANGERS)[:-1]):
            self._settled.settle_at_last(self._copies(np.full(len(some), group), some))
            if group not in self._settled.left:
                return
        asked = nearest[: most_candidates(len(rows))]
        conflict = find_conflict(self.judge, group, self._copies(np.full(len(asked), group), asked), asked)
        raise CannotShareError("records cannot share values", others=self.design.others, conflict=conflict)

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
        blanks = np.array([series.blank[rows] for series in self.design.series])
        _, pattern, counts = np.unique(blanks, axis=1, return_inverse=True, return_counts=True)
        return rows[np.lexsort((gaps, (blanks != 0).sum(axis=0), -counts[pattern.ravel()]))]


def count_steps(step: tuple[ExactStep, ...]) -> Mapping[ExactStep, int]:
    """Return how many groups took each step, steps in order."""
    return {kind: step.count(kind) for kind in ExactStep if kind in step}
