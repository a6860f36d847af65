"""Fuzzy c-means: J. C. Dunn, Journal of Cybernetics 3(3), 32-57, 1973; J. C. Bezdek, Plenum, 1981.

Memberships and centres are optimised in turn: each is the best for the other, so that the objective never rises. It is
the first half of fuzzy microaggregation (V. Torra, A fuzzy microaggregation algorithm using fuzzy c-means, CCIA 2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.mask.fuzzy.alternation import Place, Run, alternate, anywhere
from constraint_sdc.mask.fuzzy.nearness import require_fuzziness, require_places
from constraint_sdc.mask.fuzzy.regions import Regions, cut_regions
from constraint_sdc.mask.fuzzy.starts import start_centres
from constraint_sdc.model.groups import Points

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
    place: Place = anywhere,
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


def _together(runs: list[Run], regions: Regions, m: float) -> Clustering:
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
