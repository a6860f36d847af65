"""Bounds drawn in to the nearest values that a variable may take: a grid, a list, a list of what is forbidden."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from constraint_sdc.measure.attack.rounded_bounds import Bounds
from constraint_sdc.model.grid import Grid
from constraint_sdc.model.pair import Floats, Mask

_COUNTED = 2.0**50
"""Whole numbers below are doubles, with room for a quotient that is off by one."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The numbers (offset + i * step) / divisor for whole i; all three whole, step and divisor positive.

    Numerators below 2**50 are exact doubles, so the division gives the very double that is read from the number's text.
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
    def holds(self, values: Floats) -> Mask:
        """Tell which values lie on the lattice."""
        index = np.rint((values * self.divisor - self.offset) / self.step)
        found: Mask = np.equal(self.numbers(index), values) & (np.abs(index * self.step) < _COUNTED)
        return found


def lattice_of_grid(grid: Grid) -> Lattice | None:
    """Return a grid's numbers; None on a free grid, or one too fine to count."""
    if grid.decimals is None or 10**grid.decimals > _COUNTED:
        return None
    return Lattice(1, 10**grid.decimals)


def lattice_of_remainder(modulus: Fraction, remainder: Fraction) -> Lattice | None:
    """Return the numbers with this remainder; None where they are too many digits to count."""
    divisor = math.lcm(modulus.denominator, remainder.denominator)
    step, offset = abs(int(modulus * divisor)), int(remainder * divisor)
    return None if step == 0 or max(step, divisor, abs(offset)) > _COUNTED else Lattice(step, divisor, offset)


@np.errstate(all="ignore")
def onto(lattice: Lattice, bounds: Bounds) -> tuple[Bounds, Mask]:
    """Draw bounds in to the lattice; the mask tells where a number of it is left, elsewhere they stay.

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


def onto_list(values: Floats, bounds: Bounds) -> tuple[Bounds, Mask]:
    """Draw bounds in to the listed values (sorted); the mask tells where one is left, elsewhere they stay."""
    ends = np.concatenate(([-np.inf], values, [np.inf]))
    low = ends[np.searchsorted(values, bounds[0], "left") + 1]
    high = ends[np.searchsorted(values, bounds[1], "right")]
    return _unless_empty(bounds, (low, high))


def past(forbidden: Iterable[float], bounds: Bounds, lattice: Lattice | None) -> tuple[Bounds, Mask]:
    """Move bounds past forbidden values that they stand on; the mask tells where anything is left.

    Without a lattice the next value is as near as one likes: only a value known exactly is refuted.
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


def _unless_empty(old: Bounds, new: Bounds) -> tuple[Bounds, Mask]:
    is_left = new[0] <= new[1]
    return (np.where(is_left, new[0], old[0]), np.where(is_left, new[1], old[1])), is_left
