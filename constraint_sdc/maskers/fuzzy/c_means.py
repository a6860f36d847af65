"""Fuzzy c-means: J. C. Dunn, Journal of Cybernetics 3(3), 32-57, 1973; J. C. Bezdek, Plenum, 1981.

Memberships and centres are optimised in turn: each is the best for the other, so that the objective never rises. It is
the first half of fuzzy microaggregation (V. Torra, A fuzzy microaggregation algorithm using fuzzy c-means, CCIA 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points
from constraint_sdc.maskers.fuzzy.nearness import (
    CELLS,
    Regions,
    chunks,
    cut_regions,
    nearness,
    require_fuzziness,
    require_places,
)
from constraint_sdc.partition.distances import by_column, squared_distances

# Alternating optimisation of memberships and centres: J. C. Bezdek, Plenum, 1981.
#
# Each is the best for the other, so that the objective never rises. With m = 1 it is the k-means of S. P. Lloyd.

PlaceCentres: TypeAlias = Callable[[Points], Points]
"""Where centres may lie: returns the admissible place nearest to each of c x d places."""


@dataclass(frozen=True)
class Pull:
    """What all records do to the centres: weights (c), weighted sums (c x e); and each one's least squared distance."""

    weights: Floats
    sums: Floats
    least: Floats
    objective: float


def pull_at(points: Points, centres: Points, m: float, values: Points, cells: int = CELLS) -> Pull:
    """Return how `values` (n x e) of the records pull at centres among the points, by their weights (c u)^m.

    The sums are NumPy's own and their order is fixed by n and c, not left to a threaded library.
    """
    weights, sums = np.zeros(len(centres)), np.zeros((len(centres), values.shape[1]))
    least, objectives = np.empty(len(points)), np.empty(len(points))
    for rows in chunks(len(points), len(centres), cells):
        near = nearness(points[rows], centres, m)
        pull = near.weights()
        weights += pull.sum(axis=0)
        for column, value in enumerate(values[rows].T):
            sums[:, column] += np.einsum("ij,i->j", pull, value)
        least[rows], objectives[rows] = near.least, near.objectives()
    return Pull(weights, sums, least, float(objectives.sum()))


def weighted_means(pull: Pull, values: Points) -> Points:
    """Return the means (c x e) to which values are pulled, within each column's range.

    Centres that no record pulls at go to the records farthest from all centres: as their weights are nothing, that
    cannot raise the objective.
    """
    means = np.empty_like(pull.sums)
    idle = pull.weights == 0.0
    np.divide(pull.sums, pull.weights[:, None], out=means, where=~idle[:, None])
    farthest = np.argsort(-pull.least, kind="stable")[: np.count_nonzero(idle)]
    means[idle] = values[farthest]
    return np.clip(means, values.min(axis=0), values.max(axis=0))


@dataclass(frozen=True)
class FuzzyRun:
    """Centres, and c^(m-1) times the objective at the start and after every update."""

    centres: Points
    objectives: tuple[float, ...]
    converged: bool


def alternate(
    points: Points, start: Points, m: float, iterations: int, tolerance: float, place: PlaceCentres
) -> FuzzyRun:
    """Update the centres until the objective falls by less than the tolerance, or as often as allowed."""
    centres = place(start)
    pull = pull_at(points, centres, m, points)
    objectives = [pull.objective]
    for _ in range(iterations):
        moved = place(weighted_means(pull, points))
        pull = pull_at(points, moved, m, points)
        before, now = objectives[-1], pull.objective
        if now <= before:  # rounding may raise it at the very end
            centres = moved
            objectives.append(now)
        if before - now <= tolerance * before:
            return FuzzyRun(centres, tuple(objectives), True)
    return FuzzyRun(centres, tuple(objectives), False)


def anywhere(places: Points) -> Points:
    """Return the places: centres may lie where they are pulled to."""
    return places


# Centres to start from: k-means++ (D. Arthur and S. Vassilvitskii, SODA 2007, 1027-1035), and means of a labelling.

_WARM_UP = 1.1
"""The m of a first, nearly crisp run: of seven starts it gave the lowest objective or one within 1%, for m up to 2."""

_WARM_UPDATES = 30
_ENOUGH = 1e-4

_ONE_PLACE_FROM = 3.0
"""From about this m on, one place for all centres is as good as any (V. Torra says: above 4)."""

_AWAY, _FAR_AWAY = 1e-3, 0.3
"""How far towards the mean centres start; at a record they would stay, because nothing else pulls at them."""


def start_centres(points: Points, c: int, m: float, seed: int | Sequence[int]) -> Points:
    """Return c places for a run with m: from spread-out records, by a nearly crisp run, and then off the records.

    As many centres as records start from the records themselves, where the objective is nothing.
    """
    if c == len(points) and m < _ONE_PLACE_FROM:
        return points.copy()
    middle = points.mean(axis=0)
    chosen = points[spread_records(points, c, seed)]
    near = chosen + _AWAY * (middle - chosen)
    warm = alternate(points, near, _WARM_UP, _WARM_UPDATES, _ENOUGH, anywhere).centres
    return warm if m < _WARM_UP else warm + (_AWAY if m < _ONE_PLACE_FROM else _FAR_AWAY) * (middle - warm)


def spread_records(points: Points, c: int, seed: int | Sequence[int]) -> Labels:
    """Return c records, each drawn by its squared distance from the nearest of those before it; none twice."""
    random = np.random.default_rng(seed)
    columns = by_column(points)
    chosen = np.empty(c, np.int64)
    is_free = np.ones(len(points), np.bool_)
    least = np.full(len(points), np.inf)
    for number in range(c):
        odds = least if number and least.any() else is_free.astype(np.float64)
        running = np.cumsum(odds)
        found = int(np.searchsorted(running, random.random() * running[-1], side="right"))
        found = min(found, int(np.searchsorted(running, running[-1])))
        chosen[number] = found
        is_free[found] = False
        np.minimum(least, squared_distances(columns, points[found]), out=least)
    return chosen


ITERATIONS = 100
"""At most so many updates of the centres."""

TOLERANCE = 1e-4
"""The fall of the objective, relative to itself, from which on an update no longer pays."""


@dataclass(frozen=True)
class Clustering:
    """Centres (c x d) and how they were found.

    `objective` is sum u^m |x - v|^2 over records and centres, which is 0 to the last digit for large m. `objectives`
    holds c^(m-1) times it at the start and after every update, which is a number for every m; its last one belongs to
    the centres. Where the records were cut into `regions`, it is the sum over them (a region that has converged earlier
    counts with its last one), and `iterations` is the largest number of any.
    """

    centres: Points
    objectives: tuple[float, ...]
    objective: float
    iterations: int
    converged: bool
    regions: Regions

    def __str__(self) -> str:
        where = f"in {len(self.regions)} regions" if len(self.regions) > 1 else "over all records"
        end = "converged" if self.converged else "not converged"
        return f"{len(self.centres)} centres {where}, {end} after {self.iterations} iterations"


def fuzzy_c_means(
    points: Points,
    c: int,
    m: float,
    seed: int,
    *,
    start: Points | None = None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
    place: PlaceCentres = anywhere,
) -> Clustering:
    """Return c centres of points (n x d, standardised) with fuzziness m: 1 is crisp k-means, infinity is allowed.

    Centres lie within the range of each column, unless `place` puts them elsewhere. The same arguments give the same
    centres. Without a `start` (c x d), large files are cut into regions with centres of their own (see `cut_regions`).

    >>> found = fuzzy_c_means(np.array([[0.0], [1.0], [8.0], [9.0]]), 2, 1.0, seed=1)
    >>> np.sort(found.centres, axis=0).tolist(), found.objective
    ([[0.5], [8.5]], 1.0)
    """
    require_fuzziness(m)
    if not 1 <= c <= len(points):
        raise ValueError(f"{len(points)} records have 1 to {len(points)} centres, not {c}")
    if start is not None and len(start) != c:
        raise ValueError(f"{len(start)} centres to start from, but {c} were asked for")
    require_places(points, points[:1] if start is None else start)
    regions = cut_regions(points, c) if start is None else Regions.one(len(points), c)
    found = []
    for number, (rows, centres) in enumerate(regions.each()):
        own = points[rows]
        first = start_centres(own, len(centres), m, [seed, number]) if start is None else start
        found.append(alternate(own, first, m, iterations, tolerance, place))
    return _together(found, regions, m)


def _together(runs: list[FuzzyRun], regions: Regions, m: float) -> Clustering:
    longest = max(len(run.objectives) for run in runs)
    padded = [run.objectives + run.objectives[-1:] * (longest - len(run.objectives)) for run in runs]
    factors = [_factor(len(run.centres), m) for run in runs]
    return Clustering(
        centres=np.concatenate([run.centres for run in runs]),
        objectives=tuple(float(sum(step)) for step in zip(*padded, strict=True)),
        objective=float(sum(run.objectives[-1] * factor for run, factor in zip(runs, factors, strict=True))),
        iterations=longest - 1,
        converged=all(run.converged for run in runs),
        regions=regions,
    )


def _factor(c: int, m: float) -> float:
    """Return c^(1-m), which is 1 for one centre and too small for a double where m is large."""
    return 1.0 if c == 1 else float(np.exp((1.0 - m) * np.log(c)))
