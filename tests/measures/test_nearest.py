"""The nearest records of another file: what two nested loops find, by either search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.measures import nearest as module
from constraint_sdc.measures.column_links import ColumnLinks
from constraint_sdc.measures.nearest import (
    SAME,
    Near,
    Nearest,
    by_blocks,
    by_tree,
    by_wide_tree,
    distinct,
    links,
    nearest,
)
from tests.partition.drawn import drawn_points

KINDS = (
    "normal",
    "ties",
    "duplicates",
    "constant columns",
    "all alike",
    "cauchy",
    "far away",
    "mostly zero",
    "clusters",
)


def one_by_one(queries: np.ndarray, references: np.ndarray) -> list[tuple[float, int]]:
    found = []
    for query in queries.tolist():
        apart = [
            math.sqrt(sum((a - b) ** 2 for a, b in zip(query, other, strict=True))) for other in references.tolist()
        ]
        found.append((min(apart), sum(each <= min(apart) * SAME for each in apart)))
    return found


def files(kind: str, n: int, d: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Queries near the references, some of them at the same place and some halfway between two."""
    references = drawn_points(kind, n, d, seed)
    random = np.random.default_rng(seed)
    halfway = (references + references[random.permutation(n)]) / 2
    return np.where(random.random((n, 1)) < 0.5, halfway, references[random.permutation(n)]), references


def by_search(search: str, queries: np.ndarray, references: np.ndarray) -> Nearest:
    known = distinct(references, compiled=search == "wide tree")
    free, beside = np.full(len(queries), np.inf), np.zeros(len(queries), np.int64)
    match search:
        case "blocks":
            return by_blocks(queries, known)
        case "tree":
            return by_tree(queries, known, free)
    return by_wide_tree(queries, known, free, beside)


@pytest.mark.parametrize("search", ["blocks", "tree", "wide tree"])
@settings(deadline=None, max_examples=60)
@given(kind=st.sampled_from(KINDS), n=st.integers(1, 40), d=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_either_search_finds_what_nested_loops_find(search: str, kind: str, n: int, d: int, seed: int) -> None:
    queries, references = files(kind, n, d, seed)
    found = by_search(search, queries, references)
    expected = one_by_one(queries, references)
    assert found.ties.tolist() == [ties for _, ties in expected]
    assert found.distance == pytest.approx([distance for distance, _ in expected], rel=1e-12, abs=0)


@settings(deadline=None, max_examples=40)
@given(kind=st.sampled_from(KINDS), n=st.integers(1, 40), d=st.integers(1, 5), seed=st.integers(0, 10**6))
def test_links_are_right_where_the_own_record_is_among_the_nearest(kind: str, n: int, d: int, seed: int) -> None:
    queries, references = files(kind, n, d, seed)
    own = np.random.default_rng(seed).permutation(n)
    found = links(queries, references, own)
    for i, (distance, ties) in enumerate(one_by_one(queries, references)):
        is_right = math.dist(queries[i], references[own[i]]) <= distance * SAME
        assert found.credit[i] == (1 / ties if is_right else 0.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "d"), [(300, 1), (1_700, 3), (9_000, 6)])
def test_a_tree_of_several_levels_gives_the_same_as_blocks(kind: str, n: int, d: int) -> None:
    """The leaves of 9,000 points need two levels of nodes above them."""
    queries, references = files(kind, n, d, n + d)
    queries, free = queries[:400], np.full(min(n, 400), np.inf)
    known = distinct(references, compiled=True)
    found = by_wide_tree(queries, known, free, np.arange(len(queries)) % len(known.points))
    expected = by_blocks(queries, distinct(references, compiled=False))
    assert found.ties.tolist() == expected.ties.tolist()
    assert found.distance.tolist() == expected.distance.tolist()


def test_near_ties_are_counted_again_when_a_nearer_one_comes_later() -> None:
    """Two points 0.6e-9 apart from each other in relative distance are equally near, three in a row are not."""
    step = 0.6e-9
    references = np.array([[1.0 + 2 * step], [1.0 + step], [-1.0], [50.0]])
    for order in ([0, 1, 2, 3], [2, 1, 0, 3], [1, 0, 2, 3]):
        turned = distinct(references[order], compiled=True)
        found = by_wide_tree(np.zeros((1, 1)), turned, np.full(1, np.inf), np.zeros(1, np.int64))
        assert (found.distance.tolist(), found.ties.tolist()) == ([1.0], [2])


@pytest.mark.parametrize("d", [2, 30])
def test_large_files_give_the_same_by_tree_and_by_blocks(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(d)
    references = np.round(random.normal(size=(3_000, d)), 1)
    queries = np.round(references + 0.2 * random.normal(size=references.shape), 1)
    own = np.arange(3_000)
    found = links(queries, references, own)
    monkeypatch.setattr(module, "_FEW_PAIRS", 10**9)
    again = links(queries, references, own)
    assert found.ties.tolist() == again.ties.tolist()
    assert found.is_right.tolist() == again.is_right.tolist()


def test_a_bound_that_is_reached_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW_PAIRS", 0)
    monkeypatch.setattr(module, "_CHUNK", 7)
    random = np.random.default_rng(1)
    references = random.integers(0, 4, size=(60, 3)).astype(float)
    queries = references + random.integers(-1, 2, size=(60, 3))
    bound = np.sqrt(((queries - references) ** 2).sum(axis=1))
    free, bounded = nearest(queries, references), nearest(queries, references, Near(np.arange(60), bound))
    assert free.distance.tolist() == bounded.distance.tolist()
    assert free.ties.tolist() == bounded.ties.tolist()


@pytest.mark.parametrize("pairs", [0, 10**9])
def test_the_two_members_of_a_group_are_equally_near_to_its_mean(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW_PAIRS", pairs)
    references = np.random.default_rng(2).normal(size=(200, 3)) * 0.001 + np.repeat(np.arange(100) * 7.3, 2)[:, None]
    means = np.repeat((references[0::2] + references[1::2]) / 2, 2, axis=0)
    found = links(means, references, np.arange(200))
    assert set(found.ties.tolist()) == {2}
    assert found.credit.sum() == 100.0


def test_without_a_column_all_are_equally_near() -> None:
    found = nearest(np.zeros((2, 0)), np.zeros((5, 0)))
    assert found.distance.tolist() == [0.0, 0.0]
    assert found.ties.tolist() == [5, 5]


@pytest.mark.parametrize("pairs", [0, 10**9])
def test_a_record_thrown_far_away_is_as_far_from_everybody(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW_PAIRS", pairs)
    references = np.random.default_rng(3).normal(size=(50, 2))
    queries = np.vstack((np.full((1, 2), 1e100), references[1:]))
    found = links(queries, references, np.arange(50))
    assert found.ties.tolist() == [50] + [1] * 49
    assert found.is_right.all()


@pytest.mark.parametrize("compiled", [False, True])
def test_distinct_rows_know_how_often_they_occur_and_which_they_are(compiled: bool) -> None:
    points = np.array([[1.0, 2.0], [0.0, -0.0], [1.0, 2.0], [-0.0, 0.0]])
    found = distinct(points, compiled=compiled)
    assert sorted(found.count.tolist()) == [2, 2]
    assert found.points[found.which].tolist() == points.tolist()


def test_never_all_pairs_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAIRS", 100)
    queries, references = files("normal", 40, 3, 5)
    found = by_blocks(queries, distinct(references))
    assert found.ties.tolist() == [ties for _, ties in one_by_one(queries, references)]


def test_never_all_ties_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of categories that all differ, every reference is equally near: their coordinates are gathered in parts."""
    monkeypatch.setattr(module, "_PAIR_CELLS", 100)
    gathered: list[int] = []
    measure = module.distances
    monkeypatch.setattr(module, "distances", lambda some, others: gathered.append(some.size) or measure(some, others))
    everyone = np.eye(30)
    found = by_blocks(everyone[:10] * 0.0, distinct(everyone))
    assert found.ties.tolist() == [30] * 10
    assert max(gathered) <= 100


def test_links_in_some_columns_are_those_of_these_columns_alone() -> None:
    """A common tree is cut by all columns, and points that it keeps apart are equal in some of them."""
    random = np.random.default_rng(8)
    references = np.round(random.normal(size=(6_000, 8)), 1)
    own = np.sort(random.choice(6_000, 300, replace=False))
    queries = np.round(references[own] + 0.3 * random.normal(size=(300, 8)), 1)
    search = ColumnLinks(queries, references, own)
    assert search._whole is not None
    for columns in ([3], [1, 4], [0, 1, 2, 3, 4], [0, 2, 3, 5, 6, 7], list(range(8))):
        found, expected = search.links(np.array(columns)), links(queries[:, columns], references[:, columns], own)
        assert found.ties.tolist() == expected.ties.tolist()
        assert found.is_right.tolist() == expected.is_right.tolist()
