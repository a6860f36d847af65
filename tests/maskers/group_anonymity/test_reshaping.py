"""Changes of trend, period, amplitude and statistics: what they promise, by other means than theirs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, minimize

from constraint_sdc.maskers.group_anonymity.reshaping import (
    AddCycle,
    ChangeAmplitude,
    ChangePeriod,
    ChangeStatistics,
    ChangeTrend,
    InPart,
    SignalChange,
    tilted,
)
from tests.draws import draws

SIGNAL = np.array([4.0, 9.0, 3.0, 8.0, 14.0, 7.0, 13.0, 19.0])
seeds = st.integers(0, 10**6)


def drawn(seed: int, values: int = 12) -> np.ndarray:
    return np.random.default_rng(seed).lognormal(2, 1, values)


def coefficients(signal: np.ndarray, degree: int) -> np.ndarray:
    """The least-squares polynomial over places from the middle, lowest power first."""
    x = np.arange(len(signal)) - (len(signal) - 1) / 2
    return np.polyfit(x, signal, degree)[::-1]


@settings(max_examples=draws(100))
@given(seeds, st.integers(1, 4), st.floats(-3, 3))
def test_a_trend_is_multiplied_and_what_is_left_of_it_stays(seed: int, degree: int, factor: float) -> None:
    signal = drawn(seed)
    changed = ChangeTrend(degree, factor=factor).apply(signal)
    assert coefficients(changed, degree)[1:] == pytest.approx(factor * coefficients(signal, degree)[1:], abs=1e-6)
    assert changed.mean() == pytest.approx(signal.mean())


@settings(max_examples=draws(100))
@given(seeds, st.lists(st.floats(-2, 2), min_size=1, max_size=3))
def test_a_trend_of_another_degree_replaces_the_old_one(seed: int, wished: list[float]) -> None:
    signal = drawn(seed)
    changed = ChangeTrend(1, coefficients=tuple(wished)).apply(signal)
    x = np.arange(12) - 5.5
    left = signal - np.polyval(np.polyfit(x, signal, 1), x)
    expected = left + sum(c * x ** (j + 1) for j, c in enumerate(wished))
    assert changed - changed.mean() == pytest.approx(expected - np.mean(expected), abs=1e-6)
    assert changed.mean() == pytest.approx(signal.mean())


@pytest.mark.parametrize(("source", "target"), [(2, 3), (3, 2), (4, 6), (6, 3)])
def test_a_periodic_signal_gets_the_other_period(source: int, target: int) -> None:
    shape = np.random.default_rng(source).uniform(0, 9, source)
    signal = np.tile(shape, 24 // source)
    changed = ChangePeriod(source, target).apply(signal)
    assert changed == pytest.approx(np.tile(changed[:target], 24 // target))
    assert changed.mean() == pytest.approx(signal.mean())
    if target % source == 0:  # every phase of the old shape is one of the new
        assert changed[: target : target // source] - changed[0] == pytest.approx(shape - shape[0])


@settings(max_examples=draws(100))
@given(seeds, st.floats(-2, 3), st.sampled_from([2, 3, 4, 6]))
def test_what_repeats_itself_is_stretched_and_nothing_else(seed: int, factor: float, period: int) -> None:
    signal = drawn(seed)
    changed = ChangeAmplitude(factor, period).apply(signal)
    means = [[part[phase::period].mean() for phase in range(period)] for part in (signal, changed)]
    assert np.array(means[1]) - np.mean(means[1]) == pytest.approx(factor * (means[0] - np.mean(means[0])), abs=1e-9)
    rest = [part - np.tile(mean, 12 // period) for part, mean in zip((signal, changed), means, strict=True)]
    assert rest[1] == pytest.approx(rest[0], abs=1e-9)
    assert changed.mean() == pytest.approx(signal.mean())


@settings(max_examples=draws(100))
@given(seeds, st.floats(-2, 3))
def test_the_amplitude_of_all_is_the_deviation(seed: int, factor: float) -> None:
    signal = drawn(seed)
    changed = ChangeAmplitude(factor).apply(signal)
    assert changed.std() == pytest.approx(abs(factor) * signal.std())
    assert changed.mean() == pytest.approx(signal.mean())


def test_a_wave_has_its_crest_where_it_is_wished_and_keeps_the_mean() -> None:
    changed = AddCycle(period=4, height=3.0, at=1).apply(SIGNAL)
    assert (changed - SIGNAL).round(9).tolist() == [0, 3, 0, -3, 0, 3, 0, -3]
    assert changed.mean() == pytest.approx(SIGNAL.mean())


def test_a_part_is_changed_alone() -> None:
    changed = InPart(ChangeAmplitude(0.5), 2, 5).apply(SIGNAL)
    assert changed[[0, 1, 6, 7]].tolist() == SIGNAL[[0, 1, 6, 7]].tolist()
    assert changed[2:6] == pytest.approx(8 + 0.5 * (SIGNAL[2:6] - 8))


@settings(max_examples=draws(100))
@given(seeds, st.floats(-1.2, 1.2), st.floats(0.6, 1.4), st.booleans(), st.booleans())
def test_statistics_are_as_wished(seed: int, shift: float, stretch: float, has_mean: bool, has_deviation: bool) -> None:
    random = np.random.default_rng(seed)
    counts, values = random.integers(1, 30, 12).astype(float), np.sort(random.uniform(0, 60, 12))
    shares = counts / counts.sum()
    mean = float(shares @ values)
    deviation = float(np.sqrt(shares @ (values - mean) ** 2))
    wished = mean + shift * deviation / 3 if has_mean else None
    spread = stretch * deviation if has_deviation else None
    try:
        changed = ChangeStatistics(values, wished, spread).apply(counts)
    except ValueError:
        assert has_mean or has_deviation
        return
    assert changed.sum() == pytest.approx(counts.sum())
    assert (changed >= 0).all()
    new = float(changed @ values / changed.sum())
    assert new == pytest.approx(mean if wished is None else wished, abs=1e-6)
    if spread is not None:
        assert np.sqrt(changed @ (values - new) ** 2 / changed.sum()) == pytest.approx(spread, abs=1e-6)


def test_no_other_distribution_with_these_statistics_is_nearer() -> None:
    shares, values = np.array([0.1, 0.3, 0.2, 0.25, 0.15]), np.array([1.0, 2.0, 4.0, 7.0, 9.0])
    found = tilted(shares, values, 5.0, 2.5)

    def entropy(one: np.ndarray) -> float:
        return float((one * np.log(np.maximum(one, 1e-300) / shares)).sum())

    moments = np.vstack([np.ones(5), values, values**2])
    rule = LinearConstraint(moments, (1.0, 5.0, 31.25), (1.0, 5.0, 31.25))
    slow = minimize(entropy, np.full(5, 0.2), method="trust-constr", constraints=rule, bounds=[(1e-9, 1)] * 5)
    assert moments @ found == pytest.approx([1.0, 5.0, 31.25])
    assert entropy(found) <= slow.fun + 1e-6


def test_statistics_of_concentrations_are_those_of_the_records() -> None:
    base, reference = np.array([10, 40, 20, 30]), np.array([0.1, 0.2, 0.0, 0.1])
    counts, values = np.array([4.0, 6.0, 8.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0])
    plain = ChangeStatistics(values, 2.8, None).apply(counts)
    assert ChangeStatistics(values, 2.8, None, base).apply(counts / base) * base == pytest.approx(plain)
    difference = ChangeStatistics(values, 2.8, None, base, reference).apply(counts / base - reference)
    assert (difference + reference) * base == pytest.approx(plain)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (ChangeTrend(8, factor=2.0), "a trend of degree 8 needs"),
        (ChangePeriod(5, 2), "a period of 5 does not repeat itself in 8 values"),
        (ChangeAmplitude(2.0, 5), "does not repeat itself"),
        (InPart(ChangeAmplitude(2.0), 5, 5), "stands to the right"),
        (
            ChangeStatistics(np.arange(8.0), mean=9.0),
            "no distribution over the values that vital records have has mean 9",
        ),
        (ChangeStatistics(np.arange(8.0), deviation=4.0), "standard deviation 4"),
        (ChangeStatistics(np.full(8, 3.0), mean=4.0), "the same value"),
    ],
)
def test_what_does_not_fit_the_signal_is_said(change: SignalChange, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        change.apply(SIGNAL)


def test_statistics_of_counts_below_nought_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        ChangeStatistics(np.arange(2.0), 0.5).apply(np.array([-1.0, 3.0]))
