"""mu-Approx: trees of near neighbours, taken apart into groups of bounded size, with a bounded loss."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.exam.partition import KINDS, QUESTIONS, Question, Takes, candidate_of, draw_cloud
from constraint_sdc.partition.distances import by_column, sse
from constraint_sdc.partition.methods.mu_approx import MuApprox, NeighbourTree, _forest, decompose
from constraint_sdc.partition.registry import partitioner
from tests.partition.brute_force import least_loss
from tests.partition.textbook import centroid, distance, farthest, take_nearest


def largest(k: int) -> int:
    return max(2 * k - 1, 3 * k - 5)


def farthest_apart(k: int) -> int:
    return max(2 * k - 2, 3 * k - 6)


def drawn_tree(shape: str, n: int, seed: int) -> NeighbourTree:
    random = np.random.default_rng(seed)
    names = random.permutation(n).tolist()
    tree = NeighbourTree(names[0])
    for i in range(1, n):
        onto = {"star": 0, "chain": i - 1, "comb": max(0, i - 1 - i % 2), "any": int(random.integers(0, i))}[shape]
        tree.take(NeighbourTree(names[i]), names[onto], float(random.integers(1, 4)))
    return tree


def steps_between(tree: NeighbourTree, one: int, other: int) -> int:
    def to_root(record: int) -> list[int]:
        way = [record]
        while way[-1] in tree.towards:
            way.append(tree.towards[way[-1]])
        return way

    return len(set(to_root(one)) ^ set(to_root(other)))


@settings(max_examples=150)
@given(
    shape=st.sampled_from(["star", "chain", "comb", "any"]),
    n=st.integers(2, 60),
    k=st.integers(2, 11),
    seed=st.integers(0, 10**6),
)
def test_any_tree_is_taken_apart_into_groups_of_bounded_size_and_width(shape: str, n: int, k: int, seed: int) -> None:
    tree = drawn_tree(shape, max(n, k), seed)
    groups = list(decompose(tree, k))
    assert sorted(record for group in groups for record in group) == list(range(max(n, k)))
    assert min(map(len, groups)) >= k
    assert max(map(len, groups)) <= largest(k)
    for group in groups:
        assert max(steps_between(tree, *pair) for pair in combinations(group, 2)) <= farthest_apart(k)


def test_a_star_is_shared_out_from_the_nearest_branches_on() -> None:
    star = NeighbourTree(9)
    for leaf, length in enumerate([5.0, 1.0, 8.0, 3.0, 7.0, 2.0, 6.0, 4.0]):
        star.take(NeighbourTree(leaf), 9, length)
    assert [sorted(group) for group in decompose(star, 3)] == [[1, 5, 9], [0, 3, 7], [2, 4, 6]]


def in_words(points: Points, k: int, size: str) -> set[frozenset[int]]:
    """Grow trees one step at a time, looking at all of them every time; only the taking apart is not done anew."""
    centre = centroid(points, list(range(len(points))))
    trees = [NeighbourTree(i) for i in range(len(points))]
    while min(len(tree.records) for tree in trees) < k:
        _, _, small, target = min(
            (length, outer, tree.root, nearest)
            for tree in trees
            if len(tree.records) < k
            for length, outer, nearest in [shortest_step(points, tree, centre)]
        )
        tree = next(tree for tree in trees if tree.root == small)
        other = next(tree for tree in trees if target in tree.records)
        other.take(tree, target, distance(points[small].tolist(), points[target].tolist()))
        trees.remove(tree)
    pieces = [group for tree in trees for group in decompose(tree, k)]
    if size == "3k-5":
        return {frozenset(piece) for piece in pieces}
    return {frozenset(part) for piece in pieces for part in in_two(points, piece, k)}


def in_two(points: Points, group: list[int], k: int) -> list[list[int]]:
    """Cut k records off a group of 2k or more: the farthest from its centroid, and those nearest to that one."""
    if len(group) < 2 * k:
        return [group]
    rest = sorted(group)
    return [take_nearest(points, rest, farthest(points, rest, centroid(points, rest)), k), rest]


def shortest_step(points: Points, tree: NeighbourTree, centre: list[float]) -> tuple[float, float, int]:
    root = points[tree.root].tolist()
    outside = [i for i in range(len(points)) if i not in tree.records]
    length, nearest = min((distance(root, points[i].tolist()), i) for i in outside)
    return length, -distance(root, centre), nearest


@settings(max_examples=50)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 30),
    k=st.integers(2, 6),
    size=st.sampled_from(["3k-5", "2k-1"]),
    seed=st.integers(0, 10**6),
)
def test_the_trees_grow_by_the_shortest_step(kind: str, n: int, k: int, size: str, seed: int) -> None:
    points = draw_cloud(Takes.NUMBERS, kind, max(n, k), seed).points
    labels = MuApprox(size).partition(Cloud(points), k, 0)
    found = {frozenset(np.flatnonzero(labels == group).tolist()) for group in np.unique(labels)}
    assert found == in_words(points, k, size)


@pytest.mark.parametrize("k", [5, 6, 8, 11])
def test_no_group_has_2k_records_if_so_wished(k: int) -> None:
    points = np.random.default_rng(k).normal(size=(240, 2))
    pieces = [group for tree in _forest(by_column(points), k) for group in decompose(tree, k)]
    assert max(map(len, pieces)) >= 2 * k, "the case shows nothing"
    undivided = MuApprox().partition(Cloud(points), k, 0)
    labels = partitioner("mu-approx:largest=2k-1").partition(Cloud(points), k, 0)
    assert np.bincount(undivided).max() == max(map(len, pieces))
    assert np.bincount(labels).min() >= k
    assert np.bincount(labels).max() <= 2 * k - 1
    assert sse(Cloud(points), labels) < sse(Cloud(points), undivided)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_the_method_with_smaller_groups_sits_the_exam_too(question: Question) -> None:
    question(candidate_of(MuApprox("2k-1")))


@settings(max_examples=30)
@given(n=st.integers(4, 8), k=st.integers(2, 3), d=st.integers(1, 2), seed=st.integers(0, 10**6))
def test_the_loss_is_within_its_bound_of_the_best_partition(n: int, k: int, d: int, seed: int) -> None:
    points = np.random.default_rng(seed).integers(0, 12, size=(n, d)).astype(float)
    bound = (largest(k) - 1) * farthest_apart(k) * (k - 1) * (2 * k - 1)
    found = sse(Cloud(points), MuApprox().partition(Cloud(points), k, 0))
    assert found <= bound * least_loss(points, k) + 1e-9


@settings(max_examples=40)
@given(k=st.integers(2, 6), times=st.lists(st.integers(0, 9), min_size=1, max_size=7), seed=st.integers(0, 10**6))
def test_where_nothing_need_be_lost_nothing_is(k: int, times: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    values = np.repeat(random.normal(size=(len(times), 2)), [k + more for more in times], axis=0)
    cloud = Cloud(random.permutation(values))
    assert sse(cloud, MuApprox().partition(cloud, k, 0)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("points", [np.zeros((3000, 2)), np.arange(3000.0)[:, None] ** 2], ids=["star", "chain"])
def test_large_trees_are_no_trouble(points: Points) -> None:
    sizes = np.bincount(MuApprox().partition(Cloud(points), 3, 0))
    assert sizes.min() >= 3
    assert sizes.max() <= 5
