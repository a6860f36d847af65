"""Fuzzy c-means with centres under linear rows: V. Torra, On the definition of linear constrained fuzzy c-means, 2009.

For given memberships, the objective as a function of a centre v is its total weight times |v - mean|^2 plus a constant:
the best admissible centre is the admissible place nearest to the weighted mean. So the objective falls as it does
without rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.maskers.fuzzy.c_means import ITERATIONS, TOLERANCE, Clustering, fuzzy_c_means

# Linear rows that centres must satisfy, and the admissible place nearest to another.
#
# The nearest place under inequalities is found by least distance programming: C. L. Lawson and R. J. Hanson, Solving
# least squares problems, Prentice-Hall, 1974, chapter 23. It terminates, and detects that no place is admissible.

_HOLDS = 1e-12
"""A row holds up to this fraction of the numbers in it: smaller differences are rounding errors and are ignored."""

_PROMISED = 1e-9
_NO_DISTANCE = 1e-10


@dataclass(frozen=True)
class LinearRows:
    """Rows `matrix` v (= or <=) `bounds`, for v in the units of the file or, by `in_points`, for points.

    `sizes` are the absolute terms of a row that are not in `matrix` v; the tolerance for rounding uses them too.
    """

    matrix: Floats
    bounds: Floats
    is_equality: npt.NDArray[np.bool_]
    sizes: Floats

    @classmethod
    def of(cls, matrix: Floats, bounds: Floats, is_equality: npt.NDArray[np.bool_]) -> LinearRows:
        """Return rows (q x d) with q bounds, of which some are equalities; all numbers are finite."""
        if matrix.ndim != 2 or not len(matrix) == len(bounds) == len(is_equality):
            raise ValueError(f"{matrix.shape} rows, {len(bounds)} bounds and {len(is_equality)} kinds do not match")
        if not (np.isfinite(matrix).all() and np.isfinite(bounds).all()):
            raise ValueError("a linear row has a number that is not finite; leave rows without a bound out")
        return cls(matrix, bounds, is_equality, np.abs(bounds))

    def in_points(self, scale: Floats, shift: Floats) -> LinearRows:
        """Return the same rows for points p that stand for the values `shift` + `scale` p, column by column."""
        return replace(
            self,
            matrix=self.matrix * scale,
            bounds=self.bounds - self.matrix @ shift,
            sizes=self.sizes + np.abs(self.matrix) @ np.abs(shift),
        )

    def excess(self, places: Points) -> Floats:
        """Return by how much places (c x d) break the rows (c x q), relative to the numbers in a row."""
        over = places @ self.matrix.T - self.bounds
        over = np.where(self.is_equality, np.abs(over), np.maximum(over, 0.0))
        sizes = np.abs(places) @ np.abs(self.matrix).T + self.sizes
        return np.divide(over, sizes, out=np.zeros_like(over), where=sizes > 0.0)

    def nearest(self, places: Points) -> Points:
        """Return the admissible place nearest to each place (c x d); an admissible place is returned unchanged.

        The rows then hold to 1e-9, relative to the numbers in them. ValueError if no place satisfies them.
        """
        moved = places.copy()
        broken = np.flatnonzero((self.excess(places) > _HOLDS).any(axis=1))
        if len(broken):
            moved[broken] = self._equalities.nearest(places[broken])
            for number in broken[(self.excess(moved[broken]) > _HOLDS).any(axis=1)]:
                moved[number] = self._within(places[number])
            if not (self.excess(moved[broken]) <= _PROMISED).all():
                raise ValueError(_INCONSISTENT)
        return moved

    @cached_property
    def _equalities(self) -> _Flat:
        return _Flat.of(self.matrix[self.is_equality], self.bounds[self.is_equality], self.matrix.shape[1])

    def _within(self, place: Floats) -> Floats:
        """Return the nearest place under all rows: a polyhedron in the affine subspace of the equalities."""
        flat = self._equalities
        foot = flat.nearest(place[None, :])[0]
        normals = self.matrix[~self.is_equality] @ flat.directions
        gaps = self.matrix[~self.is_equality] @ foot - self.bounds[~self.is_equality]
        lengths = np.sqrt((normals * normals).sum(axis=1))
        acts = lengths > _NO_DISTANCE * np.sqrt((self.matrix[~self.is_equality] ** 2).sum(axis=1))
        step = _least_step(normals[acts] / lengths[acts, None], gaps[acts] / lengths[acts])
        reached: Floats = foot + flat.directions @ step
        return reached


_INCONSISTENT = "no centre can satisfy the linear rows: they contradict each other; leave one of them out"


@dataclass(frozen=True)
class _Flat:
    """The places with A v = b; the pseudo-inverse of A gives the one nearest to any place (Lagrange multipliers).

    The columns of `directions` (d x r) are orthonormal and span the null space of A.
    """

    matrix: Floats
    bounds: Floats
    inverse: Floats
    directions: Floats

    @classmethod
    def of(cls, matrix: Floats, bounds: Floats, columns: int) -> _Flat:
        lengths = np.sqrt((matrix * matrix).sum(axis=1))
        lengths[lengths == 0.0] = 1.0
        unit = matrix / lengths[:, None]
        _, singular, right = np.linalg.svd(unit.reshape(-1, columns), full_matrices=True)
        rank = int(np.count_nonzero(singular > _NO_DISTANCE * singular.max(initial=0.0)))
        return cls(unit, bounds / lengths, np.linalg.pinv(unit, rcond=_NO_DISTANCE), right[rank:].T)

    def nearest(self, places: Points) -> Points:
        """Return places (c x d) moved onto the subspace, twice, because the first move leaves a rounding error."""
        for _ in range(2):
            places = places - (places @ self.matrix.T - self.bounds) @ self.inverse.T
        return places


def _least_step(normals: Floats, gaps: Floats) -> Floats:
    """Return the shortest t with normals t <= -gaps, from the dual: non-negative multipliers of the rows."""
    from scipy.optimize import nnls

    unit = float(np.abs(gaps).max(initial=0.0))
    if unit == 0.0:
        return np.zeros(normals.shape[1])
    dual = np.vstack((-normals.T, gaps / unit))
    goal = np.append(np.zeros(normals.shape[1]), 1.0)
    residual = dual @ nnls(dual, goal)[0] - goal
    if -residual[-1] <= _NO_DISTANCE:
        raise ValueError(_INCONSISTENT)
    step: Floats = unit * residual[:-1] / -residual[-1]
    return step


def constrained_c_means(
    points: Points,
    c: int,
    m: float,
    rows: LinearRows,
    seed: int,
    *,
    start: Points | None = None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Clustering:
    """Return c centres that satisfy the rows, which are given for points (`LinearRows.in_points`), to 1e-9 relative.

    If all records satisfy the rows, so do their weighted means, and the centres are those of `fuzzy_c_means`. If some
    do not, centres may lie outside the records' hull. Contradictory rows raise ValueError.
    """
    return fuzzy_c_means(
        points, c, m, seed, start=start, iterations=iterations, tolerance=tolerance, place=rows.nearest
    )
