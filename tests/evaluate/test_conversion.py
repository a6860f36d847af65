"""Items read as another type are left to Saxon exactly where the result is not certain."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.evaluate.conversion import as_text, cast_exact, rescaled
from constraint_sdc.evaluate.value import DoubleItem, ExactItem


@pytest.mark.parametrize("sign", [1, -1])
def test_digits_are_added_up_to_the_largest_integer_and_not_beyond(sign: int) -> None:
    largest = (2**63 - 1) // 100
    kept, doubt = rescaled(ExactItem(np.array([sign * largest]), 1), 3)
    assert (kept.tolist(), doubt) == ([sign * largest * 100], None)
    _, doubt = rescaled(ExactItem(np.array([sign * (largest + 1), 5]), 1), 3)
    assert doubt is not None
    assert doubt.tolist() == [True, False]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1.5, "1.5"),
        (-100.0, "-100"),
        (0.0, "0"),
        (-0.0, "-0"),
        (np.nan, "NaN"),
        (np.inf, "INF"),
        (-np.inf, "-INF"),
        (1e-6, "0.000001"),
        (999_999.5, "999999.5"),
        (0.123456789012345, "0.123456789012345"),
        (0.1234567890123456, None),  # 16 digits
        (0.1 + 0.2, None),
        (1e6, None),  # with an exponent
        (9.9e-7, None),
    ],
)
def test_a_double_is_written_as_xpath_does_or_left_to_saxon(value: float, written: str | None) -> None:
    reading, doubt = as_text(DoubleItem(np.array([value])))
    assert (None if doubt is not None else reading.text.strings[0]) == written


def test_an_exact_decimal_is_cut_to_its_whole_part() -> None:
    whole, doubt = cast_exact(ExactItem(np.array([1250, -1299, 300, 99]), 2), to_integer=True)
    assert (whole.mantissa.tolist(), whole.scale, doubt) == ([12, -12, 3, 0], 0, None)
