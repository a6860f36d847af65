"""Bounds narrowed to the nearest values that a variable may take: by a grid, a list, or a list of forbidden values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.grid import Grid
from constraint_sdc.measures.attacks.rule_inference.rounded_bounds import Bounds, meet

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
