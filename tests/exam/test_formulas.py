"""The exam's own reading of a condition, on which its verdict about operators rests."""

from __future__ import annotations

from fractions import Fraction

import pytest

from constraint_sdc.constraints.constraint import PresentAtom
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
