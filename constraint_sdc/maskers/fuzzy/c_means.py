"""Fuzzy c-means: J. C. Dunn, Journal of Cybernetics 3(3), 32-57, 1973; J. C. Bezdek, Plenum, 1981.

Memberships and centres are optimised in turn: each is optimal for the other, so the objective never rises. This is the
first half of fuzzy microaggregation (V. Torra, A fuzzy microaggregation algorithm using fuzzy c-means, CCIA 2015).
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
# Each is optimal for the other, so the objective never rises. With m = 1 it is the k-means of S. P. Lloyd.

PlaceCentres: TypeAlias = Callable[[Points], Points]
"""Where centres may lie: returns the admissible place nearest to each of c x d places."""


@dataclass(frozen=True)
class Pull:
    """The pull of all records on the centres: weights (c), weighted sums (c x e); and least squared distances (n)."""

    weights: Floats
    sums: Floats
    least: Floats
    objective: float


def pull_at(points: Points, centres: Points, m: float, values: Points, cells: int = CELLS) -> Pull:
    """Return the pull of `values` (n x e) of the records on centres among the points, by their weights (c u)^m.

    NumPy computes the sums, in an order that depends only on n and c, not on a threaded library.
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
    """Return the weighted means (c x e) of values, within each column's range.

    Centres that no record pulls on move to the records farthest from all centres: their weights are 0, so this cannot
    raise the objective.
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
    """Update the centres until the objective falls by less than the tolerance, or the updates are used up."""
    centres = place(start)
    pull = pull_at(points, centres, m, points)
    objectives = [pull.objective]
    for _ in range(iterations):
        moved = place(weighted_means(pull, points))
        pull = pull_at(points, moved, m, points)
        before, now = objectives[-1], pull.objective
        if now <= before:  # rounding may raise it in the last update
            centres = moved
            objectives.append(now)
        if before - now <= tolerance * before:
            return FuzzyRun(centres, tuple(objectives), True)
    return FuzzyRun(centres, tuple(objectives), False)


def anywhere(places: Points) -> Points:
    """Return the places unchanged: centres may lie anywhere."""
    return places


# Centres to start from: k-means++ (D. Arthur and S. Vassilvitskii, SODA 2007, 1027-1035), and means of a labelling.

_WARM_UP = 1.1
"""The m of a first, nearly crisp run: among seven starts its objective is the lowest or within 1% of it, for m to 2."""

_WARM_UPDATES = 30
_ENOUGH = 1e-4

_ONE_PLACE_FROM = 3.0
"""From about this m on, all centres may as well coincide (V. Torra: above 4)."""

_AWAY, _FAR_AWAY = 1e-3, 0.3
"""How far centres start towards the mean; a centre that starts on a record stays there, because only it pulls."""


def start_centres(points: Points, c: int, m: float, seed: int | Sequence[int]) -> Points:
    """Return c places for a run with m: spread-out records, improved by a nearly crisp run, then moved off the records.

    If there are as many centres as records, they start on the records, where the objective is 0.
    """
    if c == len(points) and m < _ONE_PLACE_FROM:
        return points.copy()
    middle = points.mean(axis=0)
    chosen = points[spread_records(points, c, seed)]
    near = chosen + _AWAY * (middle - chosen)
    warm = alternate(points, near, _WARM_UP, _WARM_UPDATES, _ENOUGH, anywhere).centres
    return warm if m < _WARM_UP else warm + (_AWAY if m < _ONE_PLACE_FROM else _FAR_AWAY) * (middle - warm)


def spread_records(points: Points, c: int, seed: int | Sequence[int]) -> Labels:
    """Return c distinct records, each drawn by its squared distance from the nearest of those before it."""
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
"""The largest number of updates of the centres."""

TOLERANCE = 1e-4
"""The relative fall of the objective below which the updates end."""


@dataclass(frozen=True)
class Clustering:
    """Centres (c x d) and how they were found.

    `objective` is sum u^m |x - v|^2 over records and centres, which underflows to 0 for large m. `objectives` has it
    times c^(m-1) at the start and after every update, which is finite for every m; the last one belongs to the centres.
    Where the records are cut into `regions`, it is the sum over them (a region that converged earlier counts with its
    last value), and `iterations` is the largest number of any region.
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
        raise ValueError(f"{c} centres for {len(points)} records; use 1 to {len(points)}")
    if start is not None and len(start) != c:
        raise ValueError(f"`start` has {len(start)} centres, but {c} are requested")
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
    """Return c^(1-m), which is 1 for one centre and underflows for large m."""
    return 1.0 if c == 1 else float(np.exp((1.0 - m) * np.log(c)))
