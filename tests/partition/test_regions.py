"""Large files in regions: groups of k to 2k - 1, never worse than their start, the same wherever regions run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.rim import Rim
from constraint_sdc.partition.regions import regionwise
from constraint_sdc.partition.regions.cuts import cut
from constraint_sdc.partition.regions.near_lists import own_lists
from constraint_sdc.partition.regions.region import RecordRegion, divide_region
from constraint_sdc.partition.regions.regionwise import divide_by_regions, improve_across
from constraint_sdc.partition.regions.settling import settle
from constraint_sdc.partition.regions.settling_kernels import dissolve, enlist, exchange, form
from constraint_sdc.partition.registry import Refined
from constraint_sdc.partition.search.refine import Effort
from tests.partition.drawn import drawn_points
from tests.partition.slow_search import nearest_by_force, slow_exchange

KINDS = ("normal", "ties", "duplicates", "constant columns", "cauchy", "far away", "mostly zero", "clusters", "immense")


def drawn_cloud(kind: str, n: int, d: int, seed: int, *, weighted: bool = False) -> Cloud:
    weights = np.random.default_rng(seed).integers(1, 5, n).astype(float) if weighted else None
    return Cloud(drawn_points(kind, n, d, seed), weights=weights)


def require_groups(labels: Labels, k: int, records: int) -> None:
    sizes = np.bincount(labels)
    assert len(labels) == records
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


# Cuts.


@given(n=st.integers(1, 300), largest=st.integers(2, 80), parts=st.sampled_from((2, 3)), kind=st.sampled_from(KINDS))
def test_every_point_is_in_one_region_and_how_many_there_are_depends_on_their_number_alone(
    n: int, largest: int, parts: int, kind: str
) -> None:
    regions = cut(drawn_points(kind, n, 2, n), largest, parts)
    assert sorted(np.concatenate(regions).tolist()) == list(range(n))
    assert max(map(len, regions)) <= largest
    assert [len(rows) for rows in regions] == [
        len(rows) for rows in cut(drawn_points("normal", n, 3, 1), largest, parts)
    ]


def test_halves_and_thirds_have_no_border_in_common() -> None:
    line = np.arange(960.0)[:, None]
    halves, thirds = ({rows[0] for rows in cut(line, 100, parts)} - {0} for parts in (2, 3))
    assert len(halves) == 15
    assert len(thirds) == 26
    assert not halves & thirds


# Lists of neighbours.


@settings(deadline=None, max_examples=60)
@given(kind=st.sampled_from(KINDS), n=st.integers(20, 200), d=st.integers(1, 4), count=st.integers(1, 14))
def test_with_few_variables_the_lists_are_those_of_a_search_of_all(kind: str, n: int, d: int, count: int) -> None:
    points = drawn_points(kind, n, d, n + d)
    points = (points - points.mean(axis=0)) / (np.abs(points).max() or 1.0)
    lists = own_lists(points, count)
    for x in range(n):
        assert x not in lists[x]
        assert len(set(lists[x].tolist())) == count
        apart = np.square(points[lists[x]] - points[x]).sum(axis=1)
        np.testing.assert_allclose(apart, nearest_by_force(points, x, count), rtol=1e-12, atol=1e-300)


def test_with_many_variables_most_of_the_nearest_are_found() -> None:
    points = drawn_points("normal", 2_500, 8, 3)
    lists = own_lists(points, 10)
    found = [
        len(set(lists[x].tolist()) & set(np.argsort(np.square(points - points[x]).sum(axis=1))[1:11].tolist()))
        for x in range(0, 2_500, 25)
    ]
    assert np.mean(found) > 8


# The search of one region.


@settings(deadline=None, max_examples=25)
@given(
    n=st.integers(12, 60),
    d=st.integers(1, 6),
    k=st.integers(2, 4),
    temperature=st.sampled_from((0.0, 0.5, 3.0)),
    seed=st.integers(1, 10**6),
    weighted=st.booleans(),
)
def test_a_sweep_is_that_of_the_textbook(n: int, d: int, k: int, temperature: float, seed: int, weighted: bool) -> None:
    cloud = drawn_cloud("normal", n, d, seed, weighted=weighted)
    labels = np.random.default_rng(seed).permutation(np.minimum(np.arange(n) // k, n // k - 1))
    lists = np.array([np.argsort(np.square(cloud.points - point).sum(axis=1))[1:6] for point in cloud.points], np.int32)
    state, books, tables = np.array([2 * seed + 1], np.uint64), _books(cloud, labels, k), _tables(cloud, k, lists)
    expected = slow_exchange(cloud, labels, k, lists, *tables, temperature, state)
    exchange(k, *books, lists, *tables, temperature, state)
    assert books[0].tolist() == expected.tolist()
    _require_true_books(books, k)


@settings(deadline=None, max_examples=40)
@given(
    kind=st.sampled_from(("normal", "ties", "cauchy", "clusters")),
    n=st.integers(20, 120),
    k=st.integers(2, 5),
    seed=st.integers(1, 10**6),
    weighted=st.booleans(),
)
def test_groups_are_dissolved_and_formed_only_if_it_pays_at_temperature_zero(
    kind: str, n: int, k: int, seed: int, weighted: bool
) -> None:
    cloud = drawn_cloud(kind, n, 2, seed, weighted=weighted)
    groups = max(1, n // (k + 2))  # some can spare a record, and some numbers are free
    labels = np.minimum(np.random.default_rng(seed).permutation(n) // (n // groups), groups - 1)
    lists = own_lists(cloud.points, 9)
    books, (_, patience, waits) = _books(cloud, labels, k, room=n), _tables(cloud, k, lists)
    state, some, lost = np.array([2 * seed + 1], np.uint64), np.empty(n, np.int32), sse(cloud, labels)
    for step in (dissolve, form, dissolve, form):
        step(30, k, *books, lists, patience, waits, 0.0, state, some)
        _require_true_books(books, k)
        now = sse(cloud, np.unique(books[0], return_inverse=True)[1].astype(np.int64))
        assert now <= lost * (1 + 1e-9) + 1e-12
        lost = now


def test_the_search_in_python_is_the_search_in_machine_code() -> None:
    cloud = drawn_cloud("normal", 60, 3, 5, weighted=True)
    labels, k, lists = np.arange(60) // 3, 3, own_lists(cloud.points, 8)
    runs = []
    for kernels in ((exchange, dissolve, form), tuple(kernel.py_func for kernel in (exchange, dissolve, form))):  # type: ignore[attr-defined]
        books, (chance, patience, waits) = _books(cloud, labels, k), _tables(cloud, k, lists)
        state, some = np.array([77], np.uint64), np.empty(2 * k, np.int32)
        for _ in range(4):
            kernels[0](k, *books, lists, chance, patience, waits, 0.8, state)
            kernels[1](9, k, *books, lists, patience, waits, 0.8, state, some)
            kernels[2](9, k, *books, lists, patience, waits, 0.8, state, some)
        runs.append((books[0].tolist(), int(state[0])))
    assert runs[0] == runs[1]


def _books(cloud: Cloud, labels: Labels, k: int, room: int = 0) -> tuple[Any, ...]:
    n, d = cloud.points.shape
    weight = np.ones(n) if cloud.weights is None else cloud.weights
    records = np.column_stack(((cloud.points - cloud.points.mean(axis=0)) * weight[:, None], weight))
    count = max(n // k, int(labels.max()) + 1)
    members = np.zeros((count, max(2 * k - 1, room)), np.int32)
    books = (labels.astype(np.int32), np.zeros(count, np.int32), members, np.zeros(n, np.int32), records)
    books = (*books, np.zeros((count, d + 2)))
    enlist(*books)
    return books


def _tables(cloud: Cloud, k: int, lists: Any) -> tuple[Any, ...]:
    chance = np.arange(256, dtype=np.uint8) % lists.shape[1]
    random = np.random.default_rng(k)
    return chance.astype(np.uint8), random.random(len(cloud)), random.exponential(size=1_024)


def _require_true_books(books: tuple[Any, ...], k: int) -> None:
    label, size, members, place, records, groups = books
    assert np.bincount(label, minlength=len(size)).tolist() == size.tolist()
    assert size[size > 0].min() >= k
    assert members[label, place].tolist() == list(range(len(label)))
    sums = np.array([np.bincount(label, column, len(size)) for column in records.T]).T
    np.testing.assert_allclose(groups[:, :-1], sums, rtol=1e-9, atol=1e-9 * np.abs(records).max())


@settings(deadline=None, max_examples=40)
@given(
    kind=st.sampled_from((*KINDS, "all alike")),
    n=st.integers(30, 150),
    d=st.integers(1, 6),
    k=st.integers(2, 5),
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
)
def test_a_region_loses_at_most_as_much_as_its_start(
    kind: str, n: int, d: int, k: int, seed: int, weighted: bool
) -> None:
    cloud = drawn_cloud(kind, n, d, seed, weighted=weighted)
    start = np.minimum(np.random.default_rng(seed).permutation(n) // k, n // k - 1)
    found = divide_region(_region(cloud, k, start)).labels
    require_groups(found, k, n)
    assert sse(cloud, found) <= sse(cloud, start) * (1 + 1e-9)


def _region(cloud: Cloud, k: int, labels: Labels | None, low: float = -np.inf) -> RecordRegion:
    d = cloud.points.shape[1]
    return RecordRegion(cloud.points, cloud.weights, labels, np.full(d, low), np.full(d, np.inf), k, 6, 0.5, 1)


def test_records_near_a_border_are_open() -> None:
    cloud = Cloud(np.random.default_rng(1).random((900, 2)))
    is_open = divide_region(_region(cloud, 3, None, low=0.0)).is_open
    away = cloud.points.min(axis=1)
    assert is_open[away < 0.01].all()
    assert not is_open[away > 0.2].any()


# A whole file.


@settings(deadline=None, max_examples=30)
@given(
    kind=st.sampled_from((*KINDS, "all alike")),
    n=st.integers(30, 400),
    d=st.integers(1, 6),
    k=st.integers(2, 6),
    largest=st.sampled_from((30, 70, 1_000)),
    weighted=st.booleans(),
)
def test_a_file_cut_into_regions_has_groups_of_k(
    kind: str, n: int, d: int, k: int, largest: int, weighted: bool
) -> None:
    cloud = drawn_cloud(kind, n, d, n, weighted=weighted)
    labels = divide_by_regions(cloud, k, 1, 4, 0.4, largest)
    require_groups(labels, k, n)
    assert labels.tolist() == np.unique(labels, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("kind", ["normal", "cauchy", "ties"])
def test_a_second_cut_never_raises_the_loss_and_lowers_it_at_the_borders(kind: str) -> None:
    cloud = drawn_cloud(kind, 1_200, 2, 7)
    apart = np.concatenate([np.full(len(rows), i) for i, rows in enumerate(cut(cloud.points, 150, 2))])
    rows = np.concatenate(cut(cloud.points, 150, 2))
    labels = np.empty(1_200, np.int64)
    labels[rows] = apart * 100 + np.concatenate([np.arange(150) // 3 for _ in range(8)])
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    better = improve_across(cloud, labels, np.ones(1_200, np.bool_), 3, 1, 10, 0.4, 150)
    better = np.unique(better, return_inverse=True)[1].astype(np.int64)
    require_groups(better, 3, 1_200)
    assert sse(cloud, better) < 0.9 * sse(cloud, labels)


def test_regions_cost_little_against_the_undivided_search() -> None:
    cloud = drawn_cloud("normal", 4_000, 2, 3)
    whole, divided = (divide_by_regions(cloud, 4, 1, 20, 0.4, largest) for largest in (4_000, 500))
    assert sse(cloud, divided) < 1.03 * sse(cloud, whole)


def test_where_and_in_which_order_regions_run_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:
        assert work > 0
        sent = [packed_bytes(piece) for piece in pieces]
        found = [packed_bytes(function(unpacked(piece))) for piece in reversed(sent)]
        return iter([unpacked(result) for result in reversed(found)])

    cloud = drawn_cloud("normal", 600, 3, 3, weighted=True)
    here = divide_by_regions(cloud, 3, 1, 5, 0.4, 100)
    monkeypatch.setattr(regionwise, "map_pieces", elsewhere)
    assert divide_by_regions(cloud, 3, 1, 5, 0.4, 100).tolist() == here.tolist()


def test_every_region_of_both_cuts_has_a_seed_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    def noting(function: Callable[[Any], Any], pieces: Iterable[Any], *, work: float) -> Iterator[Any]:  # noqa: ARG001
        for piece in pieces:
            seeds.append(piece.seed)
            yield function(piece)

    monkeypatch.setattr(regionwise, "map_pieces", noting)
    divide_by_regions(drawn_cloud("normal", 600, 3, 3), 3, 1, 2, 0.4, 100)
    assert len(seeds) > 10
    assert len(set(seeds)) == len(seeds)


def test_auto_and_rim_with_a_search_divide_large_files_by_regions() -> None:
    effort, cloud = Effort("short", 0.01), drawn_cloud("normal", 5_200, 3, 1)
    found = Auto(effort).partition(cloud, 3, 1)
    assert found.tolist() == Refined(Rim(), effort).partition(cloud, 3, 1).tolist()
    assert found.tolist() == regionwise.search_by_regions(cloud, 3, 1, effort).tolist()
    assert Refined(Rim(), effort).partition(cloud, 1, 1).tolist() == list(range(5_200))


def test_more_sweeps_find_better_groups() -> None:
    cloud = drawn_cloud("normal", 1_500, 4, 2)
    start, lists = np.arange(1_500) // 3, own_lists(cloud.points, 12)
    lost = [sse(cloud, settle(cloud, start, 3, lists, sweeps, 1, 0.5)) for sweeps in (2, 20, 200)]
    assert lost[0] > lost[1] > lost[2]
