"""What both means say about one variable's form: whole numbers, decimals, and texts that are numbers."""

from __future__ import annotations

from constraint_sdc.model.constraint import IntegerAtom, PatternAtom
from constraint_sdc.model.operator_verdict import NeedsExact, NotCovered, OperatorVerdict, Preserved

NUMBER_TEXTS = (
    r"^\s*([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF)\s*$",
    r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)\s*$",
)
"""The patterns by which rules ask for a double and for a decimal; every number that a grid writes matches both."""


def integer_verdict(atom: IntegerAtom) -> OperatorVerdict:
    """Whole numbers and d decimals are grids to round to; another step, or an offset, is no grid of ours."""
    if not atom.negated and atom.remainder % atom.modulus == 0 and _is_decimal_step(atom):
        return NeedsExact("rounded to that many decimals the mean is such a number")
    return NotCovered("a mean of such numbers need not be one")


def pattern_verdict(atom: PatternAtom) -> OperatorVerdict:
    """Only "is a number" survives: the digits of a mean are its own."""
    if not atom.negated and not atom.flags and atom.regex in NUMBER_TEXTS:
        return Preserved("a mean of numbers is a number, and is written as one")
    return NotCovered("the text of a mean is nobody's")


def _is_decimal_step(atom: IntegerAtom) -> bool:
    """Tell whether the modulus is 1, 0.1, 0.01, ..."""
    steps = atom.modulus.denominator
    return atom.modulus.numerator == 1 and steps == 10 ** (len(str(steps)) - 1)
