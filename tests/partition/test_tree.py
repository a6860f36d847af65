"""The tree: groups of k along one order of the records, the same with or without a compiler, on any number of cores."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods import tree
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.tree import Tree, tree_order
from tests.partition.drawn import drawn_points

KINDS = (
    "normal",
    "ties",
    "duplicates",
    "constant columns",
    "all alike",
    "cauchy",
    "far away",
    "immense",
    "ever farther",
)


def slow_order(points: list[list[float]], records: list[int], leaf: int, patience: int) -> list[int]:
    """The tree in words, one number at a time; for parts of no more than a sample."""
    if len(records) < 2 * leaf:
        return records
    columns = range(len(points[0]))
    centre = [sum_in_order([points[i][j] for i in records]) / len(records) for j in columns]
    apart = {i: [points[i][j] - centre[j] for j in columns] for i in records}
    spread = [sum_in_order([apart[i][j] * apart[i][j] for i in records]) for j in columns]
    direction = [0.0 for _ in columns]
    direction[spread.index(max(spread))] = 1.0
    for _ in range(3):
        place = {i: sum_in_order([apart[i][j] * direction[j] for j in columns]) for i in records}
        pull = [sum_in_order([apart[i][j] * place[i] for i in records]) for j in columns]
        if max(abs(each) for each in pull) == 0.0:
            break
        direction = [each / max(abs(each) for each in pull) for each in pull]
    place = {i: sum_in_order([apart[i][j] * direction[j] for j in columns]) for i in records}
    left, is_upper = slow_cut(sorted(place.values()), leaf, patience)
    ranked = sorted(records, key=lambda i: (-place[i] if is_upper else place[i], i))
    rest = max(patience - 1, 0)
    return slow_order(points, sorted(ranked[:left]), leaf, rest) + slow_order(points, sorted(ranked[left:]), leaf, rest)


def slow_cut(places: list[float], leaf: int, patience: int) -> tuple[int, bool]:
    best, most = (len(places) // leaf // 2 * leaf, False), 0.0
    if patience == 0 or places[0] == places[-1]:
        return best
    total = sum_in_order(places)
    for is_upper in (False, True):
        for first in range(leaf, len(places) - leaf + 1, leaf):
            lower = len(places) - first if is_upper else first
            before = sum_in_order(places[:lower])
            gain = before * before / lower + (total - before) * (total - before) / (len(places) - lower)
            if gain > most and len(places) > 2 * leaf:
                best, most = (first, is_upper), gain
    return best


def sum_in_order(numbers: list[float]) -> float:
    total = 0.0
    for number in numbers:
        total += number
    return total


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from([kind for kind in KINDS if kind != "immense"]),
    n=st.integers(1, 50),
    d=st.integers(1, 5),
    leaf=st.integers(1, 8),
    seed=st.integers(0, 10**6),
)
def test_the_order_is_that_of_the_tree_in_words(kind: str, n: int, d: int, leaf: int, seed: int) -> None:
    points = drawn_points(kind, n, d, seed)
    points /= 2.0 ** np.ceil(np.log2(np.abs(points).max() + 1.0))
    expected = slow_order(points.tolist(), list(range(n)), leaf, 4 * (n // leaf).bit_length())
    assert tree_order(points, leaf).tolist() == expected


@pytest.mark.parametrize("leaf", [3, 10, 64])
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_and_numpy_make_the_same_tree(kind: str, leaf: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points(kind, 2603, 4, seed=leaf)  # more than a sample
    by_numpy = tree_order(points, leaf)
    monkeypatch.setattr(tree, "COMPILED_ABOVE", 0)
    assert tree_order(points, leaf).tolist() == by_numpy.tolist()


@pytest.mark.parametrize("n", [2, 3, 7, 60, 61])
def test_kernels_and_numpy_agree_on_small_files(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("ties", n, 2, seed=n)
    by_numpy = tree_order(points, 1).tolist(), tree_order(points, 3).tolist()
    monkeypatch.setattr(tree, "COMPILED_ABOVE", 0)
    assert (tree_order(points, 1).tolist(), tree_order(points, 3).tolist()) == by_numpy


def test_the_number_of_cores_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("cauchy", 20_000, 5, seed=1)
    results = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)), raising=False)
        results.append(tree_order(points, 3).tolist())
    assert results[0] == results[1] == results[2]


def labels_of(points: Points, k: int) -> Labels:
    return Tree().partition(Cloud(points), k, seed=0)


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [7, 20, 22, 62, 1500, 5003])
def test_all_groups_have_k_records_but_one_that_has_the_rest(kind: str, k: int, n: int) -> None:
    labels = labels_of(drawn_points(kind, n, 3, seed=n), k)
    assert np.bincount(labels).tolist() == [k] * (n // k - 1) + [k + n % k]


def test_k_of_one_leaves_every_record_alone() -> None:
    assert sorted(labels_of(drawn_points("duplicates", 20, 2, seed=1), 1)) == list(range(20))


@pytest.mark.parametrize("n", [5, 7, 9])
def test_fewer_than_2k_records_are_one_group(n: int) -> None:
    assert labels_of(drawn_points("normal", n, 2, seed=1), 5).tolist() == [0] * n


def test_records_without_variables_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        Tree().partition(Cloud(np.zeros((7, 0))), 3, 0)


def test_equals_are_grouped_in_file_order() -> None:
    assert labels_of(np.zeros((8, 2)), 2).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_few_far_records_are_cut_off_together() -> None:
    points = drawn_points("normal", 1000, 4, seed=2)
    far = [10, 500, 900]
    points[far] += 1000.0
    labels = labels_of(points, 3)
    assert set(np.flatnonzero(labels == labels[10])) == set(far)


def test_cuts_follow_the_direction_of_the_spread_not_only_the_variables() -> None:
    random = np.random.default_rng(3)
    along, across = random.normal(size=400), 0.01 * random.normal(size=400)
    labels = labels_of(np.column_stack((along + across, along - across)), 4)
    means = np.bincount(labels, weights=along) / 4
    assert np.abs(along - means[labels]).mean() < 0.02


@pytest.mark.parametrize(
    ("kind", "at_most"), [("normal", 1.5), ("ties", 1.5), ("cauchy", 2.5), ("constant columns", 2.0)]
)
def test_the_loss_is_not_far_from_that_of_mdav(kind: str, at_most: float) -> None:
    cloud = Cloud(drawn_points(kind, 2000, 5, seed=4))
    random = np.random.default_rng(0).permutation(labels_of(cloud.points, 3))
    loss = sse(cloud, labels_of(cloud.points, 3))
    assert loss <= at_most * sse(cloud, Mdav().partition(cloud, 3, seed=0))
    assert loss < 0.9 * sse(cloud, random)


def test_scaling_by_powers_of_two_changes_nothing() -> None:
    points = drawn_points("normal", 300, 3, seed=2)
    expected = labels_of(points, 3).tolist()
    assert labels_of(points * 2.0**300, 3).tolist() == expected
    assert labels_of(points * 2.0**-300, 3).tolist() == expected


def test_the_order_of_the_file_changes_no_group_where_there_are_no_ties_and_no_samples() -> None:
    points = drawn_points("normal", 80, 3, seed=3)
    order = np.random.default_rng(1).permutation(80)
    labels, shuffled = labels_of(points, 4), labels_of(points[order], 4)
    groups = {frozenset(np.flatnonzero(labels == g).tolist()) for g in range(20)}
    assert {frozenset(order[shuffled == g].tolist()) for g in range(20)} == groups


@pytest.mark.parametrize("n", [300, 6000])
def test_neither_the_seed_nor_the_layout_in_memory_matters(n: int) -> None:
    points = drawn_points("cauchy", n, 4, seed=4)
    expected = Tree().partition(Cloud(points), 3, seed=0).tolist()
    assert Tree().partition(Cloud(np.asfortranarray(points)), 3, seed=99).tolist() == expected
    assert Tree().partition(Cloud(np.repeat(points, 2, axis=0)[::2]), 3, seed=7).tolist() == expected


@pytest.mark.parametrize("n", [300, 6000])
def test_the_points_are_left_as_they_were(n: int) -> None:
    points = drawn_points("normal", n, 3, seed=4)
    before = points.copy()
    labels_of(points, 3)
    assert (points == before).all()


def test_weights_of_records_are_refused() -> None:
    with pytest.raises(UsageError, match="tree takes no weights of records"):
        Tree().partition(Cloud(np.zeros((4, 1)), weights=np.ones(4)), 2, seed=0)


@pytest.mark.parametrize(
    ("points", "k", "message"),
    [
        (np.zeros((2, 1)), 3, "2 records cannot form a group of 3"),
        (np.zeros((5, 1)), 0, "at least 1"),
        (np.array([[1.0], [np.nan]]), 2, "finite"),
        (np.array([[1.0], [1e200]]), 2, "standardise"),
    ],
)
def test_what_cannot_be_partitioned_is_refused(points: Points, k: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        labels_of(points, k)
