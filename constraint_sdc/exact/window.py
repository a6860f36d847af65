"""What a solver sees of a lattice: small moves from a centre, as columns that cost their distance from the target."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from constraint_sdc.exact.lattice import Bound, Counts, Lattice

_LARGEST_COST = 1e3  # of a step; solvers compare costs with absolute tolerances


@dataclass(frozen=True, slots=True)
class Window:
    """Where HiGHS looks: moves from a centre in units of so many steps, within reach, whole or real."""

    centre: Counts
    reach: list[Bound]
    whole: list[bool]
    unit: int = 1

    def ends(self, lattice: Lattice, j: int) -> tuple[float, float]:
        """Return the least and the greatest move of a variable, in steps."""
        low, high, reach = lattice.low[j], lattice.high[j], self.reach[j]
        down = -math.inf if low is None else low - self.centre[j]
        up = math.inf if high is None else high - self.centre[j]
        return (down, up) if reach is None else (max(down, -reach), min(up, reach))

    def moved(self, moves: list[float]) -> Counts:
        """Return the centre moved, in whole steps."""
        return tuple(n + round(Fraction(move) * self.unit) for n, move in zip(self.centre, moves, strict=True))


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the programme: a stretch of one variable's way up (+1) or down (-1) from its centre."""

    variable: int
    sign: int
    length: float
    cost: float


def columns_of(lattice: Lattice, window: Window) -> list[Column]:
    """Return the columns of the variables that occur in rows."""
    scale = _LARGEST_COST / max(lattice.cost)
    columns: list[Column] = []
    for j in sorted({index for row in lattice.rows for index, _ in row.terms}):
        aim = lattice.aim[j] - window.centre[j]
        segments = _segments(aim if window.whole[j] else Fraction(round(aim)), *window.ends(lattice, j))
        columns.extend(
            Column(j, sign, length / window.unit, slope * lattice.cost[j] * scale) for sign, length, slope in segments
        )
    return columns


def _segments(aim: Fraction, low: float, high: float) -> Iterator[tuple[int, float, float]]:
    """Yield (direction, length, cost of a step) of the ways up and down from 0 between two bounds.

    The cost of a whole number is its distance from the aim; joined by straight lines it is convex, so that a solver
    that minimises walks the segments in order, and its relaxation costs no less than whole numbers do.
    """
    below = math.floor(aim)
    part = float(aim - below)
    pieces = ((low, below, -1.0), (below, below + 1, 1 - 2 * part), (below + 1, high, 1.0))
    for start, end, slope in pieces if part else ((low, below, -1.0), (below, high, 1.0)):
        up = min(end, high) - max(start, 0)
        if up > 0:
            yield 1, up, slope
        down = min(end, 0) - max(start, low)
        if down > 0:
            yield -1, down, -slope
