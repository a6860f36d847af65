"""The boxes in which records lie, and what a condition does to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from constraint_sdc.measure.attack.rounded_bounds import Bounds, meet
from constraint_sdc.measure.attack.value_bounds import Lattice, onto
from constraint_sdc.model.pair import Mask


@dataclass(frozen=True)
class Box:
    """Bounds of every variable and record, lo <= hi, and the lattices on which some variables are known to lie."""

    columns: Mapping[str, Bounds]
    records: int
    lattices: Mapping[str, Lattice] = field(default_factory=dict)

    def all(self, answer: bool) -> Mask:
        """Return the same answer for every record."""
        return np.full(self.records, answer)

    def within(self, name: str, bounds: Bounds) -> Narrowed:
        """Return the box cut down to bounds of one variable; records where nothing would be left stay as they are."""
        found, possible = meet(self.columns[name], bounds)
        lattice = self.lattices.get(name)
        if lattice is not None:
            found, is_left = onto(lattice, found)
            possible = possible & is_left
        return self.to(name, found, possible)

    def to(self, name: str, bounds: Bounds, possible: Mask) -> Narrowed:
        """Return the box with new bounds of one variable, where possible."""
        old = self.columns[name]
        new = np.where(possible, bounds[0], old[0]), np.where(possible, bounds[1], old[1])
        return Narrowed(replace(self, columns={**self.columns, name: new}), possible)


@dataclass(frozen=True)
class Narrowed:
    """What is left of a box under a condition; where the condition is not `possible`, the box means nothing."""

    box: Box
    possible: Mask


class Narrower(Protocol):
    """A condition that draws boxes in.

    It never loses a record that meets the condition, and it is monotone: of a smaller box it leaves no more than of a
    larger one. So if a condition is possible for the box that is one record alone, that record stays in every box.
    """

    def narrow(self, box: Box) -> Narrowed:
        """Return what is left of the box."""
        ...


def narrow_in_turn(box: Box, conditions: tuple[Narrower, ...]) -> Narrowed:
    """Return what is left under all conditions, each applied once."""
    possible, inner = box.all(True), box
    for condition in conditions:
        found = condition.narrow(inner)
        inner, possible = found.box, possible & found.possible
    return Narrowed(inner, possible)


def hull(box: Box, found: tuple[Narrowed, ...]) -> Narrowed:
    """Return the smallest box around all that is possible; a record for which nothing is stays as it is."""
    possible = np.logical_or.reduce([box.all(False), *(one.possible for one in found)])
    columns = dict(box.columns)
    for name, old in box.columns.items():
        if any(one.box.columns[name] is not old for one in found):
            low = np.minimum.reduce([np.where(one.possible, one.box.columns[name][0], np.inf) for one in found])
            high = np.maximum.reduce([np.where(one.possible, one.box.columns[name][1], -np.inf) for one in found])
            columns[name] = np.where(possible, low, old[0]), np.where(possible, high, old[1])
    return Narrowed(replace(box, columns=columns), possible)
