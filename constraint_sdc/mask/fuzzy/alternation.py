"""Alternating optimisation of memberships and centres: J. C. Bezdek, Plenum, 1981.

Each is the best for the other, so that the objective never rises. With m = 1 it is the k-means of S. P. Lloyd.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.mask.fuzzy.nearness import CELLS, Numbers, chunks, nearness
from constraint_sdc.model.groups import Points

Place: TypeAlias = Callable[[Points], Points]
"""Where centres may lie: returns the admissible place nearest to each of c x d places."""


@dataclass(frozen=True)
class Pull:
    """What all records do to the centres: weights (c), weighted sums (c x e); and each one's least squared distance."""

    weights: Numbers
    sums: Numbers
    least: Numbers
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
class Run:
    """Centres, and c^(m-1) times the objective at the start and after every update."""

    centres: Points
    objectives: tuple[float, ...]
    converged: bool


def alternate(points: Points, start: Points, m: float, iterations: int, tolerance: float, place: Place) -> Run:
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
            return Run(centres, tuple(objectives), True)
    return Run(centres, tuple(objectives), False)


def anywhere(places: Points) -> Points:
    """Return the places: centres may lie where they are pulled to."""
    return places
