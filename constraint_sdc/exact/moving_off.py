"""Moved off: values that start at somebody's record and move towards the group's mean, until they are nobody's record.

The start satisfies the rules. Every move is judged by the rules, so that the result satisfies them too; a move counts
if it leads away from actual records, or nearer to the mean. Variables move all together and one by one, with dependents
computed again. If that is not enough, members exchange values, the difference of two members is added (it keeps linear
equalities), and several variables that rules tie are moved by steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import floor, log10

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Points, Rows
from constraint_sdc.exact.actual_records import ActualRecords
from constraint_sdc.exact.candidates import Candidates, Deriver
from constraint_sdc.exact.settlement import BlockJudge, file_range
from constraint_sdc.plan.design import BlockDesign
from constraint_sdc.settings.words import Scale

_SHARES = (1.0, 0.9, 0.75, 0.5, 0.25, 0.125)  # of the way to the mean
_PASSES = 2  # over the variables, because a move may make room for another
_MEMBERS = 8  # of a group, whose values are exchanged
_STEPS = (1, 2, 3, 5, 8)  # of the grid
_PARTS = (0.01, 0.05, 0.25, 1.0)  # of a standard deviation
_MOST_TIED = 8  # variables of a rule that move together in pairs and triples
_MOST_AROUND = 600  # moves of one candidate in several variables
_MOST_ASKED = 24  # candidates of a group, per call, about which Saxon is asked
_FINE = 4  # digits below the standard deviation, for a step of a variable without a grid


@dataclass(frozen=True)
class MovingOff:
    """`goals` (g x d) are the means that numbers move to, NaN where there is none; `company` gives a group's members.

    Variables whose operator copies a whole record do not move; a number whose operator copies a value gets another one
    only where averaged variables alone cannot move.
    """

    design: BlockDesign
    stratum: tuple[int, ...]
    goals: Points
    judge: BlockJudge
    deriver: Deriver
    actual: ActualRecords
    company: Callable[[int], Rows]

    def moved(self, starts: Candidates) -> Candidates:
        """Return the candidates that moved until they are nobody's record; those that cannot are left out."""
        now = starts.take(np.arange(len(starts)))
        if not len(now):
            return now
        self._move_together(now)
        self._move_one_by_one(now)
        for how in (self._exchanged, self._shifted, self._stepped):
            own = np.flatnonzero(self.actual.include(now))
            for row in own.tolist():
                self._improve(now, *how(now, row))
            if len(own):
                freed = own[~self.actual.include(now.take(own))]
                nearer = now.take(freed)
                self._move_one_by_one(nearer)
                now.put(freed, nearer)
        return now.take(np.flatnonzero(~self.actual.include(now)))

    def _improve(self, now: Candidates, which: Rows, proposed: Candidates) -> None:
        """Replace candidates by their best proposals that satisfy the rules: away from records first, then nearer.

        Proposal p is for candidate `which[p]`.
        """
        if not len(which):
            return
        is_own, cost = self.actual.include(proposed), self._cost(proposed)
        was_own, before = self.actual.include(now)[which], self._cost(now)[which]
        is_better = (was_own & ~is_own) | ((was_own == is_own) & (cost < before - 1e-12))
        rows = np.flatnonzero(is_better & self._within(proposed, now, which))
        rows = rows[np.lexsort((cost[rows], is_own[rows]))]
        if not len(rows):
            return
        passing = rows[self.judge.passing(proposed.take(rows), _MOST_ASKED)]
        chosen, first = np.unique(which[passing], return_index=True)
        now.put(chosen, proposed.take(passing[first]))

    def _cost(self, candidates: Candidates) -> Floats:
        gaps = (candidates.values - self.goals[candidates.group]) / self._deviations
        cost: Floats = np.nansum(gaps**2, axis=1)
        return cost

    def _within(self, proposed: Candidates, now: Candidates, which: Rows) -> Flags:
        """Tell which proposals stay within the range that each variable has in the file."""
        before = now.values[which]
        low, high = self._range
        is_out = (proposed.values < np.fmin(low, before)) | (proposed.values > np.fmax(high, before))
        return np.asarray(~is_out.any(axis=1), np.bool_)

    @cached_property
    def _range(self) -> tuple[Floats, Floats]:
        return file_range(self.design.series)

    @cached_property
    def _deviations(self) -> Floats:
        return np.array([one.deviation for one in self.design.series])

    @property
    def _pinned(self) -> Flags:
        return np.array([variable.traits.copies_a_record for variable in self.design.plan.variables], np.bool_)

    @property
    def _numbers(self) -> Flags:
        is_number = np.array([one.scale is Scale.NUMERIC for one in self.design.series], np.bool_)
        return is_number & ~self._pinned

    @property
    def _averaged(self) -> Flags:
        is_average = np.array([variable.traits.is_average for variable in self.design.plan.variables], np.bool_)
        return self._numbers & is_average

    def _gaps(self, candidates: Candidates) -> Points:
        """Return how far averaged numbers are from their goals, in standard deviations; 0 where nothing moves."""
        gaps = np.abs(candidates.values - self.goals[candidates.group]) / self._deviations
        found: Points = np.where(self._averaged, np.nan_to_num(gaps), 0.0)
        return found

    # Towards the mean.

    def _move_together(self, now: Candidates) -> None:
        """Try shares of the way to the mean, in all variables."""
        everyone = np.arange(len(now))
        moves = np.tile(self._averaged, (len(now), 1))
        proposals = [self._towards(now, moves, share) for share in _SHARES]
        self._improve_also_derived(now, np.tile(everyone, len(proposals)), Candidates.joined(proposals), None)

    def _move_one_by_one(self, now: Candidates) -> None:
        """Move one variable after the other, first the one that is farthest from its mean."""
        for _ in range(_PASSES if len(now) else 0):
            gaps = self._gaps(now)
            order = np.argsort(-gaps, axis=1, kind="stable")
            for place in range(int((gaps > 0).sum(axis=1).max(initial=0))):
                rows = np.flatnonzero(np.take_along_axis(gaps, order, axis=1)[:, place] > 0)
                variable = order[rows, place]
                moves = np.zeros((len(rows), gaps.shape[1]), np.bool_)
                moves[np.arange(len(rows)), variable] = True
                some = now.take(rows)
                proposals = [self._towards(some, moves, share) for share in _SHARES]
                proposals.append(self._one_step(some, moves))
                which, moved = np.tile(rows, len(proposals)), np.tile(moves, (len(proposals), 1))
                self._improve_also_derived(now, which, Candidates.joined(proposals), moved)

    def _towards(self, candidates: Candidates, moves: Flags, share: float) -> Candidates:
        """Return candidates whose moving variables have gone a share of the way to their goals."""
        found, goals = candidates.take(np.arange(len(candidates))), self.goals[candidates.group]
        for j in np.flatnonzero(moves.any(axis=0)).tolist():
            rows = np.flatnonzero(moves[:, j] & np.isfinite(candidates.values[:, j]) & np.isfinite(goals[:, j]))
            between = (1.0 - share) * candidates.values[rows, j] + share * goals[rows, j]
            found.set_numbers(j, rows, self._short(j, between))
        return found

    def _short(self, j: int, numbers: Floats) -> Floats:
        """Return numbers of few digits for a variable without a grid: arithmetic with many digits may not be exact."""
        series = self.design.series[j]
        if series.grid.decimals is not None:
            return numbers
        return np.round(numbers, _FINE - floor(log10(series.deviation)))

    def _one_step(self, candidates: Candidates, moves: Flags) -> Candidates:
        """Return candidates whose moving variables have gone one step of the grid to their goals."""
        found, goals = candidates.take(np.arange(len(candidates))), self.goals[candidates.group]
        for j in np.flatnonzero(moves.any(axis=0)).tolist():
            rows = np.flatnonzero(moves[:, j] & np.isfinite(candidates.values[:, j]) & np.isfinite(goals[:, j]))
            here = candidates.values[rows, j]
            found.set_numbers(j, rows, here + np.sign(goals[rows, j] - here) * self._step(j))
        return found

    def _improve_also_derived(self, now: Candidates, which: Rows, proposed: Candidates, moved: Flags | None) -> None:
        """Improve by the proposals as they are, and with their dependents computed from what moved."""
        if not any(self.design.strata[number].derivations for number in set(self.stratum)):
            self._improve(now, which, proposed)
            return
        both = Candidates.joined([self._derived(proposed, moved), proposed])
        self._improve(now, np.tile(which, 2), both)

    def _derived(self, proposed: Candidates, moved: Flags | None) -> Candidates:
        """Return the proposals with dependents computed; what is blank, must not move or has just moved stays."""
        found = proposed.take(np.arange(len(proposed)))
        stratum = np.array(self.stratum, np.int64)[found.group]
        for number in np.unique(stratum).tolist():
            rows = np.flatnonzero(stratum == number)
            part = found.take(rows)
            self.deriver.derive(part, self.design.strata[number].derivations)
            found.put(rows, part)
        stays = np.isnan(proposed.values) | self._pinned
        if moved is not None:
            stays |= moved
        found.values[stays], found.texts[stays] = proposed.values[stays], proposed.texts[stays]
        found.states[stays], found.source[stays] = proposed.states[stays], proposed.source[stays]
        return found

    # Values of other members.

    def _exchanged(self, now: Candidates, row: int) -> tuple[Rows, Candidates]:
        """Return a candidate with values of other members: of one variable, or of all that a rule ties."""
        members = self.company(int(now.group[row]))[:_MEMBERS].tolist()
        parts = [(record, names) for record in members for names in self._exchangeable()]
        found = now.take(np.full(len(parts), row))
        for place, (record, variables) in enumerate(parts):
            for j in variables:
                found.copy_cells(j, np.array([place]), np.array([record]))
        both = Candidates.joined([found, self._derived(found, None)]) if len(found) else found
        return np.full(len(both), row), both

    def _exchangeable(self) -> list[tuple[int, ...]]:
        width, pinned = range(len(self.design.series)), self._pinned
        sets: list[tuple[int, ...]] = [(j,) for j in width if not pinned[j]]
        sets += [tied for tied in self._tied() if 1 < len(tied) < len(width) and not pinned[list(tied)].any()]
        return list(dict.fromkeys(sets))

    def _tied(self) -> Iterator[tuple[int, ...]]:
        """Yield the block's variables of every rule."""
        for rule in self.design.rules:
            names = self.judge.variables(rule.id)
            yield tuple(j for j, one in enumerate(self.design.series) if one.name in names)

    # Differences of two members.

    def _shifted(self, now: Candidates, row: int) -> tuple[Rows, Candidates]:
        """Return a candidate plus differences of two members: equalities that all three satisfy still hold."""
        members = self.company(int(now.group[row]))[:_MEMBERS]
        values = np.array([one.values[members] for one in self.design.series]).T
        one, other = (places.ravel() for places in np.indices((len(members), len(members))))
        shifts = np.nan_to_num(values[one] - values[other])[one != other]
        shifts = np.concatenate([share * shifts for share in (1.0, 0.5)])
        found = now.take(np.full(len(shifts), row))
        for j in np.flatnonzero(self._numbers & np.isfinite(now.values[row])).tolist():
            rows = np.flatnonzero(shifts[:, j])
            found.set_numbers(j, rows, now.values[row, j] + shifts[rows, j])
        both = Candidates.joined([found, self._derived(found, None)]) if len(found) else found
        return np.full(len(both), row), both

    # Steps of several variables.

    def _stepped(self, now: Candidates, row: int) -> tuple[Rows, Candidates]:
        """Return a candidate moved by steps of one variable, and of two or three that a rule ties."""
        free = self._numbers & np.isfinite(now.values[row])
        moves = _first(self._steps(free), _MOST_AROUND)
        found = now.take(np.full(len(moves), row))
        for j in range(len(self.design.series)):
            rows = np.array([place for place, move in enumerate(moves) if j in move], np.int64)
            if len(rows):
                steps = np.array([moves[place][j] for place in rows.tolist()])
                found.set_numbers(j, rows, now.values[row, j] + steps)
        both = Candidates.joined([found, self._derived(found, None)]) if len(found) else found
        return np.full(len(both), row), both

    def _steps(self, free: Flags) -> Iterator[dict[int, float]]:
        variables = np.flatnonzero(free).tolist()
        for j in variables:
            for size in self._sizes(j):
                yield {j: size}
                yield {j: -size}
        tied = [[j for j in part if free[j]][:_MOST_TIED] for part in self._tied()]
        for count in (2, 3):
            groups = dict.fromkeys(some for part in tied for some in combinations(part, count))
            for some in groups:
                for signs in product((1.0, -1.0), repeat=count):
                    for size in self._sizes(some[0])[: 9 if count == 2 else 2]:
                        yield {j: sign * size for j, sign in zip(some, signs, strict=True)}

    def _sizes(self, j: int) -> list[float]:
        step, deviation = self._step(j), self.design.series[j].deviation
        parts = [round(part * deviation / step) for part in _PARTS]
        return [step * count for count in dict.fromkeys((*_STEPS, *(count for count in parts if count > 0)))]

    def _step(self, j: int) -> float:
        series = self.design.series[j]
        return float(series.grid.step or 10.0 ** (floor(log10(series.deviation)) - _FINE))


def _first(moves: Iterable[dict[int, float]], most: int) -> list[dict[int, float]]:
    return [move for move, _ in zip(moves, range(most), strict=False)]
