"""MDAV forms the textbook's groups, record for record, also where the data are full of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.methods.mdav import Mdav
from tests.partition.drawn import drawn_points
from tests.partition.textbook import textbook_mdav


def mdav(points: Points, k: int) -> list[int]:
    return Mdav().partition(Cloud(points), k, seed=0).tolist()


KINDS = ("normal", "ties", "duplicates", "constant columns", "all alike", "heavy tails", "far away")


@settings(deadline=None, max_examples=150)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 45),
    d=st.integers(1, 5),
    k=st.integers(2, 9),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_the_textbooks(kind: str, n: int, d: int, k: int, seed: int) -> None:
    points = drawn_points(kind, max(n, k), d, seed)
    assert mdav(points, k) == textbook_mdav(points, k)


@pytest.mark.parametrize("kind", KINDS)
def test_a_larger_file_has_the_textbooks_groups(kind: str) -> None:
    points = drawn_points(kind, 300, 7, seed=5)
    assert mdav(points, 4) == textbook_mdav(points, 4)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("beyond", [-1, 0, 1])
@pytest.mark.parametrize("times", [1, 2, 3, 6])
def test_every_record_is_in_one_group_of_k_to_2k_less_1(k: int, beyond: int, times: int) -> None:
    n = times * k + beyond
    if n < k:
        return
    labels = np.array(mdav(drawn_points("ties", n, 3, seed=n), k))
    sizes = np.bincount(labels)
    assert len(labels) == n
    assert sizes.sum() == n
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert len(sizes) == n // k


def test_k_of_one_leaves_every_record_alone() -> None:
    assert sorted(mdav(drawn_points("duplicates", 20, 2, seed=1), 1)) == list(range(20))


@pytest.mark.parametrize("n", [5, 7, 9])
def test_fewer_than_2k_records_are_one_group(n: int) -> None:
    assert mdav(drawn_points("normal", n, 2, seed=1), 5) == [0] * n


def test_two_far_clusters_stay_apart() -> None:
    points = np.array([[0.0, 0.0], [9.0, 9.0], [0.1, 0.0], [9.1, 9.0], [0.0, 0.1], [9.0, 9.1]])
    assert mdav(points, 3) == [1, 0, 1, 0, 1, 0] or mdav(points, 3) == [0, 1, 0, 1, 0, 1]


def test_moving_and_scaling_by_powers_of_two_changes_nothing() -> None:
    points = drawn_points("ties", 60, 3, seed=2)
    assert mdav(points, 3) == mdav(points * 1024.0, 3) == mdav(points * 0.125, 3)


def test_the_order_of_the_file_changes_nothing_where_there_are_no_ties() -> None:
    points = drawn_points("normal", 80, 3, seed=3)
    order = np.random.default_rng(1).permutation(80)
    groups = {frozenset(np.flatnonzero(np.array(mdav(points, 4)) == g).tolist()) for g in range(20)}
    shuffled = np.array(mdav(points[order], 4))
    assert {frozenset(order[shuffled == g].tolist()) for g in range(20)} == groups


def test_neither_the_seed_nor_the_layout_in_memory_matters() -> None:
    points = drawn_points("heavy tails", 100, 4, seed=4)
    expected = Mdav().partition(Cloud(points), 3, seed=0).tolist()
    assert Mdav().partition(Cloud(np.asfortranarray(points)), 3, seed=99).tolist() == expected
    assert Mdav().partition(Cloud(points[:, :]), 3, seed=7).tolist() == expected


def test_the_points_are_left_as_they_were() -> None:
    points = drawn_points("normal", 30, 3, seed=4)
    before = points.copy()
    mdav(points, 3)
    assert (points == before).all()


@pytest.mark.parametrize(
    ("points", "k", "message"),
    [
        (np.zeros((2, 1)), 3, "2 records cannot form a group of 3"),
        (np.zeros((0, 1)), 1, "0 records"),
        (np.zeros((5, 1)), 0, "at least 1"),
        (np.array([[1.0], [np.nan]]), 2, "finite"),
        (np.array([[1.0], [np.inf]]), 1, "finite"),
        (np.array([[1.0], [1e200]]), 2, "standardise"),
    ],
)
def test_what_cannot_be_partitioned_is_refused(points: Points, k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Mdav().partition(Cloud(points), k, seed=0)
