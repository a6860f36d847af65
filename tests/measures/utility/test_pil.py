from __future__ import annotations

import math
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures.utility.pil import Pil, PilBase, ProbabilisticLoss, pil
from constraint_sdc.reports.sentences import sentences
from tests.measures.pairs import group_means, pair_of


def _probability(before: float, after: float, variance: float) -> float:
    return 100 * 2 * (NormalDist().cdf(abs(after - before) / math.sqrt(variance)) - 0.5)


def _mu(x: np.ndarray, y: np.ndarray, p: int, q: int) -> float:
    return float(((x - x.mean()) ** p * (y - y.mean()) ** q).mean())


def _density(x: np.ndarray, at: float) -> float:
    """Return the Gaussian kernel density with Scott's bandwidth."""
    kernel = NormalDist(0.0, len(x) ** (-1 / 5) * x.std(ddof=1))
    return sum(kernel.pdf(at - value) for value in x.tolist()) / len(x)


def _slow_variable(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return the losses of mean, variance and quantiles of one variable by the textbook's formulas."""
    n = len(x)
    mean = _probability(x.mean(), y.mean(), _mu(x, x, 2, 0) / n)
    variance = _probability(x.var(ddof=1), y.var(ddof=1), (_mu(x, x, 4, 0) - _mu(x, x, 2, 0) ** 2) / n)
    quantiles = []
    for percent in range(5, 100, 5):
        q = percent / 100
        value = float(np.quantile(x, q))
        quantiles.append(_probability(value, np.quantile(y, q), q * (1 - q) / (n * _density(x, value) ** 2)))
    return mean, variance, float(np.mean(quantiles))


def _slow_pair(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return the losses of covariance and correlation; x and y are n x 2 files."""
    n = len(x)
    u, v = x.T
    m20, m02, m11, m22 = _mu(u, v, 2, 0), _mu(u, v, 0, 2), _mu(u, v, 1, 1), _mu(u, v, 2, 2)
    m40, m04, m31, m13 = _mu(u, v, 4, 0), _mu(u, v, 0, 4), _mu(u, v, 3, 1), _mu(u, v, 1, 3)
    r, r_masked = np.corrcoef(x.T)[0, 1], np.corrcoef(y.T)[0, 1]
    spread = m22 / m11**2 + (m40 / m20**2 + m04 / m02**2 + 2 * m22 / (m20 * m02)) / 4
    variance = r**2 / n * (spread - m31 / (m11 * m20) - m13 / (m11 * m02))
    covariance = _probability(np.cov(x.T)[0, 1], np.cov(y.T)[0, 1], (m22 - m11**2) / n)
    return covariance, _probability(r, r_masked, variance)


def _files(seed: int, n: int = 30) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    original = random.lognormal(size=(n, 3)) @ random.uniform(0.1, 1.0, size=(3, 3)) * [1.0, 1e5, 1e-5]
    return original, original * random.uniform(0.8, 1.3, size=(n, 3))


def _flat(found: Pil) -> list[float | None]:
    return [*found.mean, *found.variance, *found.quantile, *found.covariance, *found.correlation]


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_every_loss_is_that_of_the_textbook(seed: int) -> None:
    x, y = _files(seed)
    found = pil(x, y)
    variables = [_slow_variable(x[:, j], y[:, j]) for j in range(3)]
    pairs = [_slow_pair(x[:, two], y[:, two]) for two in map(list, combinations(range(3), 2))]
    assert found.mean == pytest.approx([v[0] for v in variables], abs=1e-6)
    assert found.variance == pytest.approx([v[1] for v in variables], abs=1e-6)
    assert found.quantile == pytest.approx([v[2] for v in variables], abs=1e-6)
    assert found.covariance == pytest.approx([p[0] for p in pairs], abs=1e-6)
    assert found.correlation == pytest.approx([p[1] for p in pairs], abs=1e-6)
    parts = [np.mean([v[0] for v in variables]), np.mean([v[1] for v in variables])]
    parts += [np.mean([p[0] for p in pairs]), np.mean([p[1] for p in pairs]), np.mean([v[2] for v in variables])]
    assert found.parts == pytest.approx(parts, abs=1e-6)
    assert found.total == pytest.approx(np.mean(parts), abs=1e-6)


@given(st.integers(0, 10_000))
@settings(max_examples=20)
def test_blanks_are_left_out_pair_by_pair(seed: int) -> None:
    x, y = _files(seed)
    random = np.random.default_rng(seed)
    x[random.random(x.shape) < 0.2] = np.nan
    y[random.random(x.shape) < 0.1] = np.nan
    both = np.isfinite(x) & np.isfinite(y)
    found = pil(x, y)
    variables = [_slow_variable(x[both[:, j], j], y[both[:, j], j]) for j in range(3)]
    assert list(zip(found.mean, found.variance, found.quantile, strict=True)) == [
        pytest.approx(losses, abs=1e-6) for losses in variables
    ]
    for at, two in enumerate(map(list, combinations(range(3), 2))):
        rows = both[:, two].all(axis=1)
        losses = _slow_pair(x[rows][:, two], y[rows][:, two])
        assert (found.covariance[at], found.correlation[at]) == pytest.approx(losses, abs=1e-6)


def test_the_original_side_is_computed_once_for_many_masked_files() -> None:
    x, y = _files(1)
    base = PilBase.of(x)
    assert base.pil(y) == pil(x, y)
    y[3, 1] = np.nan
    assert base.pil(y) == pil(x, y)


def test_means_that_differ_by_rounding_are_kept() -> None:
    x, _ = _files(2)
    found = pil(x, group_means(x, np.arange(30) // 3))
    assert found.parts[0] == pytest.approx(0.0, abs=1e-9)
    assert (found.parts[1] or 0.0) > 1.0


def test_a_correlation_that_a_rule_fixes_is_lost_wholly_or_not_at_all() -> None:
    x = np.arange(20.0)[:, None] ** 2 * [1.0, 3.0]
    kept = group_means(x, np.arange(20) // 4)
    assert pil(x, kept).correlation == (0.0,)
    assert pil(x, kept + np.eye(20, 2)).correlation == (100.0,)


def test_a_constant_that_changes_is_a_full_loss_and_has_no_correlation() -> None:
    x = np.column_stack((np.full(12, 4.0), np.arange(12.0)))
    assert pil(x, x).mean == (0.0, 0.0)
    found = pil(x, x + np.array([1.0, 0.0]))
    assert found.mean == (100.0, 0.0)
    assert found.variance == (0.0, 0.0)
    assert found.quantile == (100.0, 0.0)
    assert found.correlation == (None,)


def test_a_variable_made_constant_loses_its_correlations() -> None:
    x, _ = _files(3)
    found = pil(x, x * [1.0, 1.0, 0.0])
    assert found.correlation == (0.0, 100.0, 100.0)


def test_values_thrown_beyond_all_bounds_are_a_full_loss() -> None:
    x, _ = _files(4)
    found = pil(x, x * 1e300)
    assert found.mean == found.variance == found.covariance == (100.0, 100.0, 100.0)
    assert found.correlation == pytest.approx((0.0, 0.0, 0.0), abs=1e-6)


def test_a_shuffled_file_keeps_what_is_said_of_one_variable_and_loses_what_is_said_of_two() -> None:
    x, _ = _files(5, 400)
    found = pil(x, np.random.default_rng(0).permuted(x, axis=0))
    means, variances, covariances, correlations, quantiles = found.parts
    assert (means, variances, quantiles) == (0.0, 0.0, 0.0)
    assert (covariances or 0.0) > 90
    assert (correlations or 0.0) > 90


def test_one_variable_has_no_pairs_and_the_total_says_so() -> None:
    x, y = _files(6)
    found = ProbabilisticLoss().measure(pair_of(x[:, :1], y[:, :1]))
    values = [found.value(part) for part in ("means", "variances", "quantiles")]
    assert found.value("pil") == pytest.approx(np.mean([v for v in values if v is not None]))
    assert found.value("covariances") is None
    assert sentences(found.notes) == ["Not defined, and left out of the total: covariances and correlations."]


@given(st.integers(0, 10_000), st.floats(0.0, 10.0))
@settings(max_examples=30)
def test_a_loss_is_a_percentage(seed: int, noise: float) -> None:
    random = np.random.default_rng(seed)
    x = np.round(random.standard_cauchy(size=(12, 3)), 1)
    losses = _flat(pil(x, np.round(x + noise * random.normal(size=x.shape))))
    assert all(loss is None or 0.0 <= loss <= 100.0 for loss in losses)
