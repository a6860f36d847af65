"""Fuzzy c-means equals its formulas, never raises its objective, and stays sound from m = 1 to infinity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.fuzzy.c_means import fuzzy_c_means, pull_at, spread_records, weighted_means
from constraint_sdc.maskers.fuzzy.memberships import centre_values
from constraint_sdc.maskers.fuzzy.nearness import cut_regions
from tests.maskers.fuzzy.textbook import FUZZINESS, clouds, crisp_loss, crisp_means, objective, updated


@pytest.mark.parametrize("m", [1.05, 1.2, 1.5, 2.0, 3.0, 10.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_centres_and_objective_are_those_of_the_formulas(m: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    points, start = random.standard_normal((25, 3)), random.standard_normal((6, 3))
    expected = start
    for _ in range(5):
        expected = updated(points, expected, m)
    found = fuzzy_c_means(points, 6, m, seed=1, start=start, iterations=5, tolerance=-1.0)
    np.testing.assert_allclose(found.centres, expected, rtol=1e-9, atol=1e-9)
    assert found.objective == pytest.approx(objective(points, expected, m), rel=1e-9)
    assert found.iterations == 5


@pytest.mark.parametrize("m", [1.3, 2.0, 3.0])
def test_centres_that_start_at_records_follow_the_formulas_too(m: float) -> None:
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [3.0, 1.0], [5.0, 2.0], [1.0, 0.0]])
    start = points[[0, 1, 2, 4]]
    found = fuzzy_c_means(points, 4, m, seed=1, start=start, iterations=1, tolerance=-1.0)
    np.testing.assert_allclose(found.centres, updated(points, start, m), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_with_m_1_it_is_k_means(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.standard_normal((60, 2))
    start = points[random.choice(60, 8, replace=False)]  # at records, no centre is without one
    found = fuzzy_c_means(points, 8, 1.0, seed=1, start=start, iterations=6, tolerance=-1.0)
    np.testing.assert_allclose(found.centres, crisp_means(points, start, 6), rtol=1e-12, atol=1e-12)
    assert found.objective == pytest.approx(crisp_loss(points, found.centres), rel=1e-12)


@given(points=clouds(), share=st.floats(0, 1), m=st.sampled_from(FUZZINESS), seed=st.integers(0, 99), own=st.booleans())
def test_the_objective_never_rises_and_centres_stay_among_the_records(
    points: Points, share: float, m: float, seed: int, own: bool
) -> None:
    c = max(1, round(share * len(points)))
    start = None if own else points[np.random.default_rng(seed).choice(len(points), c, replace=False)] * 0.9
    found = fuzzy_c_means(points, c, m, seed, start=start, iterations=12, tolerance=0.0)
    assert np.isfinite(found.centres).all()
    assert found.centres.shape == (c, points.shape[1])
    falls = -np.diff(found.objectives)
    assert (falls >= 0.0).all()
    if found.iterations:
        assert (found.centres >= points.min(axis=0)).all()
        assert (found.centres <= points.max(axis=0)).all()


@given(points=clouds(), share=st.floats(0, 1), m=st.sampled_from(FUZZINESS), seed=st.integers(0, 99))
def test_an_update_does_not_raise_the_objective(points: Points, share: float, m: float, seed: int) -> None:
    c = max(1, round(share * len(points)))
    centres = points[np.random.default_rng(seed).choice(len(points), c, replace=False)] * 0.9
    for _ in range(5):
        pull = pull_at(points, centres, m, points)
        centres = weighted_means(pull, points)
        assert pull_at(points, centres, m, points).objective <= pull.objective * (1.0 + 1e-9) + 1e-20


@given(points=clouds(), share=st.floats(0, 1), m=st.sampled_from(FUZZINESS), cells=st.sampled_from([1, 7, 40, 10**6]))
def test_chunks_change_sums_by_their_rounding_only(points: Points, share: float, m: float, cells: int) -> None:
    c = max(1, round(share * len(points)))
    centres = points[:c] * 0.9
    whole, parts = pull_at(points, centres, m, points), pull_at(points, centres, m, points, cells)
    np.testing.assert_allclose(parts.weights, whole.weights, rtol=1e-12)
    assert (parts.least == whole.least).all()
    assert parts.objective == whole.objective


def test_a_centre_that_no_record_pulls_at_goes_where_it_is_needed() -> None:
    points = np.array([[0.0], [0.1], [5.0], [9.0], [9.1]])
    start = np.array([[0.0], [9.0], [1e9]])
    for m in (1.0, 1.01):
        centres = fuzzy_c_means(points, 3, m, seed=1, start=start).centres
        np.testing.assert_allclose(np.sort(centres[:, 0]), [0.05, 5.0, 9.05], atol=1e-9)


def test_equal_points_and_more_centres_than_places() -> None:
    points = np.repeat(np.array([[1.0, 2.0], [3.0, 4.0]]), 5, axis=0)
    for m in FUZZINESS:
        found = fuzzy_c_means(points, 6, m, seed=3)
        assert np.isfinite(found.centres).all()
        assert found.converged
        if m < 3.0:
            assert found.objective == pytest.approx(0.0, abs=1e-9)


def test_one_centre_is_the_mean_for_every_m() -> None:
    points = np.random.default_rng(5).standard_normal((40, 3))
    for m in FUZZINESS:
        np.testing.assert_allclose(fuzzy_c_means(points, 1, m, seed=3).centres[0], points.mean(axis=0), atol=1e-12)


def test_the_same_seed_gives_the_same_centres_and_another_seed_others() -> None:
    points = np.random.default_rng(5).standard_normal((200, 3))
    one, same, other = (fuzzy_c_means(points, 40, 1.2, seed).centres for seed in (1, 1, 2))
    assert (one == same).all()
    assert not (one == other).all()


def test_the_default_start_beats_random_records() -> None:
    random = np.random.default_rng(8)
    points = random.standard_t(3, (400, 5))
    for m in (1.0, 1.05, 1.2, 1.4):
        ours = fuzzy_c_means(points, 130, m, seed=1).objective
        theirs = [
            fuzzy_c_means(points, 130, m, 1, start=points[random.choice(400, 130, replace=False)]).objective
            for _ in range(3)
        ]
        assert ours < min(theirs)


@given(points=clouds(), share=st.floats(0, 1), seed=st.integers(0, 99))
def test_records_to_start_from_are_distinct_and_at_distinct_places_first(
    points: Points, share: float, seed: int
) -> None:
    c = max(1, round(share * len(points)))
    chosen = spread_records(points, c, seed)
    assert len(set(chosen.tolist())) == c
    apart = np.round(points, 9)
    if len(np.unique(apart, axis=0)) == len(np.unique(points, axis=0)):  # no differences whose squares are nothing
        assert len(np.unique(points[chosen], axis=0)) == min(c, len(np.unique(points, axis=0)))


@given(n=st.integers(2, 400), share=st.floats(0.01, 1.0), region=st.integers(4, 4000))
def test_regions_share_out_all_records_and_all_centres(n: int, share: float, region: int) -> None:
    c = max(1, int(share * n))
    regions = cut_regions(np.random.default_rng(n).standard_normal((n, 2)), c, whole=0, region=region)
    records, centres = zip(*regions.each(), strict=True)
    assert np.sort(np.concatenate(records)).tolist() == list(range(n))
    assert np.concatenate(centres).tolist() == list(range(c))
    assert all(1 <= len(own) <= len(rows) for rows, own in zip(records, centres, strict=True))
    assert len(regions) == len(records)


def test_a_large_file_is_cut_into_regions_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(2).standard_normal((900, 2))
    whole = fuzzy_c_means(points, 300, 1.1, seed=1)
    monkeypatch.setattr(
        "constraint_sdc.maskers.fuzzy.c_means.cut_regions", lambda p, c: cut_regions(p, c, whole=0, region=30_000)
    )
    parts = fuzzy_c_means(points, 300, 1.1, seed=1)
    assert str(whole).startswith("300 centres over all records, converged")
    assert str(parts).startswith("300 centres in 3 regions, converged")
    assert len(parts.centres) == 300
    assert parts.objective < 1.15 * whole.objective
    values = 3.0 + 2.0 * points
    own = centre_values(points, parts.centres, 1.1, values, regions=parts.regions)
    np.testing.assert_allclose(own, 3.0 + 2.0 * parts.centres, atol=0.02)


@given(points=clouds(), share=st.floats(0, 1), m=st.sampled_from(FUZZINESS), cells=st.sampled_from([1, 30, 10**6]))
def test_values_of_centres_lie_within_the_range_of_the_records(
    points: Points, share: float, m: float, cells: int
) -> None:
    c = max(1, round(share * len(points)))
    values = 1e4 + 37.0 * points[:, ::-1] ** 2
    found = centre_values(points, points[:c] * 1.1, m, values, cells=cells)
    assert (found >= values.min(axis=0)).all()
    assert (found <= values.max(axis=0)).all()


def test_values_of_centres_are_those_of_an_update_in_the_units_of_the_file() -> None:
    random = np.random.default_rng(4)
    points, centres = random.standard_normal((30, 2)), random.standard_normal((5, 2))
    values = 1000.0 + 20.0 * points
    np.testing.assert_allclose(
        centre_values(points, centres, 1.4, values), 1000.0 + 20.0 * updated(points, centres, 1.4), rtol=1e-12
    )


def test_a_centre_that_no_record_pulls_at_has_the_values_of_its_nearest_record() -> None:
    points = np.array([[0.0], [1.0], [5.0]])
    found = centre_values(points, np.array([[0.4], [5.0], [7.0]]), 1.0, 10.0 * points)
    assert found.tolist() == [[5.0], [50.0], [50.0]]


@pytest.mark.parametrize("m", [0.5, math.nan, -1.0])
def test_an_impossible_m_is_refused(m: float) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        fuzzy_c_means(np.zeros((3, 1)), 2, m, seed=1)


def test_impossible_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="use 1 to 3"):
        fuzzy_c_means(np.zeros((3, 1)), 4, 2.0, seed=1)
    with pytest.raises(ValueError, match="finite"):
        fuzzy_c_means(np.array([[0.0], [math.nan]]), 1, 2.0, seed=1)
    with pytest.raises(ValueError, match="`start` has 2 centres"):
        fuzzy_c_means(np.zeros((3, 1)), 1, 2.0, seed=1, start=np.zeros((2, 1)))
