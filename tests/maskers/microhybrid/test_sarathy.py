"""The generator of Muralidhar and Sarathy: moments that stay, and as much of the original as alpha says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.microhybrid.ipso import ipso
from constraint_sdc.maskers.microhybrid.masker import Alpha
from constraint_sdc.maskers.microhybrid.sarathy import sarathy
from tests.maskers.microhybrid.test_ipso import agrees, cluster


def coefficients(x: Points, y: Points, synthetic: Points) -> Points:
    """The formula of the paper read backwards: regress x' on (1, x, y), and return what belongs to x."""
    known = np.column_stack([np.ones(len(x)), x, y])
    found = np.linalg.lstsq(known, synthetic, rcond=None)[0]
    return np.asarray(found[1 : 1 + x.shape[1]], np.float64)


def plain(n: int, p: int, q: int, seed: int) -> tuple[Points, Points]:
    """Correlated normal variables, so that alphas need not be close to each other."""
    rng = np.random.default_rng(seed)
    both = rng.standard_normal((n, p + q)) @ (np.eye(p + q) + 0.2 * rng.standard_normal((p + q, p + q)))
    return both[:, :p] * 7 + 30, both[:, p:]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), p=st.integers(2, 4), q=st.integers(0, 2), extra=st.integers(0, 20))
def test_moments_stay_and_alpha_is_the_coefficient_of_the_original(seed: int, p: int, q: int, extra: int) -> None:
    x, y = plain(2 * p + q + 6 + extra, p, q, seed)
    alpha = np.random.default_rng(seed).uniform(0.2, 0.5, p)
    found = sarathy(x, y, np.random.default_rng(seed), alpha)
    if found is None:  # then the paper's covariance of the noise has a negative eigenvalue
        rest = (
            x
            - np.column_stack([np.ones(len(x)), y])
            @ np.linalg.lstsq(np.column_stack([np.ones(len(x)), y]), x, rcond=None)[0]
        )
        products = rest.T @ rest
        assert np.linalg.eigvalsh(products - np.diag(alpha) @ products @ np.diag(alpha)).min() < 0
        return
    agrees(x, found, y)
    assert coefficients(x, y, found) == pytest.approx(np.diag(alpha), abs=1e-6)


@given(seed=st.integers(0, 10**6), alpha=st.floats(0, 0.95))
def test_one_alpha_for_all_is_the_closeness_of_ipso(seed: int, alpha: float) -> None:
    x, y = plain(20, 3, 1, seed)
    found = ipso(x, y, np.random.default_rng(seed), alpha)
    agrees(x, found, y)
    assert coefficients(x, y, found) == pytest.approx(alpha * np.eye(3), abs=1e-6)
    same = sarathy(x, y, np.random.default_rng(seed), np.full(3, alpha))
    assert same is not None
    assert coefficients(x, y, same) == pytest.approx(alpha * np.eye(3), abs=1e-6)


def test_noise_of_a_negative_variance_and_noise_without_room_are_refused() -> None:
    x, y = cluster(3, 30, 2, 0)
    total = np.column_stack([x, x.sum(axis=1)])
    assert sarathy(total, y, np.random.default_rng(1), np.array([0.1, 0.5, 0.3])) is None
    assert sarathy(total, y, np.random.default_rng(1), np.full(3, 0.3)) is not None
    few, none = plain(4, 2, 0, 1)
    assert sarathy(few, none, np.random.default_rng(1), np.array([0.1, 0.2])) is None


def test_alpha_of_a_block() -> None:
    assert Alpha.of(None, ("A", "B")).numbers == (0.0, 0.0)
    assert Alpha.of(0.3, ("A", "B")) == Alpha((0.3, 0.3))
    uneven = Alpha.of((("B", 0.4),), ("A", "B"))
    assert (uneven.numbers, uneven.is_even, uneven.largest) == ((0.0, 0.4), False, 0.4)
