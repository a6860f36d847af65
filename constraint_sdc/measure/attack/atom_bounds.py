"""What each kind of atom tells about bounds; None where it tells nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

import numpy as np

from constraint_sdc.measure.attack.box_bounds import Box, Narrowed, Narrower
from constraint_sdc.measure.attack.comparison_bounds import compare_sum, nearest_double
from constraint_sdc.measure.attack.listed_bounds import NoneOf, OneOf, OnLattice
from constraint_sdc.measure.attack.value_bounds import Lattice, lattice_of_remainder
from constraint_sdc.model.constraint import (
    Atom,
    DomainAtom,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
)
from constraint_sdc.model.pair import Floats


@dataclass(frozen=True)
class Scene:
    """What an intruder knows of the variables beforehand.

    `numbers` are the variables that are numbers, `names` all variables of the file. `lattices` hold what is known of
    decimals, `domains` the values of other documents by variable, sorted.
    """

    names: frozenset[str]
    numbers: frozenset[str]
    lattices: Mapping[str, Lattice]
    domains: Mapping[str, Floats]


@dataclass(frozen=True)
class Never:
    """What cannot be where every variable of the rule is filled: a variable that is blank."""

    def narrow(self, box: Box) -> Narrowed:
        """Return that no record is possible."""
        return Narrowed(box, box.all(False))


def atom_narrower(atom: Atom, scene: Scene) -> Narrower | None:
    """Return what an atom does to boxes of records in which all its variables are filled; None for nothing."""
    if isinstance(atom, PresentAtom):
        return Never() if atom.negated and atom.variable in scene.names else None
    if not scene.numbers.issuperset(atom_variables(atom)):
        return None
    match atom:
        case LinearAtom(terms, op, constant):
            return compare_sum(tuple((((name, 1),), c) for name, c in terms), op, constant, scene.lattices)
        case ProductAtom(left, left_factor, op, right, right_factor):
            return compare_sum(((left, left_factor), (right, -right_factor)), op, Fraction(0), scene.lattices)
        case PolynomialAtom(sums, op, constant):
            return compare_sum(sums, op, constant, scene.lattices)
        case SetAtom(variable, values, negated):
            return _listed(variable, values, negated)
        case IntegerAtom(variable, modulus, remainder, negated):
            lattice = None if negated else lattice_of_remainder(modulus, remainder)
            return None if lattice is None else OnLattice(variable, lattice)
        case DomainAtom(variable, _, negated):
            known = None if negated else scene.domains.get(variable)
            return None if known is None else OneOf(variable, known)
        case PatternAtom() | OpaqueAtom():
            return None
        case _:
            assert_never(atom)


def _listed(name: str, values: tuple[Fraction, ...] | tuple[str, ...], negated: bool) -> Narrower | None:
    numbers = [nearest_double(value) for value in values if isinstance(value, Fraction)]
    known = tuple(number for number in numbers if number is not None)
    if not known or len(known) < len(values):
        return None
    return NoneOf(name, known) if negated else OneOf(name, np.unique(known))
