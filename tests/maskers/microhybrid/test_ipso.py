"""IPSO: what synthetic values keep of a cluster, whatever the cluster is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.microhybrid.ipso import ipso


def cluster(seed: int, n: int, p: int, q: int, offset: float = 0.0) -> tuple[Points, Points]:
    """Draw correlated, skewed variables: p confidential ones and q that are given."""
    rng = np.random.default_rng(seed)
    both = np.exp(rng.standard_normal((n, p + q)) @ rng.standard_normal((p + q, p + q))) + offset
    return both[:, :p], both[:, p:]


def moments(x: Points, y: Points) -> tuple[Points, Points]:
    both = np.column_stack([x, y])
    return x.mean(axis=0), np.cov(both.T, bias=True).reshape(both.shape[1], -1)[: x.shape[1]]


def agrees(x: Points, synthetic: Points, y: Points) -> None:
    """Require means and covariances to agree to 1e-9, in units of the deviations."""
    deviation = np.column_stack([x, y]).std(axis=0)
    unit = np.where(deviation > 0, deviation, 1.0)
    (mean, covariance), (new_mean, new_covariance) = moments(x, y), moments(synthetic, y)
    p = x.shape[1]
    size = np.maximum(np.abs(mean), unit[:p])
    np.testing.assert_array_less(np.abs(new_mean - mean) / size, 1e-9)
    np.testing.assert_array_less(np.abs(new_covariance - covariance) / np.outer(unit[:p], unit), 1e-9)


@settings(max_examples=120)
@given(seed=st.integers(0, 10**6), p=st.integers(1, 6), q=st.integers(0, 3), extra=st.integers(0, 30), data=st.data())
def test_means_and_covariances_are_those_of_the_cluster(
    seed: int, p: int, q: int, extra: int, data: st.DataObject
) -> None:
    closeness = data.draw(st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
    x, y = cluster(seed, p + 2 * q + 1 + extra, p, q)
    agrees(x, ipso(x, y, np.random.default_rng(seed), closeness), y)


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), q=st.integers(0, 2), extra=st.integers(0, 10))
def test_linear_equalities_survive_by_algebra(seed: int, q: int, extra: int) -> None:
    """A total of confidential variables, and a balance with a given one where there is one."""
    x, y = cluster(seed, 4 + 2 * q + 1 + extra, 2, q)
    balance = 3.0 * x[:, 0] - (y[:, 0] if q else 0.0) + 7.0
    both = np.column_stack([x, x[:, 0] + x[:, 1], balance])
    new = ipso(both, y, np.random.default_rng(seed))
    size = np.abs(both).max()
    np.testing.assert_allclose(new[:, 0] + new[:, 1], new[:, 2], atol=1e-9 * size)
    np.testing.assert_allclose(3.0 * new[:, 0] - (y[:, 0] if q else 0.0) + 7.0, new[:, 3], atol=1e-9 * size)
    agrees(both, new, y)


@given(seed=st.integers(0, 10**6), p=st.integers(1, 4))
def test_a_single_record_is_given_back_and_so_is_a_constant(seed: int, p: int) -> None:
    x, _ = cluster(seed, 1, p, 0)
    assert (ipso(x, np.zeros((1, 0)), np.random.default_rng(1)) == x).all()
    many = np.repeat(x, 9, axis=0)
    assert (ipso(many, np.zeros((9, 0)), np.random.default_rng(1)) == many).all()


def test_closeness_one_is_the_original_and_nought_is_uncorrelated_with_it() -> None:
    x, y = cluster(5, 40, 3, 1)
    np.testing.assert_allclose(ipso(x, y, np.random.default_rng(2), 1.0), x, rtol=1e-9)
    far = ipso(x, y, np.random.default_rng(2), 0.0)
    basis = np.column_stack([np.ones(40), y])
    residual, new_residual = (v - basis @ np.linalg.lstsq(basis, v, rcond=None)[0] for v in (x, far))
    products = residual.T @ new_residual
    assert np.abs(products).max() < 1e-9 * np.abs(residual.T @ residual).max()


def test_the_univariate_case_is_the_one_that_the_paper_describes() -> None:
    """One X and one Y: fitted values of the regression, and noise orthogonal to both with the residuals' variance."""
    x, y = cluster(11, 25, 1, 1)
    new = ipso(x, y, np.random.default_rng(3))
    slope, intercept = np.polyfit(y[:, 0], x[:, 0], 1)
    noise = new[:, 0] - (intercept + slope * y[:, 0])
    residual = x[:, 0] - (intercept + slope * y[:, 0])
    for other in (np.ones(25), y[:, 0], x[:, 0]):
        assert abs(noise @ other) < 1e-9 * np.linalg.norm(noise) * np.linalg.norm(other)
    assert noise.var() == pytest.approx(residual.var(), rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e5])
def test_a_large_offset_costs_no_more_digits_than_doubles_lose(offset: float) -> None:
    x, y = cluster(17, 20, 2, 0, offset)
    agrees(x, ipso(x, y, np.random.default_rng(0)), y)


def test_the_same_seed_draws_the_same_and_another_does_not() -> None:
    x, y = cluster(1, 12, 2, 0)
    once, again, other = (ipso(x, y, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert (once == again).all()
    assert not np.allclose(once, other)
