"""The approximation changes; total and details do not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.wavelet import (
    ChangeApproximation,
    FlatApproximation,
    GivenApproximation,
    PermutedApproximation,
    ReversedApproximation,
    admissible_level,
    decompose,
)

WAVELETS = ("haar", "db2", "db4", "sym4", "coif1", "bior2.2", "rbio1.3")
signals = st.sampled_from([4, 6, 8, 12, 16, 20, 40, 64]).flatmap(
    lambda n: st.lists(st.floats(-1e4, 1e4), min_size=n, max_size=n).map(np.array)
)


@given(signals, st.sampled_from(WAVELETS), st.randoms(use_true_random=False))
def test_details_and_total_are_kept_and_the_approximation_is_the_wished_one(
    signal: np.ndarray, wavelet: str, random: st.DrawFn
) -> None:
    level = admissible_level(len(signal))
    approximation, details = decompose(signal, wavelet, level, "periodization")
    order = list(range(len(approximation)))
    random.shuffle(order)  # type: ignore[attr-defined]
    new = tuple(float(random.uniform(-1e4, 1e4)) for _ in order)  # type: ignore[attr-defined]
    scale = 1e-9 * max(1.0, np.abs(signal).max() * len(signal), 1e4)
    for change in (
        PermutedApproximation(tuple(order)),
        ReversedApproximation(),
        FlatApproximation(),
        GivenApproximation(new),
    ):
        result = ChangeApproximation(change, wavelet, level).apply(signal)
        found, kept = decompose(result, wavelet, level, "periodization")
        assert len(result) == len(signal)
        assert result.sum() == pytest.approx(signal.sum(), abs=scale)
        assert found == pytest.approx(change.apply(approximation), abs=scale)
        for one, other in zip(kept, details, strict=True):
            assert one == pytest.approx(other, abs=scale)


def test_reversing_twice_restores_the_signal() -> None:
    signal = np.arange(16.0) ** 2
    backwards = ChangeApproximation(ReversedApproximation(), "db2", 2)
    assert backwards.apply(signal) != pytest.approx(signal)
    assert backwards.apply(backwards.apply(signal)) == pytest.approx(signal, abs=1e-9)


def test_the_haar_approximation_of_the_first_level_is_the_means_of_neighbours() -> None:
    signal = np.array([1.0, 3.0, 10.0, 20.0])
    result = ChangeApproximation(ReversedApproximation(), "haar", 1).apply(signal)
    assert result == pytest.approx([15 - 1, 15 + 1, 2 - 5, 2 + 5])


@pytest.mark.parametrize(("length", "level"), [(4, 1), (8, 2), (12, 2), (26, 1), (40, 3), (64, 5)])
def test_the_largest_level_leaves_two_coefficients(length: int, level: int) -> None:
    assert admissible_level(length) == level
    with pytest.raises(ValueError, match=f"at levels 1 to {level}, not at level {level + 1}"):
        admissible_level(length, level + 1)


@pytest.mark.parametrize("length", [1, 2, 3, 27])
def test_a_signal_that_cannot_be_halved_is_refused_with_a_way_out(length: int) -> None:
    with pytest.raises(ValueError, match="join or add a value"):
        ChangeApproximation(FlatApproximation()).apply(np.arange(float(length)))


def test_a_mode_in_which_details_cannot_stay_is_refused() -> None:
    signal = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
    with pytest.raises(ValueError, match="use mode periodization"):
        ChangeApproximation(ReversedApproximation(), "db2", mode="symmetric").apply(signal)
    with pytest.raises(ValueError, match="use mode periodization"):
        ChangeApproximation(ReversedApproximation(), "dmey").apply(signal)  # an approximate wavelet


@pytest.mark.parametrize(
    ("wavelet", "mode", "words"),
    [("mexh", "periodization", "not a discrete wavelet"), ("db2", "round", "not a boundary mode")],
)
def test_unknown_names_are_refused(wavelet: str, mode: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ChangeApproximation(FlatApproximation(), wavelet, mode=mode)


def test_wrong_numbers_of_coefficients_are_refused() -> None:
    for change in (GivenApproximation((1.0, 2.0, 3.0)), PermutedApproximation((0, 0))):
        with pytest.raises(ValueError, match="approximation"):
            ChangeApproximation(change, "haar", 1).apply(np.array([1.0, 2.0, 3.0, 4.0]))
