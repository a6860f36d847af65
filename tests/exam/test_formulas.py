"""The exam's own reading of a condition, on which its verdict about operators rests."""

from __future__ import annotations

from fractions import Fraction

import pytest

from constraint_sdc.constraints.constraint import LinearAtom, PolynomialAtom, PresentAtom
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.exam.formulas import ExactValue, holds

FULL, EMPTY = ExactValue(Fraction(1), "1"), ExactValue(Fraction(0), "")


@pytest.mark.parametrize(
    ("record", "is_present", "is_filled"),
    [({"V1": FULL}, True, True), ({"V1": EMPTY}, True, False), ({"V2": FULL}, False, False)],
)
def test_a_variable_is_present_if_it_has_an_entry_and_filled_if_that_has_a_text(
    record: dict[str, ExactValue], is_present: bool, is_filled: bool
) -> None:
    for filled, expected in ((False, is_present), (True, is_filled)):
        assert holds(PresentAtom("V1", filled=filled), record) is expected
        assert holds(PresentAtom("V1", negated=True, filled=filled), record) is not expected


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        ("=", [False, True, False]),
        ("!=", [True, False, True]),
        ("<", [True, False, False]),
        ("<=", [True, True, False]),
        (">", [False, False, True]),
        (">=", [False, True, True]),
    ],
)
def test_a_comparison_is_that_of_exact_numbers(op: CompareOp, expected: list[bool]) -> None:
    """Below, at and above the constant: a sum, and a sum of products with a power."""
    records = [{"V1": ExactValue(Fraction(n, 3)), "V2": ExactValue(Fraction(2))} for n in (7, 8, 9)]
    linear = LinearAtom((("V1", Fraction(3)), ("V2", Fraction(-1, 2))), op, Fraction(7))
    polynomial = PolynomialAtom((((("V1", 1), ("V2", 2)), Fraction(3)), ((("V2", 1),), Fraction(1))), op, Fraction(34))
    for formula in (linear, polynomial):
        assert [holds(formula, record) for record in records] == expected
    granted = [holds(linear, record, slack=0.2) for record in records]
    assert granted == [op != "!="] * 3  # each is within a fifth of 8 + 1 + 7
