from __future__ import annotations

from constraint_sdc.measures.utility.yardstick import mean_of


def test_a_mean_leaves_out_what_is_not_defined() -> None:
    assert mean_of([1.0, None, 4.0]) == 2.5
    assert mean_of([None]) is None
    assert mean_of([]) is None


def test_the_mean_of_finite_numbers_is_finite() -> None:
    assert mean_of([1.7e308, 1.7e308, 1.7e308, 1.7e308]) == 1.7e308
