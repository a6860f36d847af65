"""Changes of extremums, and normalising what they did to mean and deviation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.signals import AddExtremum, Given, MoveExtremum, normalise

SIGNAL = np.array([1.0, 7.0, 2.0, 3.0])
numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
pairs_of_signals = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=30)


def test_a_moved_peak_leaves_its_old_place_to_the_other_number() -> None:
    assert MoveExtremum(source=1, target=3).apply(SIGNAL).tolist() == [1, 3, 2, 7]


def test_an_alleged_peak_is_as_high_as_the_real_one_unless_told() -> None:
    assert AddExtremum(at=0).apply(SIGNAL).tolist() == [7, 7, 2, 3]
    assert AddExtremum(at=0, height=-4.0).apply(SIGNAL).tolist() == [-4, 7, 2, 3]


def test_given_numbers_replace_the_signal() -> None:
    assert Given((4.0, 3.0, 2.0, 1.0)).apply(SIGNAL).tolist() == [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (MoveExtremum(source=4, target=0), "value 4 is outside"),
        (MoveExtremum(source=0, target=-1), "value -1 is outside"),
        (AddExtremum(at=9), "has the values 0 to 3"),
        (Given((1.0, 2.0)), "2 numbers are given for a signal of 4"),
        (Given((1.0, 2.0, 3.0, float("nan"))), "finite number"),
    ],
)
def test_what_cannot_be_done_is_said(change: MoveExtremum | AddExtremum | Given, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        change.apply(SIGNAL)


def test_no_change_writes_into_the_signal_it_was_given() -> None:
    before = SIGNAL.copy()
    for change in (MoveExtremum(source=0, target=1), AddExtremum(at=0), Given((0.0, 0.0, 0.0, 1.0))):
        change.apply(SIGNAL)[0] = 99.0
    assert SIGNAL.tolist() == before.tolist()


@given(pairs_of_signals)
def test_normalising_gives_mean_and_deviation_of_the_original_and_keeps_the_order(
    drawn: list[tuple[float, float]],
) -> None:
    original, changed = np.array(drawn).T
    assume(min(np.ptp(original), np.ptp(changed)) > 1e-3)
    result = normalise(changed, original)
    scale = np.abs(original).max()
    assert result.mean() == pytest.approx(original.mean(), abs=1e-9 * scale)
    assert result.std(ddof=1) == pytest.approx(original.std(ddof=1), rel=1e-9, abs=1e-9 * scale)
    slope = np.polyfit(changed - changed.mean(), result, 1)[0]
    assert slope > 0


def test_the_printed_formula_would_miss_the_mean() -> None:
    original, changed = np.array([1.0, 2.0, 6.0]), np.array([1.0, 9.0, 6.0])
    ratio = changed.std(ddof=1) / original.std(ddof=1)
    printed = (original + ratio * original.mean() - changed.mean()) / ratio
    assert abs(printed.mean() - original.mean()) > 1
    assert normalise(changed, original).mean() == pytest.approx(original.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("changed", "original", "words"),
    [
        ([2.0, 2.0], [1.0, 3.0], "changed signal is constant"),
        ([1.0, 3.0], [2.0, 2.0], "original signal is constant"),
        ([1.0, 3.0], [0.0, 0.0], "original signal is constant"),
        ([1.0], [2.0], "original signal is constant"),
        ([1e6, 1e6 + 1e-10], [1.0, 3.0], "changed signal is constant"),
    ],
)
def test_a_signal_without_shape_cannot_be_normalised(changed: list[float], original: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        normalise(np.array(changed), np.array(original))
