"""The exact step: every group's representative on its grid, satisfying every rule, by the cheapest step that does it.

Rounded, derived, nudged, repaired, and at last a medoid: each step takes the groups that still fail, proposes, and lets
the rules' own expressions judge what would be written. The first four are vectorised over all groups that are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from constraint_sdc.errors import CannotShareError
from constraint_sdc.exact.block_judge import BlockJudge
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates
from constraint_sdc.exact.derived import Deriver
from constraint_sdc.exact.nudge import move, moves, shorten
from constraint_sdc.exact.repair import PROPOSALS, Repairer
from constraint_sdc.model.design import BlockDesign, Derivation
from constraint_sdc.model.expression import Arithmetic, Expression, variables_of, walk
from constraint_sdc.model.groups import Groups, Points, Rows
from constraint_sdc.model.plan import Step
from constraint_sdc.model.policy import OperatorName

_AVERAGED = (OperatorName.ARITHMETIC_MEAN, OperatorName.GEOMETRIC_MEAN)
_ROUNDS = (12, 36, 72)
_STRANGERS = 60
_ANCHORS = 3
_REACH = 0.05


@dataclass(frozen=True, slots=True)
class Representatives:
    """One candidate per group, in the order of the groups, and the step that each took."""

    candidates: Candidates
    step: tuple[Step, ...]


@dataclass(slots=True)
class Ladder:
    """The groups of one block on their way down the steps.

    `targets` (g x d) are the operators' values, NaN where there is none to average; `copied` (g x d) the record from
    which a cell is copied, or -1. `mixed` groups have members with different blanks: only an actual record can
    represent them. `points` are the block's standardised records.
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
    _limit: npt.NDArray[np.float64] = field(init=False)
    _dear: dict[int, tuple[float, Candidates, Step]] = field(init=False, default_factory=dict)

    def climb_down(self) -> Representatives:
        """Return a representative for every group; refuse when even actual records do not satisfy a group's rules."""
        self._limit = self._medoid_cost()
        best = self._rounded()
        steps: dict[int, Step] = {}
        rounded = best.take(np.arange(len(best)))
        left = np.setdiff1d(np.arange(len(self.groups)), self.mixed)
        left = self._settle(left, best, best.take(left), left, Step.ROUNDED, steps)
        left = self._derive(left, best, steps)
        left = self._nudge(left, best, rounded, steps)
        left = self._repair(left, best, rounded, steps)
        left = self._anchor(left, best, rounded, steps)
        self._medoids(np.union1d(left, self.mixed), best, steps)
        return Representatives(best, tuple(steps[g] for g in range(len(self.groups))))

    def _settle(
        self, left: Rows, best: Candidates, proposed: Candidates, places: Rows, step: Step, steps: dict[int, Step]
    ) -> Rows:
        """Keep the cheapest proposal of each group that passes; return the groups still left.

        One that lies farther from the operators' values than the group's medoid waits: something better may come.
        """
        passes = np.flatnonzero(self.judge.passing(proposed))
        costs = self._cost(proposed.values[passes], places[passes])
        is_dear = costs > self._limit[places[passes]]
        for place in np.flatnonzero(is_dear).tolist():
            group, cost = int(places[passes[place]]), float(costs[place])
            if group not in self._dear or cost < self._dear[group][0]:
                self._dear[group] = cost, proposed.take(passes[place : place + 1]), step
        passes = passes[~is_dear][np.argsort(costs[~is_dear], kind="stable")]
        groups, first = np.unique(places[passes], return_index=True)
        best.put(groups, proposed.take(passes[first]))
        steps.update(dict.fromkeys(groups.tolist(), step))
        return np.setdiff1d(left, groups)

    def _cost(self, values: Points, groups: Rows) -> npt.NDArray[np.float64]:
        """Return the squared standardised distance of values (c x d) from the operators' values of their groups."""
        deviations = np.array([series.deviation for series in self.design.series])
        gaps = (values - self.targets[groups]) / deviations
        cost: npt.NDArray[np.float64] = np.nansum(gaps**2, axis=1)
        return cost

    def _medoid_cost(self) -> npt.NDArray[np.float64]:
        """Return what the nearest member of each group would cost, and a step of the grid on top."""
        values = np.array([series.values for series in self.design.series]).T
        members = self._cost(values[self.groups.order], self.groups.label[self.groups.order])
        steps = [float(series.grid.step or 0) / series.deviation for series in self.design.series]
        nearest: npt.NDArray[np.float64] = np.minimum.reduceat(members, self.groups.starts)
        return nearest + sum(step**2 for step in steps) + 1e-9

    def _rounded(self) -> Candidates:
        candidates = Candidates.blank(self.design.series, np.arange(len(self.groups)))
        for variable in range(len(self.design.series)):
            rows = np.flatnonzero(self.copied[:, variable] >= 0)
            candidates.copy_cells(variable, rows, self.copied[rows, variable])
            rows = np.flatnonzero((self.copied[:, variable] < 0) & np.isfinite(self.targets[:, variable]))
            candidates.set_numbers(variable, rows, self.targets[rows, variable])
        return candidates

    def _by_stratum(self, left: Rows) -> Iterator[tuple[int, Rows]]:
        strata = np.array(self.stratum, np.int64)[left]
        for number in np.unique(strata).tolist():
            yield number, left[strata == number]

    def _derive(self, left: Rows, best: Candidates, steps: dict[int, Step]) -> Rows:
        for number, rows in self._by_stratum(left):
            derivations = self.design.strata[number].derivations
            if derivations:
                proposed = best.take(rows)
                self.deriver.derive(proposed, derivations)
                every = list(self._polished(proposed, derivations))
                places = np.tile(rows, len(every))
                left = self._settle(left, best, Candidates.joined(every), places, Step.DERIVED, steps)
        return left

    def _polished(self, candidates: Candidates, derivations: tuple[Derivation, ...]) -> Iterator[Candidates]:
        """Yield the candidates, and with the factors of derived products moved, one by one, to where less is lost.

        The product of two means is not the mean of the products: what one variable gives up, another may gain.
        """
        yield candidates
        for j in _factors(self.design, derivations):
            moved = self._lowest(candidates, j, derivations)
            worse = np.flatnonzero(self._cost(moved.values, moved.group) >= self._cost(candidates.values, moved.group))
            moved.put(worse, candidates.take(worse))
            candidates = moved
            yield candidates

    def _lowest(self, candidates: Candidates, j: int, derivations: tuple[Derivation, ...]) -> Candidates:
        """Return candidates with variable j where a parabola through three points of the loss is lowest."""
        here = candidates.values[:, j].copy()
        reach = _REACH * self.design.series[j].deviation
        everyone = np.arange(len(candidates))
        losses = []
        for shift in (-reach, 0.0, reach):
            tried = candidates.take(everyone)
            tried.set_numbers(j, everyone, here + shift)
            self.deriver.derive(tried, derivations)
            losses.append(self._cost(tried.values, candidates.group))
        low, middle, high = losses
        bend = low - 2.0 * middle + high
        with np.errstate(divide="ignore", invalid="ignore"):
            lowest = np.where(bend > 0, 0.5 * reach * (low - high) / bend, 0.0)
        result = candidates.take(everyone)
        result.set_numbers(j, everyone, here + np.nan_to_num(lowest))
        self.deriver.derive(result, derivations)
        return result

    def _nudge(self, left: Rows, best: Candidates, rounded: Candidates, steps: dict[int, Step]) -> Rows:
        for number, rows in self._by_stratum(left):
            derivations = self.design.strata[number].derivations
            derived = {d.variable for d in derivations}
            free = [
                j
                for j, (series, plan) in enumerate(zip(self.design.series, self.design.plan.variables, strict=True))
                if plan.operator in _AVERAGED
                and series.name not in derived
                and np.isfinite(self.targets[rows, j]).all()
            ]
            doubles = [j for j in free if self.design.series[j].grid.decimals is None]
            attempt = 0
            while len(rows) and doubles:
                proposed = rounded.take(rows)
                if not shorten(proposed, doubles, attempt):
                    break
                self.deriver.derive(proposed, derivations)
                left = self._settle(left, best, proposed, rows, Step.NUDGED, steps)
                rows = np.intersect1d(rows, left)
                attempt += 1
            every = moves([j for j in free if j not in doubles], len(self.design.series))
            tried = 0
            for count in _ROUNDS:
                some = every[tried : tried + count]
                tried += count
                if not len(rows) or not len(some):
                    break
                places = np.tile(rows, len(some))
                proposed = rounded.take(places)
                move(proposed, np.repeat(some, len(rows), axis=0))
                self.deriver.derive(proposed, derivations)
                left = self._settle(left, best, proposed, places, Step.NUDGED, steps)
                rows = np.intersect1d(rows, left)
        return left

    def _repair(self, left: Rows, best: Candidates, rounded: Candidates, steps: dict[int, Step]) -> Rows:
        members = tuple(
            self._ranking(group) if group in set(left.tolist()) else np.zeros(0, np.int64)
            for group in range(len(self.groups))
        )
        repairer = Repairer(self.design, self.groups, self.stratum, self.targets, members)
        for number in range(len(PROPOSALS)):
            if not len(left):
                break
            proposed, places = repairer.propose(rounded.take(left), number)
            if not len(places):
                continue
            rows = left[places]
            for stratum, some in self._by_stratum(rows):
                inside = np.flatnonzero(np.isin(rows, some))
                part = proposed.take(inside)
                again = proposed.take(inside)
                self.deriver.derive(again, self.design.strata[stratum].derivations)
                left = self._settle(left, best, again, rows[inside], Step.REPAIRED, steps)
                open_ = np.flatnonzero(np.isin(rows[inside], left))
                left = self._settle(left, best, part.take(open_), rows[inside][open_], Step.REPAIRED, steps)
        return left

    def _anchor(self, left: Rows, best: Candidates, rounded: Candidates, steps: dict[int, Step]) -> Rows:
        """Copy the variables of failing rules from a member, and of rules that fail because of it, until none does."""
        for rank in range(_ANCHORS):
            for number, rows in self._by_stratum(left):
                proposed = rounded.take(rows)
                self.deriver.derive(proposed, self.design.strata[number].derivations)
                ranked = [self._ranking(group) for group in rows.tolist()]
                records = np.array([r[min(rank, len(r) - 1)] for r in ranked], np.int64)
                for _ in range(len(self.design.rules)):
                    self._copy_failing(proposed, records, self.design.strata[number].derivations)
                    left = self._settle(left, best, proposed, rows, Step.ANCHORED, steps)
                    if not np.isin(rows, left).any():
                        break
        return left

    def _copy_failing(self, proposed: Candidates, records: Rows, derivations: tuple[Derivation, ...]) -> None:
        failing = ~self.judge.verdicts(proposed)
        for j, series in enumerate(self.design.series):
            reads = [series.name in self.judge.variables(rule.id) for rule in self.design.rules]
            rows = np.flatnonzero((failing[:, np.array(reads, np.bool_)]).any(axis=1))
            proposed.copy_cells(j, rows, records[rows])
        anchors = proposed.source.copy()
        self.deriver.derive(proposed, derivations)
        for j in range(len(self.design.series)):
            rows = np.flatnonzero(anchors[:, j] != NOT_COPIED)
            proposed.copy_cells(j, rows, anchors[rows, j])

    def _medoids(self, left: Rows, best: Candidates, steps: dict[int, Step]) -> None:
        """Try the members of each group, nearest to its mean first; then other records of the file."""
        rankings = {group: self._ranking(group) for group in left.tolist()}
        turn = 0
        while len(left):
            left_now = [group for group in left.tolist() if turn < len(rankings[group])]
            if not left_now:
                break
            groups = np.array(left_now, np.int64)
            proposed = Candidates.blank(self.design.series, groups)
            proposed.copy_records(np.array([rankings[group][turn] for group in left_now], np.int64))
            passes = np.flatnonzero(self.judge.passing(proposed))
            for place in passes.tolist():
                self._take_cheapest(int(groups[place]), proposed.take(np.array([place])), best, steps)
            left = np.setdiff1d(left, groups[passes])
            turn += 1
        for group in left.tolist():
            self._stranger(group, best, steps)

    def _take_cheapest(self, group: int, medoid: Candidates, best: Candidates, steps: dict[int, Step]) -> None:
        """Keep the medoid, or what passed before and turned out to be no dearer."""
        cost = float(self._cost(medoid.values, np.array([group]))[0])
        chosen, step = medoid, Step.MEDOID
        if group in self._dear and self._dear[group][0] <= cost:
            _, chosen, step = self._dear[group]
        best.put(np.array([group]), chosen)
        steps[group] = step

    def _stranger(self, group: int, best: Candidates, steps: dict[int, Step]) -> None:
        """Try the nearest records of other groups; whose record it is matters less than that every rule holds."""
        if group in self._dear:
            _, chosen, steps[group] = self._dear[group]
            best.put(np.array([group]), chosen)
            return
        rows = self.groups.rows(group)
        gaps = ((self.points - self.points[rows].mean(axis=0)) ** 2).sum(axis=1)
        nearest = np.argsort(gaps, kind="stable")[:_STRANGERS]
        place = np.full(len(nearest), group)
        proposed = Candidates.blank(self.design.series, place)
        proposed.copy_records(nearest)
        passes = np.flatnonzero(self.judge.passing(proposed))[:1]
        if len(passes):
            best.put(np.array([group]), proposed.take(passes))
            steps[group] = Step.MEDOID
        else:
            names = ", ".join(series.name for series in self.design.series)
            rules = ", ".join(rule.id for rule in self.design.rules)
            raise CannotShareError(
                f"no values of {names} satisfy {rules} for {len(rows)} records that would have to share them",
                others=self.design.others,
                hint="lower k, let the unmasked variables of these rules be masked too, or leave a rule out",
            )

    def _ranking(self, group: int) -> Rows:
        """Return a group's members, nearest to its mean first; of differing blanks those that most members have."""
        rows = self.groups.rows(group)
        points = self.points[rows]
        gaps = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
        blanks = np.array([series.blank[rows] for series in self.design.series])
        _, pattern, counts = np.unique(blanks, axis=1, return_inverse=True, return_counts=True)
        return rows[np.lexsort((gaps, (blanks != 0).sum(axis=0), -counts[pattern.ravel()]))]


def _factors(design: BlockDesign, derivations: tuple[Derivation, ...]) -> list[int]:
    """Return the averaged variables that products of a derivation read, once forth and once back."""
    products = {name for d in derivations for name in _multiplied(d.expression)}
    derived = {d.variable for d in derivations}
    found = [
        j
        for j, variable in enumerate(design.plan.variables)
        if variable.operator is OperatorName.ARITHMETIC_MEAN and variable.name in products - derived
    ]
    return found + found[::-1]


def _multiplied(expression: Expression) -> tuple[str, ...]:
    """Return the variables of an expression if it multiplies or divides two of them."""
    is_product = any(
        isinstance(part, Arithmetic)
        and part.op in ("*", "div")
        and variables_of(part.left)
        and variables_of(part.right)
        for part in walk(expression)
    )
    return variables_of(expression) if is_product else ()


def count_steps(step: tuple[Step, ...]) -> Mapping[Step, int]:
    """Return how many groups took each step, steps in order."""
    return {kind: step.count(kind) for kind in Step if kind in step}
