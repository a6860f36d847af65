from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures.utility.yardstick import yardstick


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20), st.sampled_from([0, 10**15, -(10**15)]))
@settings(max_examples=60)
def test_whole_numbers_far_from_nought_are_measured_as_exact_arithmetic_measures_them(
    counts: list[int], offset: int
) -> None:
    values = np.array(counts, float) + offset
    mean = Fraction(sum(counts), len(counts))
    variance = sum((count - mean) ** 2 for count in counts) / len(counts)
    unit = yardstick(values)
    assert (unit.spread == 0) == (variance == 0)
    if variance:
        expected = [float(count - mean) / float(variance) ** 0.5 for count in counts]
        assert unit.of(values) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_mean_and_deviation_in_the_units_of_the_data() -> None:
    unit = yardstick(np.array([2.0, np.nan, 4.0, 9.0]))
    assert unit.mean == 5.0
    assert unit.sample_deviation == pytest.approx(np.std([2, 4, 9], ddof=1))


def test_a_deviation_that_no_double_can_hold_is_not_defined() -> None:
    unit = yardstick(np.array([1.7e308, -1.7e308]))
    assert unit.mean == 0.0
    assert unit.sample_deviation is None
    assert unit.of(np.array([1.7e308, -1.7e308])).tolist() == [1.0, -1.0]


def test_one_value_has_no_sample_deviation() -> None:
    assert yardstick(np.array([3.0])).sample_deviation is None
    assert yardstick(np.array([3.0, 3.0])).sample_deviation == 0.0
