"""The disjunctive normal form of a rule: the conjunctions of atoms of which every record satisfies at least one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TypeAlias

from constraint_sdc.model.constraint import AllOf, AnyOf, Atom, Formula, LinearAtom, PolynomialAtom, ProductAtom

Term: TypeAlias = tuple[Atom, ...]

MOST_TERMS = 64
"""Beyond that a rule gets no strata: its representatives are checked one by one instead."""


def terms_of(formula: Formula) -> tuple[Term, ...] | None:
    """Return the conjunctions, `a != b` split into `a < b` and `a > b`; None when there are too many.

    >>> from fractions import Fraction
    >>> a, b = (LinearAtom(((name, Fraction(1)),), "<", Fraction(0)) for name in "ab")
    >>> [[atom.terms[0][0] for atom in term] for term in terms_of(AnyOf((a, AllOf((a, b))))) or ()]
    [['a'], ['a', 'b']]
    """
    found = _terms(formula)
    return None if found is None else tuple(dict.fromkeys(found))


def _terms(formula: Formula) -> list[Term] | None:
    match formula:
        case AllOf(items):
            parts = [_terms(item) for item in items]
            size = 1
            for part in parts:
                if part is None or (size := size * max(len(part), 1)) > MOST_TERMS:
                    return None
            return [sum(choice, ()) for choice in product(*(part or [] for part in parts))]
        case AnyOf(items):
            found: list[Term] = []
            for item in items:
                part = _terms(item)
                if part is None or len(found := found + part) > MOST_TERMS:
                    return None
            return found
        case LinearAtom(op="!=") | ProductAtom(op="!=") | PolynomialAtom(op="!="):
            sides: list[Term] = [(replace(formula, op="<"),), (replace(formula, op=">"),)]
            return sides
        case _:
            return [(formula,)]
