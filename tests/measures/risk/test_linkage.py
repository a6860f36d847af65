"""Linkage by distance, standardised and Mahalanobis, and averaged over subsets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.points import place, standardised
from constraint_sdc.measures.risk.distance_linkage import DistanceLinkage, distance_linkage
from constraint_sdc.measures.risk.mahalanobis_linkage import MahalanobisLinkage, whitened
from constraint_sdc.measures.risk.subset_linkage import SubsetLinkage, drawn_subsets, sampled_rows, subset_linkage
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of


def grouped(n: int, d: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A file, and the means of groups along its first variable."""
    original = np.random.default_rng(seed).lognormal(2.0, 1.0, size=(n, d))
    label = np.empty(n, np.int64)
    label[np.argsort(original[:, 0])] = np.minimum(np.arange(n) // k, n // k - 1)
    return original, group_means(original, label)


def slow_linkage(original: np.ndarray, masked: np.ndarray) -> float:
    """The definition, with n x n distances in standard deviations and all ties shared."""
    deviation = original.std(axis=0)
    total = 0.0
    for i, record in enumerate(masked):
        apart = [math.dist(record / deviation, other / deviation) for other in original]
        tied = [j for j, each in enumerate(apart) if each <= min(apart) * (1 + 1e-9)]
        total += (i in tied) / len(tied)
    return 100 * total / len(original)


def slow_mahalanobis(original: np.ndarray, masked: np.ndarray) -> float:
    inverse = np.linalg.pinv(np.cov(original.T, ddof=0), rcond=1e-10, hermitian=True)
    right = 0.0
    for i, record in enumerate(masked):
        apart = np.array([math.sqrt(max((record - other) @ inverse @ (record - other), 0.0)) for other in original])
        tied = np.flatnonzero(apart <= apart.min() * (1 + 1e-9))
        right += (i in tied) / len(tied)
    return 100 * right / len(original)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_share_is_that_of_the_definition(k: int) -> None:
    original, masked = grouped(90, 3, k)
    places = standardised(original, masked)
    assert distance_linkage(places.original, places.masked).percent == pytest.approx(slow_linkage(original, masked))


def test_the_other_direction_links_originals_to_the_nearest_masked_records_and_shares_the_k_identical_ones() -> None:
    original, masked = np.array([[0.0], [1.0], [9.0], [10.0]]), np.array([[0.5], [0.5], [9.5], [9.5]])
    found = DistanceLinkage().measure(pair_of(original, masked))
    assert found.value("reverse") == 50.0
    assert found.value("linked") == 50.0
    assert found.value("unique") == 0
    assert found.value("sure") is None


def test_file_order_gives_nothing_away() -> None:
    original, masked = grouped(120, 2, 3)
    order = np.random.default_rng(1).permutation(120)
    places, moved = standardised(original, masked), standardised(original[order], masked[order])
    one, other = (distance_linkage(p.original, p.masked) for p in (places, moved))
    assert (one.unique, one.unique_right) == (other.unique, other.unique_right)
    assert one.expected == pytest.approx(other.expected)


def test_a_constant_file_is_linked_by_lots() -> None:
    original = np.random.default_rng(0).normal(size=(50, 2))
    found = DistanceLinkage().measure(pair_of(original[:1].repeat(50, axis=0), original[:1].repeat(50, axis=0)))
    assert found.value("linked") == pytest.approx(2.0)
    assert found.value("chance") == pytest.approx(2.0)


def test_how_sure_he_is_counts_links_without_an_alternative() -> None:
    original = np.array([[0.0], [2.0], [7.0], [10.0]])
    masked = np.array([[1.0], [1.0], [10.0], [10.0]])  # two share a mean, one is linked to its neighbour, one rightly
    found = DistanceLinkage().measure(pair_of(original, masked))
    assert found.value("expected") == 2.0
    assert (found.value("unique"), found.value("unique-right"), found.value("sure")) == (2, 1, 50.0)


def test_only_what_he_knows_counts() -> None:
    original = np.random.default_rng(0).normal(size=(60, 2))
    masked = original.copy()
    masked[:, 1] = 0.0
    assert DistanceLinkage().measure(pair_of(original, masked, known=["V1"])).value("linked") == 100.0
    assert DistanceLinkage().measure(pair_of(original, masked, known=["V2"])).value("linked") < 5.0


def test_categories_and_blanks_link_too() -> None:
    town, age = [0.0, 1.0, 2.0, 2.0], [20.0, 20.0, math.nan, 30.0]
    variables = (compared("Town", town, town, scale=Scale.NOMINAL), compared("Age", age, age))
    found = DistanceLinkage().measure(Pair(variables, ("Town", "Age")))
    assert found.value("linked") == 100.0
    assert found.value("unique") == 4


@pytest.mark.parametrize("k", [2, 4])
def test_mahalanobis_agrees_with_the_formula(k: int) -> None:
    original, masked = grouped(80, 3, k, seed=4)
    found = MahalanobisLinkage().measure(pair_of(original, masked))
    assert found.value("linked") == pytest.approx(slow_mahalanobis(original, masked))
    assert found.notes == ()


def test_an_exact_rule_makes_no_difference_to_mahalanobis_and_is_noted() -> None:
    original, masked = grouped(80, 3, 4, seed=5)
    total = [np.column_stack((each, each.sum(axis=1))) for each in (original, masked)]
    without, found = (MahalanobisLinkage().measure(p) for p in (pair_of(original, masked), pair_of(*total)))
    assert found.value("linked") == pytest.approx(without.value("linked"))
    assert sentences(found.notes)[0].startswith("1 of 4 directions has no spread in the original")


def test_whitened_originals_have_unit_covariance() -> None:
    original, masked = grouped(200, 3, 4, seed=6)
    turned = whitened(original, masked)
    assert np.cov(turned.original.T, ddof=0) == pytest.approx(np.eye(3), abs=1e-9)


def test_mahalanobis_has_nothing_to_say_about_constants() -> None:
    found = MahalanobisLinkage().measure(pair_of(np.full((5, 2), 0.1), np.full((5, 2), 0.3)))
    assert found.figures[0].value is None
    assert sentences(found.notes)


def test_subsets_are_averaged_within_a_size_and_then_over_sizes() -> None:
    original, masked = grouped(60, 3, 3, seed=7)
    found = SubsetLinkage().measure(pair_of(original, masked))
    means = [
        np.mean(
            [slow_linkage(original[:, list(s)], masked[:, list(s)]) for s in itertools.combinations(range(3), size)]
        )
        for size in (1, 2, 3)
    ]
    assert [row[3] for row in found.tables[0].rows] == pytest.approx(means)
    assert found.value("linked") == pytest.approx(np.mean(means))
    assert found.notes == ()


@pytest.mark.parametrize("bound", [1, 2, 3, 9])
def test_an_intruder_knows_no_more_variables_than_the_bound(bound: int) -> None:
    original, masked = grouped(40, 3, 3, seed=7)
    found = SubsetLinkage(known_at_most=bound).measure(pair_of(original, masked))
    means = [
        np.mean(
            [slow_linkage(original[:, list(s)], masked[:, list(s)]) for s in itertools.combinations(range(3), size)]
        )
        for size in range(1, min(bound, 3) + 1)
    ]
    assert [row[3] for row in found.tables[0].rows] == pytest.approx(means)
    assert found.value("linked") == pytest.approx(np.mean(means))


def test_the_bound_changes_no_draw_of_a_smaller_size() -> None:
    pair = pair_of(*grouped(60, 6, 3, seed=8))
    bound, free = (SubsetLinkage(known_at_most=most, per_size=4, seed=3).measure(pair) for most in (3, 0))
    assert bound.tables[0].rows == free.tables[0].rows[:3]


def test_many_subsets_and_records_are_drawn_by_the_seed_and_it_is_said() -> None:
    original, masked = grouped(60, 6, 3, seed=8)
    measure = SubsetLinkage(per_size=4, records=20, seed=3)
    found = measure.measure(pair_of(original, masked))
    assert found == measure.measure(pair_of(original, masked))
    assert found.tables != SubsetLinkage(per_size=4, records=20, seed=4).measure(pair_of(original, masked)).tables
    assert [row[1:3] for row in found.tables[0].rows] == [(4, 6), (4, 15), (4, 20), (4, 15), (4, 6), (1, 1)]
    assert found.value("records") == 20
    assert "4 were drawn (seed 3)" in sentences(found.notes)[0]
    assert "20 of 60 masked records were drawn" in sentences(found.notes)[1]


def test_drawn_records_are_linked_to_all_originals() -> None:
    original, masked = grouped(60, 2, 3, seed=9)
    pair = pair_of(original, masked)
    rows = sampled_rows(60, 10, 1)
    last = subset_linkage([place(v) for v in pair.variables], rows, 10, 0)[-1]
    places = standardised(original, masked)
    expected = 0.0
    for i in rows.tolist():
        apart = np.sqrt(((places.masked[i] - places.original) ** 2).sum(axis=1))
        tied = np.flatnonzero(apart <= apart.min() * (1 + 1e-9))
        expected += (i in tied) / len(tied)
    assert last.mean == pytest.approx(10 * expected)


@settings(deadline=None, max_examples=40)
@given(count=st.integers(1, 9), size=st.integers(1, 9), at_most=st.integers(1, 20), seed=st.integers(0, 99))
def test_drawn_subsets_are_different_and_of_their_size(count: int, size: int, at_most: int, seed: int) -> None:
    size = min(size, count)
    subsets = list(drawn_subsets(count, size, at_most, seed))
    assert len(subsets) == len(set(subsets)) == min(at_most, math.comb(count, size))
    assert all(len(set(subset)) == size and list(subset) == sorted(subset) for subset in subsets)
