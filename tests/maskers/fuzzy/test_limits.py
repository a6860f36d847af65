"""The limits that V. Torra names: from the records themselves, by k-means and uniform draws, to one mean for all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_sdc.maskers.fuzzy.c_means import fuzzy_c_means
from constraint_sdc.maskers.fuzzy.memberships import draw
from tests.maskers.fuzzy.textbook import crisp_loss, crisp_means


@pytest.mark.parametrize("m", [1.0, 1.0 + 1e-12, 1.0001, 1.01])
def test_m1_and_m2_near_1_are_k_means(m: float) -> None:
    random = np.random.default_rng(3)
    points = random.standard_normal((90, 3))
    start = points[random.choice(90, 30, replace=False)] * 0.999
    found = fuzzy_c_means(points, 30, m, seed=1, start=start, tolerance=0.0)
    assert crisp_loss(points, found.centres) == pytest.approx(
        crisp_loss(points, crisp_means(points, start, 30)), rel=0.05
    )
    labels = draw(points, found.centres, m, seed=1)
    to_all = ((points[:, None, :] - found.centres[None, :, :]) ** 2).sum(axis=2)
    drawn = to_all[np.arange(90), labels]
    assert (drawn <= to_all.min(axis=1) * (1.0 + 1e-9) if m < 1.01 else drawn <= 1.2 * to_all.min(axis=1)).all()


@pytest.mark.parametrize("m", [6.0, 50.0, 1e6, math.inf])
def test_with_large_m1_every_centre_is_the_mean_of_all(m: float) -> None:
    points = np.random.default_rng(3).standard_normal((120, 5))
    found = fuzzy_c_means(points, 40, m, seed=1, iterations=300, tolerance=1e-12)
    np.testing.assert_allclose(found.centres, np.tile(points.mean(axis=0), (40, 1)), atol=1e-3)


def test_one_variable_keeps_its_centres_apart_however_large_m1_is() -> None:
    points = np.random.default_rng(3).standard_normal((120, 1))
    found = fuzzy_c_means(points, 2, 1e6, seed=1, iterations=300, tolerance=1e-12)
    together = np.tile(points.mean(axis=0), (2, 1))
    at_mean = fuzzy_c_means(points, 2, 1e6, seed=1, start=together, iterations=1)
    assert np.ptp(found.centres) > 0.1
    assert found.objectives[-1] < at_mean.objectives[-1]


@pytest.mark.parametrize("m2", [1e6, math.inf])
def test_m1_near_1_and_large_m2_draw_uniformly_among_distinct_centres(m2: float) -> None:
    points = np.random.default_rng(3).standard_normal((3_000, 3))
    centres = fuzzy_c_means(points, 30, 1.0001, seed=1).centres
    assert len(np.unique(np.round(centres, 6), axis=0)) == 30
    counts = np.bincount(draw(points, centres, m2, seed=1), minlength=30)
    chi_square = float(((counts - 100.0) ** 2 / 100.0).sum())
    assert 5.0 < chi_square < 80.0  # 29 degrees of freedom; beyond one in a million either way


@pytest.mark.parametrize("m", [1.0, 1.0 + 1e-12, 1.0001, 1.05])
def test_as_many_centres_as_records_and_m_near_1_give_the_records_back(m: float) -> None:
    points = np.random.default_rng(3).standard_normal((80, 3))
    points[7] = points[3]
    centres = fuzzy_c_means(points, 80, m, seed=1).centres
    np.testing.assert_allclose(centres[draw(points, centres, m, seed=1)], points, atol=1e-6)
