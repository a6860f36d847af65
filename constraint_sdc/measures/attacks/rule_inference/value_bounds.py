"""Bounds of values: interval arithmetic rounded outwards, and the nearest values that a variable may take."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.series import Grid

# Interval arithmetic on whole columns, rounded outwards, so that no true value is ever lost.
#
# R. E. Moore, R. B. Kearfott and M. J. Cloud, *Introduction to Interval Analysis*, SIAM, 2009. A pair (lo, hi) encloses
# one value per record; lo is never +inf and hi never -inf. Every operation is computed in doubles and moved one double
# outwards: the nearest double is never farther from the true result than its neighbour. All operations are monotone:
# wider operands give a wider result.

Bounds: TypeAlias = tuple[Floats, Floats]

EPSILON = 2.0**-52
"""Distance from 1 to the next double; one rounding is at most half of it, relative to the result."""


@np.errstate(all="ignore")
def down(values: Floats) -> Floats:
    """Return the next double below; the largest finite one where a sum has overflowed."""
    return np.nextafter(values, -np.inf)


@np.errstate(all="ignore")
def up(values: Floats) -> Floats:
    """Return the next double above; the smallest finite one where a sum has overflowed."""
    return np.nextafter(values, np.inf)


@np.errstate(all="ignore")
def add(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a + b."""
    return down(a[0] + b[0]), up(a[1] + b[1])


@np.errstate(all="ignore")
def subtract(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a - b, for values that do not depend on each other."""
    return down(a[0] - b[1]), up(a[1] - b[0])


@np.errstate(all="ignore")
def scale(a: Bounds, factor: float) -> Bounds:
    """Return bounds of factor * a; factor is not zero. A change of sign alone is exact."""
    low, high = (a[0] * factor, a[1] * factor) if factor > 0 else (a[1] * factor, a[0] * factor)
    return (low, high) if abs(factor) == 1 else (down(low), up(high))


@np.errstate(all="ignore")
def shrink(a: Bounds, divisor: float) -> Bounds:
    """Return bounds of a / divisor; divisor is not zero."""
    low, high = (a[0] / divisor, a[1] / divisor) if divisor > 0 else (a[1] / divisor, a[0] / divisor)
    return (low, high) if abs(divisor) == 1 else (down(low), up(high))


@np.errstate(all="ignore")
def widen(a: Bounds, share: float) -> Bounds:
    """Return bounds of a * (1 + t) for every |t| <= share; share 0 changes nothing."""
    if share == 0:
        return a
    # An infinite bound stays infinite: subtracting a share of itself would give NaN.
    low = np.where(np.isinf(a[0]), a[0], a[0] - share * np.abs(a[0]))
    high = np.where(np.isinf(a[1]), a[1], a[1] + share * np.abs(a[1]))
    return down(low), up(high)


@np.errstate(all="ignore")
def multiply(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a * b, whatever the signs; zero times anything is zero."""
    corners = [np.nan_to_num(x * y, nan=0.0, posinf=np.inf, neginf=-np.inf) for x in a for y in b]
    low, high = down(np.minimum.reduce(corners)), up(np.maximum.reduce(corners))
    return np.where((a[0] >= 0) & (b[0] >= 0), np.maximum(low, 0.0), low), high


@np.errstate(all="ignore")
def divide(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a / b; no bound where b may be zero."""
    low, high = b
    keeps_sign = (low > 0) | (high < 0)
    inverse_low, inverse_high = down(1.0 / high), up(1.0 / low)
    inverse = (
        np.where(low > 0, np.maximum(inverse_low, 0.0), inverse_low),
        np.where(high < 0, np.minimum(inverse_high, 0.0), inverse_high),
    )
    found = multiply(a, inverse)
    return np.where(keeps_sign, found[0], -np.inf), np.where(keeps_sign, found[1], np.inf)


@np.errstate(all="ignore")
def power(a: Bounds, exponent: int) -> Bounds:
    """Return bounds of a ** exponent, exponent >= 1."""
    if exponent == 1:
        return a
    ends = [np.copysign(_repeated(np.abs(end), exponent), end) for end in a]
    if exponent % 2:
        return widen((ends[0], ends[1]), exponent * EPSILON)
    small, large = np.minimum(*np.abs(ends)), np.maximum(*np.abs(ends))
    found = widen((np.where((a[0] <= 0) & (a[1] >= 0), 0.0, small), large), exponent * EPSILON)
    return np.maximum(found[0], 0.0), found[1]


def _repeated(values: Floats, exponent: int) -> Floats:
    result = values
    for _ in range(exponent - 1):
        result = result * values
    return result


@np.errstate(all="ignore")
def root(a: Bounds, exponent: int, of: Bounds) -> tuple[Bounds, Flags]:
    """Return bounds of an x in `of` with x ** exponent in a, and where such an x may exist."""
    if exponent == 1:
        return a, np.ones(np.shape(a[0]), np.bool_)
    ends = [np.copysign(_unsigned_root(np.abs(end), exponent), end) for end in a]
    low, high = widen((ends[0], ends[1]), _ROOT_SHARE)
    if exponent % 2:
        return (low, high), np.ones(np.shape(low), np.bool_)
    nearest, farthest = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return (
        np.where(of[0] > -nearest, nearest, -farthest),
        np.where(of[1] < nearest, -nearest, farthest),
    ), a[1] >= 0


_ROOT_SHARE = 1e-13


def _unsigned_root(values: Floats, exponent: int) -> Floats:
    found: Floats = np.sqrt(values) if exponent == 2 else np.power(values, 1.0 / exponent)
    return found


def meet(a: Bounds, b: Bounds) -> tuple[Bounds, Flags]:
    """Return the intersection, and where it is not empty; elsewhere a is unchanged."""
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    agrees = low <= high
    return (np.where(agrees, low, a[0]), np.where(agrees, high, a[1])), agrees


# Bounds narrowed to the nearest values that a variable may take: by a grid, a list, or a list of forbidden values.

_COUNTED = 2.0**50
"""Whole numbers below this limit are exact doubles, even if a quotient is off by one."""


@dataclass(frozen=True, slots=True)
class ValueLattice:
    """The numbers (offset + i * step) / divisor for whole i; all three whole, step and divisor positive.

    Numerators below 2**50 are exact doubles, so the division gives the same double as reading the number's text.
    """

    step: int
    divisor: int = 1
    offset: int = 0

    def numbers(self, index: Floats) -> Floats:
        """Return the lattice's numbers with these indices."""
        return (self.offset + index * self.step) / self.divisor

    @property
    def distance(self) -> Fraction:
        """Return how far neighbouring numbers are apart."""
        return Fraction(self.step, self.divisor)

    @np.errstate(all="ignore")
    def holds(self, values: Floats) -> Flags:
        """Tell which values lie on the lattice."""
        index = np.rint((values * self.divisor - self.offset) / self.step)
        found: Flags = np.equal(self.numbers(index), values) & (np.abs(index * self.step) < _COUNTED)
        return found


def lattice_of_grid(grid: Grid) -> ValueLattice | None:
    """Return a grid's numbers; None for a free grid, or one with too many numbers to count."""
    if grid.decimals is None or 10**grid.decimals > _COUNTED:
        return None
    return ValueLattice(1, 10**grid.decimals)


def lattice_of_remainder(modulus: Fraction, remainder: Fraction) -> ValueLattice | None:
    """Return the numbers with this remainder; None if they have too many digits to count."""
    divisor = math.lcm(modulus.denominator, remainder.denominator)
    step, offset = abs(int(modulus * divisor)), int(remainder * divisor)
    return None if step == 0 or max(step, divisor, abs(offset)) > _COUNTED else ValueLattice(step, divisor, offset)


@np.errstate(all="ignore")
def onto(lattice: ValueLattice, bounds: Bounds) -> tuple[Bounds, Flags]:
    """Narrow bounds to the lattice; the flags tell where one of its numbers is left, elsewhere bounds do not change.

    The quotient may be off by one; the two corrections look at the numbers themselves.
    """
    low, high = bounds
    first = np.ceil((low * lattice.divisor - lattice.offset) / lattice.step)
    first = first - (lattice.numbers(first - 1) >= low)
    first = first + (lattice.numbers(first) < low)
    last = np.floor((high * lattice.divisor - lattice.offset) / lattice.step)
    last = last + (lattice.numbers(last + 1) <= high)
    last = last - (lattice.numbers(last) > high)
    new_low = np.where(np.abs(first * lattice.step) < _COUNTED, lattice.numbers(first), low)
    new_high = np.where(np.abs(last * lattice.step) < _COUNTED, lattice.numbers(last), high)
    return _unless_empty(bounds, (new_low, new_high))


def onto_list(values: Floats, bounds: Bounds) -> tuple[Bounds, Flags]:
    """Narrow bounds to the listed values (sorted); the flags tell where one is left, elsewhere bounds do not change."""
    ends = np.concatenate(([-np.inf], values, [np.inf]))
    low = ends[np.searchsorted(values, bounds[0], "left") + 1]
    high = ends[np.searchsorted(values, bounds[1], "right")]
    return _unless_empty(bounds, (low, high))


def past(forbidden: Iterable[float], bounds: Bounds, lattice: ValueLattice | None) -> tuple[Bounds, Flags]:
    """Move bounds that equal forbidden values inwards; the flags tell where anything is left.

    Without a lattice there is no next value, so only a value known exactly is refuted.
    """
    values = sorted(forbidden)
    low, high = bounds
    if lattice is None:
        return bounds, ~(np.isin(low, values) & (low == high))
    step = float(lattice.distance)
    for value in values:
        low = np.where(low == value, value + step / 2, low)
        (low, _), _ = onto(lattice, (low, np.full_like(low, np.inf)))
    for value in reversed(values):
        high = np.where(high == value, value - step / 2, high)
        (_, high), _ = onto(lattice, (np.full_like(high, -np.inf), high))
    return _unless_empty(bounds, (low, high))


def _unless_empty(old: Bounds, new: Bounds) -> tuple[Bounds, Flags]:
    is_left = new[0] <= new[1]
    return (np.where(is_left, new[0], old[0]), np.where(is_left, new[1], old[1])), is_left


# The boxes that contain records, and the conditions that narrow them.


@dataclass(frozen=True)
class Box:
    """Bounds of every variable and record, lo <= hi, and the lattices on which some variables are known to lie."""

    columns: Mapping[str, Bounds]
    records: int
    lattices: Mapping[str, ValueLattice] = field(default_factory=dict)

    def all(self, answer: bool) -> Flags:
        """Return the same answer for every record."""
        return np.full(self.records, answer)

    def within(self, name: str, bounds: Bounds) -> Narrowed:
        """Return the box narrowed to bounds of one variable; records where nothing would be left do not change."""
        found, possible = meet(self.columns[name], bounds)
        lattice = self.lattices.get(name)
        if lattice is not None:
            found, is_left = onto(lattice, found)
            possible = possible & is_left
        return self.to(name, found, possible)

    def to(self, name: str, bounds: Bounds, possible: Flags) -> Narrowed:
        """Return the box with new bounds of one variable, where possible."""
        old = self.columns[name]
        new = np.where(possible, bounds[0], old[0]), np.where(possible, bounds[1], old[1])
        return Narrowed(replace(self, columns={**self.columns, name: new}), possible)


@dataclass(frozen=True)
class Narrowed:
    """The rest of a box under a condition; where the condition is not `possible`, the box has no meaning."""

    box: Box
    possible: Flags


class Narrower(Protocol):
    """A condition that narrows boxes.

    It never excludes a record that satisfies the condition, and it is monotone: a smaller box gives a smaller result.
    So if a condition is possible for the box of a single record, that record stays in every box that contains it.
    """

    def narrow(self, box: Box) -> Narrowed:
        """Return the narrowed box."""
        ...


def narrow_in_turn(box: Box, conditions: tuple[Narrower, ...]) -> Narrowed:
    """Return the box narrowed by all conditions, each applied once."""
    possible, inner = box.all(True), box
    for condition in conditions:
        found = condition.narrow(inner)
        inner, possible = found.box, possible & found.possible
    return Narrowed(inner, possible)


def hull(box: Box, found: tuple[Narrowed, ...]) -> Narrowed:
    """Return the smallest box around all possible boxes; a record without one does not change."""
    possible = np.logical_or.reduce([box.all(False), *(one.possible for one in found)])
    columns = dict(box.columns)
    for name, old in box.columns.items():
        if any(one.box.columns[name] is not old for one in found):
            low = np.minimum.reduce([np.where(one.possible, one.box.columns[name][0], np.inf) for one in found])
            high = np.maximum.reduce([np.where(one.possible, one.box.columns[name][1], -np.inf) for one in found])
            columns[name] = np.where(possible, low, old[0]), np.where(possible, high, old[1])
    return Narrowed(replace(box, columns=columns), possible)
