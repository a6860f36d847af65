"""Conditions on the values of one variable: one of a list, none of a list, a whole number."""

from __future__ import annotations

from dataclasses import dataclass

from constraint_sdc.measure.attack.box_bounds import Box, Narrowed
from constraint_sdc.measure.attack.value_bounds import Lattice, onto, onto_list, past
from constraint_sdc.model.pair import Floats


@dataclass(frozen=True)
class OneOf:
    """The variable is one of finitely many numbers, sorted."""

    name: str
    values: Floats

    def narrow(self, box: Box) -> Narrowed:
        """Return the box drawn in to the listed values."""
        return box.to(self.name, *onto_list(self.values, box.columns[self.name]))


@dataclass(frozen=True)
class NoneOf:
    """The variable is none of finitely many numbers."""

    name: str
    values: tuple[float, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return the box without listed values at its ends."""
        return box.to(self.name, *past(self.values, box.columns[self.name], box.lattices.get(self.name)))


@dataclass(frozen=True)
class OnLattice:
    """The variable is a whole number, or has a given remainder."""

    name: str
    lattice: Lattice

    def narrow(self, box: Box) -> Narrowed:
        """Return the box drawn in to the lattice."""
        return box.to(self.name, *onto(self.lattice, box.columns[self.name]))
