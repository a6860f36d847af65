"""Gauss-Jordan elimination in exact fractions: a linear system solved for one variable per equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Equation:
    """`sum(coefficient * variable) = constant`, and the rule from which it comes (all rules, once combined)."""

    rule: str
    terms: dict[str, Fraction]
    constant: Fraction


def reduced(equations: Sequence[Equation], order: Sequence[str]) -> list[tuple[Equation, str]]:
    """Return each independent equation with its pivot, which no other one mentions; pivots in order of preference.

    >>> one = Equation("A", {"x": Fraction(1), "y": Fraction(1)}, Fraction(3))
    >>> two = Equation("B", {"x": Fraction(1), "y": Fraction(-1)}, Fraction(1))
    >>> [(pivot, str(e.constant / e.terms[pivot])) for e, pivot in reduced([one, two], ["x", "y"])]
    [('x', '2'), ('y', '1')]
    """
    rows = list(equations)
    solved: list[tuple[int, str]] = []
    for name in order:
        used = {row for row, _ in solved}
        row = next((i for i, e in enumerate(rows) if i not in used and e.terms.get(name)), None)
        if row is None:
            continue
        rows = [e if i == row else _without(e, rows[row], name) for i, e in enumerate(rows)]
        solved.append((row, name))
    return [(rows[row], name) for row, name in solved]


def _without(equation: Equation, pivot: Equation, name: str) -> Equation:
    """Take a multiple of the pivot's equation away so that the variable disappears."""
    factor = equation.terms.get(name, Fraction(0)) / pivot.terms[name]
    if not factor:
        return equation
    names = dict.fromkeys((*equation.terms, *pivot.terms))
    zero = Fraction(0)
    terms = {n: equation.terms.get(n, zero) - factor * pivot.terms.get(n, zero) for n in names}
    rule = equation.rule if pivot.rule in equation.rule.split(" and ") else f"{equation.rule} and {pivot.rule}"
    return Equation(rule, {n: c for n, c in terms.items() if c}, equation.constant - factor * pivot.constant)
