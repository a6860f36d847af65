"""An integer programme: every variable is a count of its steps, and every row has small whole coefficients.

Counts are exact Python integers, so a point that satisfies the rows here satisfies the rule at any magnitude. A row
whose coefficients have no common divisor takes every whole value; hence `<` is `<=` with the bound less one, and
rounding bounds inwards loses no point. The solver gets counts relative to a centre, so that its numbers are small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from constraint_sdc.evaluate.expression import CompareOp

Row: TypeAlias = tuple[tuple[tuple[int, Fraction], ...], CompareOp, Fraction]
Bound: TypeAlias = int | None
StepCounts: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WholeRow:
    """`low <= sum(coefficient * count[index]) <= high`, coefficients without a common divisor; None is no bound."""

    terms: tuple[tuple[int, int], ...]
    low: Bound
    high: Bound

    def excess(self, counts: StepCounts) -> int:
        """Return how far the sum is above its upper bound (positive) or below its lower one (negative)."""
        total = sum(coefficient * counts[index] for index, coefficient in self.terms)
        if self.high is not None and total > self.high:
            return total - self.high
        return total - self.low if self.low is not None and total < self.low else 0


@dataclass(frozen=True, slots=True)
class Lattice:
    """The integer form: `aim` is the target in steps, `cost` the cost of a step; rows have two terms or more."""

    aim: tuple[Fraction, ...]
    cost: tuple[float, ...]
    low: tuple[Bound, ...]
    high: tuple[Bound, ...]
    rows: tuple[WholeRow, ...]

    def clamped(self, counts: Iterable[int]) -> StepCounts:
        """Return the counts moved into their bounds."""
        return tuple(map(_clamp, counts, self.low, self.high))

    def holds(self, counts: StepCounts) -> bool:
        """Tell whether the counts satisfy every bound and every row, exactly."""
        return self.clamped(counts) == counts and not any(row.excess(counts) for row in self.rows)

    def price(self, counts: StepCounts) -> float:
        """Return the cost of these counts."""
        return sum(cost * float(abs(n - aim)) for n, aim, cost in zip(counts, self.aim, self.cost, strict=True))


def lattice_of(
    target: Sequence[Fraction],
    weight: Sequence[float],
    step: Sequence[Fraction],
    rows: Iterable[Row],
    bounds: Iterable[tuple[Fraction | None, Fraction | None]],
) -> Lattice | None:
    """Return the integer programme; None if a bound or a single row excludes every point.

    Rows of one variable become bounds, and variables with equal bounds become constants.
    """
    low: list[Bound] = []
    high: list[Bound] = []
    for (least, most), s in zip(bounds, step, strict=True):
        low.append(None if least is None else math.ceil(least / s))
        high.append(None if most is None else math.floor(most / s))
    pending = [([(j, a * step[j]) for j, a in terms], op, constant) for terms, op, constant in rows]
    while True:
        kept = []
        for terms, op, constant in pending:
            whole = _whole_row(terms, op, constant, low, high)
            if whole is None:
                return None
            if len(whole.terms) > 1:
                kept.append((terms, op, constant, whole))
            elif whole.terms:
                _tighten(low, high, whole)
        if any(a is not None and b is not None and a > b for a, b in zip(low, high, strict=True)):
            return None
        if len(kept) == len(pending):
            break
        pending = [(terms, op, constant) for terms, op, constant, _ in kept]
    aim = tuple(t / s for t, s in zip(target, step, strict=True))
    cost = tuple(w * float(s) for w, s in zip(weight, step, strict=True))
    return Lattice(aim, cost, tuple(low), tuple(high), tuple(dict.fromkeys(whole for *_, whole in kept)))


def _whole_row(
    terms: list[tuple[int, Fraction]], op: CompareOp, constant: Fraction, low: list[Bound], high: list[Bound]
) -> WholeRow | None:
    total: dict[int, Fraction] = {}
    for j, a in terms:
        pinned = low[j] if low[j] == high[j] else None
        if pinned is None:
            total[j] = total.get(j, Fraction(0)) + a
        else:
            constant -= a * pinned
    moving = {j: a for j, a in total.items() if a}
    unit = common_measure(moving.values()) or Fraction(1)
    bound = constant / unit
    least, most = _whole_bounds(op, bound)
    if (least is not None and most is not None and least > most) or (not moving and _misses_zero(least, most)):
        return None
    return WholeRow(tuple((j, int(a / unit)) for j, a in sorted(moving.items())), least, most)


def _whole_bounds(op: CompareOp, bound: Fraction) -> tuple[Bound, Bound]:
    match op:
        case "=":
            return math.ceil(bound), math.floor(bound)
        case "<=":
            return None, math.floor(bound)
        case "<":
            return None, math.ceil(bound) - 1
        case ">=":
            return math.ceil(bound), None
        case ">":
            return math.floor(bound) + 1, None
        case "!=":
            raise ValueError("a row with != needs two programmes, one with < and one with >")


def _misses_zero(least: Bound, most: Bound) -> bool:
    return (least is not None and least > 0) or (most is not None and most < 0)


def _tighten(low: list[Bound], high: list[Bound], row: WholeRow) -> None:
    # A single coefficient without a common divisor is 1 or -1.
    ((j, sign),) = row.terms
    least, most = (row.low, row.high) if sign > 0 else (_negative(row.high), _negative(row.low))
    if least is not None:
        low[j] = max(least, least if (old := low[j]) is None else old)
    if most is not None:
        high[j] = min(most, most if (old := high[j]) is None else old)


def _negative(bound: Bound) -> Bound:
    return None if bound is None else -bound


def _clamp(count: int, low: Bound, high: Bound) -> int:
    if low is not None and count < low:
        return low
    return high if high is not None and count > high else count


def common_measure(numbers: Iterable[Fraction]) -> Fraction | None:
    """Return the largest number of which all these are whole multiples; None if all are zero.

    >>> common_measure([Fraction(1, 2), Fraction(-3, 4)])
    Fraction(1, 4)
    """
    top, bottom = 0, 1
    for number in numbers:
        top, bottom = math.gcd(top * number.denominator, number.numerator * bottom), bottom * number.denominator
        divisor = math.gcd(top, bottom)
        top, bottom = top // divisor, bottom // divisor
    return Fraction(top, bottom) if top else None


def has_whole_solution(equations: Iterable[WholeRow], count: int) -> bool:
    """Tell whether the rows, read as `sum = low`, have a solution in whole numbers of any size.

    Columns are combined by Euclid's algorithm until each equation has one new unknown: the Hermite normal form.
    """
    rows = list(equations)
    columns = [[dict(row.terms).get(j, 0) for row in rows] for j in range(count)]
    solved: list[int] = []
    for i, row in enumerate(rows):
        assert row.low is not None
        rest = row.low - sum(columns[c][i] * value for c, value in enumerate(solved))
        open_columns = columns[len(solved) :]
        while sum(column[i] != 0 for column in open_columns) > 1:
            smallest = min((c for c in open_columns if c[i]), key=lambda c: abs(c[i]))
            for column in open_columns:
                if column is not smallest:
                    factor = column[i] // smallest[i]
                    column[:] = [a - factor * b for a, b in zip(column, smallest, strict=True)]
        pivot = next((c for c in open_columns if c[i]), None)
        if pivot is None:
            if rest:
                return False
            continue
        if rest % pivot[i]:
            return False
        # By identity: an equal column is not this column.
        place = next(c for c, column in enumerate(columns) if column is pivot)
        columns[len(solved)], columns[place] = columns[place], columns[len(solved)]
        solved.append(rest // pivot[i])
    return True


# The solver's form of a lattice: small moves from a centre, as columns whose cost is the distance from the target.

_LARGEST_COST = 1e3  # of a step; solvers compare costs with absolute tolerances


@dataclass(frozen=True, slots=True)
class Window:
    """The search window of HiGHS: moves from a centre in units of steps, within a reach, whole or real."""

    centre: StepCounts
    reach: list[Bound]
    whole: list[bool]
    unit: int = 1

    def ends(self, lattice: Lattice, j: int) -> tuple[float, float]:
        """Return the least and the greatest move of a variable, in steps."""
        low, high, reach = lattice.low[j], lattice.high[j], self.reach[j]
        down = -math.inf if low is None else low - self.centre[j]
        up = math.inf if high is None else high - self.centre[j]
        return (down, up) if reach is None else (max(down, -reach), min(up, reach))

    def moved(self, moves: list[float]) -> StepCounts:
        """Return the centre plus the moves, in whole steps."""
        return tuple(n + round(Fraction(move) * self.unit) for n, move in zip(self.centre, moves, strict=True))


@dataclass(frozen=True, slots=True)
class SolverColumn:
    """One column of the programme: a segment of one variable's moves up (+1) or down (-1) from its centre."""

    variable: int
    sign: int
    length: float
    cost: float


def columns_of(lattice: Lattice, window: Window) -> list[SolverColumn]:
    """Return the columns of the variables that occur in rows."""
    scale = _LARGEST_COST / max(lattice.cost)
    columns: list[SolverColumn] = []
    for j in sorted({index for row in lattice.rows for index, _ in row.terms}):
        aim = lattice.aim[j] - window.centre[j]
        segments = _segments(aim if window.whole[j] else Fraction(round(aim)), *window.ends(lattice, j))
        columns.extend(
            SolverColumn(j, sign, length / window.unit, slope * lattice.cost[j] * scale)
            for sign, length, slope in segments
        )
    return columns


def _segments(aim: Fraction, low: float, high: float) -> Iterator[tuple[int, float, float]]:
    """Yield (direction, length, cost of a step) of the segments up and down from 0 between two bounds.

    The cost of a whole number is its distance from the aim. Its piecewise linear interpolation is convex, so that a
    minimising solver uses the segments in order, and the relaxation costs no less than whole numbers do.
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
