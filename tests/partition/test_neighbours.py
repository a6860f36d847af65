"""Nearest neighbours: exact in small files, mostly right in large ones, and in no case a list with a gap."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import NeighbourLists, Points
from constraint_sdc.partition.methods import tree
from constraint_sdc.partition.search import neighbour_kernels, neighbours
from constraint_sdc.partition.search.neighbours import find_copies, nearest
from tests.partition.drawn import drawn_points

SMALL = (
    "normal",
    "ties",
    "duplicates",
    "constant columns",
    "all alike",
    "cauchy",
    "far away",
    "one very far",
    "mostly zero",
)


def distances_from(points: Points, record: int) -> npt.NDArray[np.float64]:
    """Squared distances; scaled, so that those of very far records are numbers."""
    scaled = points / 2.0 ** np.ceil(np.log2(np.abs(points).max() + 1.0))
    total = np.zeros(len(points))
    for column in scaled.T:
        total += (column - column[record]) ** 2
    return total


def nearest_one_by_one(points: Points, record: int, count: int) -> list[int]:
    apart = distances_from(points, record).tolist()
    return sorted((i for i in range(len(points)) if i != record), key=lambda i: (apart[i], i))[:count]


@settings(deadline=None, max_examples=80)
@given(
    kind=st.sampled_from(SMALL),
    n=st.integers(1, 60),
    d=st.integers(1, 5),
    count=st.integers(1, 20),
    seed=st.integers(0, 10**6),
    compiled=st.booleans(),
)
def test_small_files_have_the_nearest_records_and_ties_go_by_file_order(
    kind: str, n: int, d: int, count: int, seed: int, compiled: bool
) -> None:
    points = drawn_points(kind, n, d, seed)
    lists = nearest(points, count, seed, compiled=compiled)
    assert lists.shape == (n, min(count, n - 1))
    assert lists.tolist() == [nearest_one_by_one(points, i, count) for i in range(n)]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", SMALL)
def test_a_file_of_many_leaves_has_them_too(kind: str, compiled: bool) -> None:
    points = drawn_points(kind, 700, 6, seed=3)
    lists = nearest(points, 12, seed=1, compiled=compiled)
    for record in range(0, 700, 23):
        assert lists[record].tolist() == nearest_one_by_one(points, record, 12)


@pytest.mark.parametrize("n", [0, 1])
def test_a_record_alone_has_no_neighbours(n: int) -> None:
    assert nearest(np.zeros((n, 2)), 5, seed=0).shape == (n, 0)


def test_records_without_variables_have_the_first_others() -> None:
    assert nearest(np.empty((4, 0)), 2, seed=0).tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]


def assert_lists_are_whole(lists: NeighbourLists, n: int, count: int) -> None:
    assert lists.shape == (n, count)
    assert lists.min() >= 0
    assert lists.max() < n
    assert (lists != np.arange(n)[:, None]).all()
    assert (np.diff(np.sort(lists, axis=1), axis=1) > 0).all()


def share_found(points: Points, lists: NeighbourLists, records: range) -> float:
    """The share of listed records that are no farther away than the farthest of the true nearest."""
    count: int = lists.shape[1]
    found = 0
    for record in records:
        apart = distances_from(points, record)
        listed = apart[lists[record]]
        apart[record] = np.inf
        found += int((listed <= np.partition(apart, count - 1)[count - 1] * (1 + 1e-5)).sum())
    return found / (len(records) * count)


@pytest.mark.parametrize(
    ("kind", "d", "at_least"),
    [
        ("normal", 1, 0.99),
        ("normal", 3, 0.98),
        ("normal", 10, 0.85),
        ("clusters", 10, 0.85),
        ("cauchy", 5, 0.75),
        ("ties", 6, 0.9),
        ("duplicates", 4, 1.0),
        ("constant columns", 6, 0.98),
        ("all alike", 3, 1.0),
        ("mostly zero", 10, 0.85),
    ],
)
def test_large_files_have_most_of_the_nearest_records(kind: str, d: int, at_least: float) -> None:
    points = drawn_points(kind, 8000, d, seed=2)
    lists = nearest(points, 12, seed=1)
    assert_lists_are_whole(lists, 8000, 12)
    assert share_found(points, lists, range(0, 8000, 40)) >= at_least


def test_lists_of_large_files_begin_with_the_nearest() -> None:
    points = drawn_points("normal", 8000, 10, seed=2)
    lists = nearest(points, 12, seed=1)
    for record in range(0, 8000, 40):
        listed = distances_from(points, record)[lists[record]]
        assert (listed[1:] >= listed[:-1] * (1 - 1e-5)).all()


@pytest.mark.parametrize("kind", ["normal", "cauchy", "ties"])
def test_who_looks_into_all_blocks_misses_nobody(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "_NEARBY", 1000)
    monkeypatch.setattr(neighbours, "_PROBES", 1000)
    monkeypatch.setattr(neighbours, "_REACH", 0)
    points = drawn_points(kind, 5100, 9, seed=2)
    assert share_found(points, nearest(points, 12, seed=1), range(0, 5100, 25)) == 1.0


def test_introductions_find_what_the_blocks_did_not(monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("normal", 8000, 10, seed=2)
    monkeypatch.setattr(neighbours, "_PROBES", 3)
    with_introductions = share_found(points, nearest(points, 12, seed=1), range(0, 8000, 40))
    monkeypatch.setattr(neighbours, "_REACH", 0)
    assert share_found(points, nearest(points, 12, seed=1), range(0, 8000, 40)) < with_introductions - 0.05


@pytest.mark.parametrize("kind", ["ties", "one very far", "far away"])
@pytest.mark.parametrize("count", [1, 20, 100])
def test_lists_of_large_files_are_whole_whatever_the_file(kind: str, count: int) -> None:
    assert_lists_are_whole(nearest(drawn_points(kind, 5200, 7, seed=4), count, seed=1), 5200, count)


def test_blocks_are_found_by_the_same_search_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("normal", 12_000, 5, seed=5)
    monkeypatch.setattr(neighbours, "COMPILED_ABOVE", 150)  # 188 blocks
    lists = nearest(points, 12, seed=1)
    assert_lists_are_whole(lists, 12_000, 12)
    assert share_found(points, lists, range(0, 12_000, 60)) >= 0.9


def test_no_record_is_measured_twice_when_neighbours_are_introduced(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[tuple[int, int]] = []

    def between(points: Points, one: int, other: int) -> np.float32:
        measured.append((one, other))
        return np.float32(((points[one] - points[other]) ** 2).sum())

    for name in ("_clear", "_insert", "_has"):
        monkeypatch.setattr(neighbour_kernels, name, getattr(neighbour_kernels, name).py_func)
    monkeypatch.setattr(neighbour_kernels, "_between", between)
    points = drawn_points("normal", 60, 2, seed=1).astype(np.float32)
    lists = np.array([nearest_one_by_one(points.astype(float), i, 6) for i in range(60)], np.int32)
    better = np.empty_like(lists)
    neighbour_kernels.introduce.py_func(points, lists, better, 6, 0, 60)
    assert len(measured) == len(set(measured)) > 60 * 6
    assert all(one != other for one, other in measured)
    assert better.tolist() == lists.tolist()  # nobody is nearer than the nearest


def test_records_with_many_copies_list_copies_and_do_not_hide_the_others() -> None:
    points = drawn_points("normal", 9000, 10, seed=6)
    zero = np.arange(9000) % 4 > 0
    points[zero] = 0.0
    lists = nearest(points, 12, seed=1)
    assert_lists_are_whole(lists, 9000, 12)
    assert zero[lists[zero]].all()
    assert share_found(points, lists, range(0, 9000, 36)) >= 0.85
    named = lists[~zero][zero[lists[~zero]]]
    assert len(np.unique(named)) > 0.5 * min(len(named), zero.sum())  # not always the same few copies


def test_records_beside_many_copies_have_the_nearest_records() -> None:
    """Two places have 2,000 copies each; any copy may be named, but nothing that is farther away."""
    points = drawn_points("normal", 6000, 2, seed=3)
    others = np.arange(0, 6000, 3)
    points[1::3], points[2::3] = points[1], points[2]
    lists = nearest(points, 5, seed=1)
    for place in (1, 2):
        for record in others[np.argsort(distances_from(points, place)[others])[:40]].tolist():
            apart = distances_from(points, record)
            assert apart[lists[record]].tolist() == sorted(np.delete(apart, record).tolist())[:5]


def test_the_number_of_cores_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("cauchy", 20_000, 6, seed=7)
    results = []
    for cores in (1, 2, 5):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, cores=cores: set(range(cores)), raising=False)
        results.append(nearest(points, 12, seed=1))
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


@pytest.mark.parametrize("n", [400, 6000])
def test_neither_the_seed_nor_the_layout_in_memory_matters(n: int) -> None:
    points = drawn_points("normal", n, 7, seed=8)
    expected = nearest(points, 12, seed=0)
    assert (nearest(np.asfortranarray(points), 12, seed=99) == expected).all()
    assert (nearest(np.repeat(points, 2, axis=0)[::2], 12, seed=1) == expected).all()


@pytest.mark.parametrize("n", [400, 6000])
def test_the_points_are_left_as_they_were(n: int) -> None:
    points = drawn_points("mostly zero", n, 3, seed=9)
    before = points.copy()
    nearest(points, 12, seed=0)
    assert (points == before).all()


def test_small_files_need_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a small file asked for kernels")

    monkeypatch.setattr(neighbours, "search_blocks", refuse)
    monkeypatch.setattr(tree, "_order_by_kernels", refuse)
    points = drawn_points("normal", 5000, 2, seed=1)
    assert nearest(points, 3, seed=0).shape == (5000, 3)
    assert len(tree.tree_order(points, 3)) == 5000


@settings(deadline=None, max_examples=40)
@given(kind=st.sampled_from(["ties", "duplicates", "normal"]), n=st.integers(1, 40), seed=st.integers(0, 10**6))
def test_copies_are_those_that_are_equal(kind: str, n: int, seed: int) -> None:
    points = (
        drawn_points(kind, n, 2, seed) * np.where(np.arange(n) % 2 == 0, 1.0, -1.0)[:, None]
    )  # with zeros of both signs
    copies = find_copies(points)
    for i in range(n):
        alike = [j for j in range(n) if points[j].tolist() == points[i].tolist()]
        assert copies.order[copies.start[i] : copies.start[i] + copies.size[i]].tolist() == alike
        assert alike[copies.rank[i]] == i


def test_different_records_never_count_as_copies_whatever_their_mixture(monkeypatch: pytest.MonkeyPatch) -> None:
    points = drawn_points("ties", 60, 2, seed=1)
    expected = nearest(points, 5, seed=0)
    monkeypatch.setattr(neighbours, "_ODD", np.uint64(0))  # all mixtures are alike
    copies = find_copies(points)
    for i in range(60):
        assert (points[copies.order[copies.start[i] : copies.start[i] + copies.size[i]]] == points[i]).all()
    assert (nearest(points, 5, seed=0) == expected).all()
