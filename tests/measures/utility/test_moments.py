from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kurtosis, skew

from constraint_sdc.measures.utility.moments import FourMoments, Moments, moment_changes
from tests.measures.pairs import pair_of


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_moments_are_those_of_the_textbook(seed: int) -> None:
    random = np.random.default_rng(seed)
    x = random.lognormal(size=(30, 2)) * [1.0, 1e6]
    y = x * random.uniform(0.5, 1.5, size=x.shape)
    y[::7, 0] = np.nan
    for j, found in enumerate(moment_changes(x, y)):
        known = np.isfinite(y[:, j])
        before, after = x[known, j], y[known, j]
        b = [before.mean(), before.std(ddof=1), skew(before), kurtosis(before, fisher=False)]
        a = [after.mean(), after.std(ddof=1), skew(after), kurtosis(after, fisher=False)]
        assert found.before == FourMoments(*(pytest.approx(m) for m in b))
        assert found.after == FourMoments(*(pytest.approx(m) for m in a))
        units = [before.std(), before.std(ddof=1), np.sqrt(b[3]), b[3]]
        changes = [100 * abs(m - o) / unit for m, o, unit in zip(a, b, units, strict=True)]
        assert found.change == FourMoments(*(pytest.approx(c, abs=1e-9) for c in changes))


def test_the_headline_is_the_mean_of_the_four_and_each_is_the_mean_over_variables() -> None:
    x = np.column_stack((np.arange(8.0), np.arange(8.0) ** 3))
    found = Moments().measure(pair_of(x, x * 2.0))
    assert found.value("deviation") == pytest.approx(100.0)
    assert found.value("skewness") == pytest.approx(0.0)
    assert found.value("kurtosis") == pytest.approx(0.0)
    means = [100 * x[:, j].mean() / x[:, j].std() for j in (0, 1)]
    assert found.value("mean") == pytest.approx(np.mean(means))
    assert found.value("change") == pytest.approx((np.mean(means) + 100.0) / 4)


def test_a_variable_made_constant_has_no_shape_left() -> None:
    x = np.arange(6.0)[:, None]
    (found,) = moment_changes(x, np.full((6, 1), 2.5))
    assert found.after == FourMoments(2.5, 0.0, None, None)
    assert found.change == FourMoments(pytest.approx(0.0, abs=1e-9), 100.0, None, None)


def test_a_constant_can_only_stay() -> None:
    x = np.full((4, 1), 3.0)
    assert moment_changes(x, x)[0].change == FourMoments(0.0, 0.0, None, None)
    assert moment_changes(x, x + 1.0)[0].change == FourMoments(None, None, None, None)


def test_a_shuffled_file_keeps_its_moments() -> None:
    x = np.random.default_rng(2).lognormal(size=(50, 3))
    found = Moments().measure(pair_of(x, x[::-1]))
    assert found.value("change") == pytest.approx(0.0, abs=1e-9)


def test_a_large_offset_does_not_hide_a_shift() -> None:
    x = 1e15 + np.arange(10.0)[:, None]
    (found,) = moment_changes(x, x + 1.0)
    assert found.change.mean == pytest.approx(100 / np.arange(10.0).std())
    assert found.change.deviation == pytest.approx(0.0, abs=1e-9)
