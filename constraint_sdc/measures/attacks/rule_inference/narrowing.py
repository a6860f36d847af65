"""The conversion of edit rules to conditions that narrow boxes, and the records on which an intruder can use them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    ConditionAtom,
    DomainAtom,
    EditRule,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    Powers,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.measures.attacks.rule_inference.comparison_bounds import (
    NoneOf,
    OneOf,
    OnLattice,
    compare_sum,
    nearest_double,
)
from constraint_sdc.measures.attacks.rule_inference.value_bounds import (
    Box,
    Narrowed,
    Narrower,
    ValueLattice,
    hull,
    lattice_of_remainder,
    narrow_in_turn,
)

# The bounds that follow from each kind of atom; None if none follow.


@dataclass(frozen=True)
class Scene:
    """What an intruder knows about the variables at the start.

    `numbers` are the variables that are numbers, `names` all variables of the file. `lattices` has the known decimals,
    `domains` the sorted values of other documents by variable.
    """

    names: frozenset[str]
    numbers: frozenset[str]
    lattices: Mapping[str, ValueLattice]
    domains: Mapping[str, Floats]


@dataclass(frozen=True)
class Never:
    """A condition that never holds where every variable of the rule is filled: that a variable is blank."""

    def narrow(self, box: Box) -> Narrowed:
        """Return that no record is possible."""
        return Narrowed(box, box.all(False))


def atom_narrower(atom: Atom, scene: Scene) -> Narrower | None:
    """Return the condition of an atom for records in which all its variables are filled; None if it narrows nothing."""
    if isinstance(atom, PresentAtom):
        return Never() if atom.negated and atom.variable in scene.names else None
    if not scene.numbers.issuperset(atom_variables(atom)):
        return None
    match atom:
        case LinearAtom(terms, op, constant):
            return compare_sum(tuple((((name, 1),), c) for name, c in terms), op, constant, scene.lattices)
        case ProductAtom(left, left_factor, op, right, right_factor):
            return _compare_products(((left, left_factor), (right, -right_factor)), op, Fraction(0), scene)
        case PolynomialAtom(sums, op, constant):
            return _compare_products(sums, op, constant, scene)
        case SetAtom(variable, values, negated):
            return _listed(variable, values, negated)
        case IntegerAtom(variable, modulus, remainder, negated):
            lattice = None if negated else lattice_of_remainder(modulus, remainder)
            return None if lattice is None else OnLattice(variable, lattice)
        case DomainAtom(variable, _, negated):
            known = None if negated else scene.domains.get(variable)
            return None if known is None else OneOf(variable, known)
        case PatternAtom() | ConditionAtom() | OpaqueAtom():
            return None
        case _:
            assert_never(atom)


def _compare_products(
    sums: tuple[tuple[Powers, Fraction], ...], op: CompareOp, constant: Fraction, scene: Scene
) -> Narrower | None:
    """Return a comparison of sums of products; roots narrow nothing."""
    whole = tuple((tuple((n, p) for n, p in powers if isinstance(p, int)), factor) for powers, factor in sums)
    if any(len(ours) < len(theirs) for (ours, _), (theirs, _) in zip(whole, sums, strict=True)):
        return None
    return compare_sum(whole, op, constant, scene.lattices)


def _listed(name: str, values: tuple[Fraction, ...] | tuple[str, ...], negated: bool) -> Narrower | None:
    numbers = [nearest_double(value) for value in values if isinstance(value, Fraction)]
    known = tuple(number for number in numbers if number is not None)
    if not known or len(known) < len(values):
        return None
    return NoneOf(name, known) if negated else OneOf(name, np.unique(known))


@dataclass(frozen=True)
class Every:
    """All conditions hold."""

    conditions: tuple[Narrower, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return the box after each condition in turn."""
        return narrow_in_turn(box, self.conditions)


@dataclass(frozen=True)
class Some:
    """At least one condition holds: the boxes of all conditions that are not refuted are joined, record by record."""

    conditions: tuple[Narrower, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return the smallest box around what each condition leaves."""
        return hull(box, tuple(condition.narrow(box) for condition in self.conditions))


def formula_narrower(formula: Formula, scene: Scene) -> Narrower | None:
    """Return the condition of a formula; None if it narrows nothing.

    In a conjunction, parts that narrow nothing are left out. A disjunction with such a part narrows nothing.
    """
    match formula:
        case AllOf(items):
            found = [formula_narrower(item, scene) for item in items]
            telling = tuple(one for one in found if one is not None)
            return Every(telling) if telling else None
        case AnyOf(items):
            found = [formula_narrower(item, scene) for item in items]
            telling = tuple(one for one in found if one is not None)
            return Some(telling) if len(telling) == len(items) else None
        case _:
            return atom_narrower(formula, scene)


@dataclass(frozen=True)
class AppliedRule:
    """A rule that an intruder can use: on the `rows` in which every variable that it reads is filled."""

    id: str
    variables: tuple[str, ...]
    narrower: Narrower
    rows: Flags


@dataclass(frozen=True)
class UsableRules:
    """The rules that narrow boxes, those that narrow nothing, and those that the original breaks (ids)."""

    rules: tuple[AppliedRule, ...]
    silent: tuple[str, ...]
    broken: tuple[str, ...]


def usable_rules(
    rules: Sequence[EditRule], scene: Scene, original: Mapping[str, Floats], filled: Mapping[str, Flags]
) -> UsableRules:
    """Divide rules by whether an intruder can use them.

    A rule's formula holds for every record, because the condition of its context is part of it. It is tested on the box
    that contains only the original record. A condition that is possible there never removes that record from a larger
    box (see `Narrower`), so the returned rules are safe to use, however their own arithmetic rounds.
    """
    usable: list[AppliedRule] = []
    silent: list[str] = []
    broken: list[str] = []
    for rule in rules:
        applied = _applied(rule, scene, filled)
        if applied is None:
            silent.append(rule.id)
        elif _holds(applied, scene, original):
            usable.append(applied)
        else:
            broken.append(rule.id)
    return UsableRules(tuple(usable), tuple(silent), tuple(broken))


def _applied(rule: EditRule, scene: Scene, filled: Mapping[str, Flags]) -> AppliedRule | None:
    formula = rule.constraint.formula
    narrower = formula_narrower(formula, scene)
    if narrower is None:
        return None
    read = dict.fromkeys(name for atom in atoms(formula) for name in atom_variables(atom) if name in scene.names)
    rows: Flags = np.logical_and.reduce([filled[name] for name in read])
    return AppliedRule(rule.id, tuple(name for name in read if name in scene.numbers), narrower, rows)


def _holds(rule: AppliedRule, scene: Scene, original: Mapping[str, Floats]) -> bool:
    points = {name: (original[name][rule.rows],) * 2 for name in rule.variables}
    box = Box(points, int(rule.rows.sum()), scene.lattices)
    return bool(rule.narrower.narrow(box).possible.all())
