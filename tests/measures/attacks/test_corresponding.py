"""The file of an intruder: as far off as it says, and no farther."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.measures.attacks.single_ranking_links import corresponding_file


def skewed(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(3).lognormal(0, 1.5, size=(n, d))


def test_three_variables_of_ten_are_off_by_thirty_percent_and_the_others_by_one_to_three() -> None:
    original = skewed(400, 10)
    deviation = np.abs(corresponding_file(original, seed=1) / original - 1)
    is_far = deviation > 0.1
    assert (is_far.sum(axis=1) == 3).all()
    assert np.allclose(deviation[is_far], 0.3)
    assert (deviation[~is_far] >= 0.01 - 1e-12).all()
    assert (deviation[~is_far] <= 0.03 + 1e-12).all()


def test_every_variable_is_off_somewhere_and_in_both_directions() -> None:
    original = skewed(400, 10)
    change = corresponding_file(original, seed=1) / original - 1
    assert ((np.abs(change) > 0.1).sum(axis=0) > 60).all()
    assert 0.4 < (change > 0).mean() < 0.6


def test_fewer_variables_than_may_be_off() -> None:
    original = skewed(20, 2)
    assert np.allclose(np.abs(corresponding_file(original, off=3, deviation=0.2) / original - 1), 0.2)


def test_none_off() -> None:
    original = skewed(20, 2)
    assert (np.abs(corresponding_file(original, off=0) / original - 1) < 0.031).all()


def test_the_seed_decides() -> None:
    original = skewed(20, 4)
    assert (corresponding_file(original, seed=1) == corresponding_file(original, seed=1)).all()
    assert (corresponding_file(original, seed=1) != corresponding_file(original, seed=2)).any()


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_zeros_and_blanks_stay(value: float) -> None:
    original = np.full((5, 4), value)
    assert np.array_equal(corresponding_file(original), original, equal_nan=True)


def test_the_largest_numbers_stay_numbers() -> None:
    assert np.isfinite(corresponding_file(np.array([[np.finfo(float).max, -np.finfo(float).max, 1e300, 1e15]]))).all()


def test_negative_numbers_keep_their_sign() -> None:
    assert (corresponding_file(-skewed(20, 4)) < 0).all()
