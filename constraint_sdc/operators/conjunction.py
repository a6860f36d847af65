"""The verdict on a formula: the weakest of the verdicts on its atoms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    DomainAtom,
    Formula,
    IntegerAtom,
    LinearAtom,
    OpaqueAtom,
    PatternAtom,
    PolynomialAtom,
    PresentAtom,
    ProductAtom,
    SetAtom,
    atom_variables,
    atoms,
)
from constraint_sdc.operators.operator import NeedsExact, NotCovered, OperatorVerdict, Preserved
from constraint_sdc.settings.reason import because

ValueAtom: TypeAlias = (
    LinearAtom | ProductAtom | PolynomialAtom | SetAtom | IntegerAtom | PatternAtom | DomainAtom | OpaqueAtom
)
"""Every atom except presence, on which all operators have the same verdict."""

AtomVerdict: TypeAlias = Callable[[ValueAtom], OperatorVerdict]

_STRENGTH: dict[type[OperatorVerdict], int] = {NotCovered: 0, NeedsExact: 1, Preserved: 2}


def judge(formula: Formula, atom_verdict: AtomVerdict, *, picks_member: bool = False) -> OperatorVerdict:
    """Return the verdict on a conjunction; `atom_verdict` judges every atom that reads a value.

    `picks_member` tells that the operator takes each variable's value from some member. Then every formula about one
    variable alone that all members satisfy holds, disjunctions and negations included.
    """
    if picks_member and _is_about_one_variable(formula):
        return Preserved(because("member-value"))
    match formula:
        case AllOf(items):
            verdicts = [judge(item, atom_verdict, picks_member=picks_member) for item in items]
            return _weakest(items, verdicts)
        case AnyOf((only,)):
            return judge(only, atom_verdict, picks_member=picks_member)
        case AnyOf(()):
            return NotCovered(because("never-true"))
        case AnyOf():
            return NotCovered(because("disjunction"))
        case PresentAtom():
            return Preserved(because("same-values-missing"))
        case _:
            return atom_verdict(formula)


def _is_about_one_variable(formula: Formula) -> bool:
    """Tell whether the formula reads one variable only; an opaque part may read more than it names."""
    parts = list(atoms(formula))
    names = {name for atom in parts for name in atom_variables(atom)}
    return len(names) == 1 and not any(isinstance(atom, OpaqueAtom) for atom in parts)


def _weakest(items: tuple[Formula, ...], verdicts: list[OperatorVerdict]) -> OperatorVerdict:
    """Return the first of the weakest verdicts; one that is not covered names its variables."""
    if not verdicts:
        return Preserved(because("nothing-demanded"))
    place = min(range(len(verdicts)), key=lambda i: _STRENGTH[type(verdicts[i])])
    weakest, culprit = verdicts[place], items[place]
    if isinstance(weakest, NotCovered) and len(items) > 1 and not isinstance(culprit, AllOf):
        names = dict.fromkeys(name for atom in atoms(culprit) for name in atom_variables(atom))
        if names:
            return NotCovered(because("of-variables", variables=tuple(names), reason=weakest.because))
        return weakest
    return weakest


# The verdicts of both means on the form of one variable: whole numbers, decimals, and texts that are numbers.

NUMBER_TEXTS = (
    r"^\s*([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF)\s*$",
    r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*$",
)
"""The patterns of rules that require a double or a decimal; every number written on a grid matches both."""


def integer_verdict(atom: IntegerAtom) -> OperatorVerdict:
    """Judge whole numbers and d decimals as grids to round to; other steps and offsets are not supported."""
    if not atom.negated and atom.remainder % atom.modulus == 0 and _is_decimal_step(atom):
        return NeedsExact(because("rounds-to-grid"))
    return NotCovered(because("mean-off-step"))


def pattern_verdict(atom: PatternAtom) -> OperatorVerdict:
    """Judge a pattern: only "is a number" is preserved, because a mean has other digits than its members."""
    if not atom.negated and not atom.flags and atom.regex in NUMBER_TEXTS:
        return Preserved(because("mean-is-number"))
    return NotCovered(because("text-of-mean"))


def _is_decimal_step(atom: IntegerAtom) -> bool:
    """Tell whether the modulus is 1, 0.1, 0.01, ..."""
    steps = atom.modulus.denominator
    return atom.modulus.numerator == 1 and steps == 10 ** (len(str(steps)) - 1)
