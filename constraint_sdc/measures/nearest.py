"""The nearest records of another file, including all ties: an exact search without n x n memory.

Small files and spaces of many dimensions are compared in blocks of matrix products; the rest by a k-d tree (J. L.
Bentley, Comm. ACM 18(9), 509-517, 1975), compiled in large files. The choice affects speed only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Points, Rows, SmallPositions
from constraint_sdc.partition.partitioner import COMPILED_ABOVE, cores
from constraint_sdc.partition.search.neighbours import find_copies

SAME = 1.0 + 1e-9
"""Distances within this factor are equal: rounding must not decide which of the k members of a group is nearest."""

_PAIRS = 1 << 20
"""Pairs compared at a time."""

_PAIR_CELLS = 20_000_000
"""Coordinates of pairs that are measured at a time."""

_FEW_PAIRS = 4_000_000
"""Up to this number of references, blocks are faster than building a tree."""

_DIMENSIONS = 14.0
"""Above about this number of dimensions, a tree visits nearly all points, and blocks are faster."""

_SAMPLED = 4_096
"""Points whose dimension is computed, at most."""

_CHUNK = 4_096
"""Queries passed to a tree at a time."""

_LEAF = 32
"""References in a leaf of the tree."""

_NEAR = 1e-100
"""The least bound of a search: squares of smaller distances underflow to 0."""


@dataclass(frozen=True)
class Nearest:
    """For every query the distance of the nearest references, and how many of them are at this distance."""

    distance: Floats
    ties: Codes


@dataclass(frozen=True)
class Links:
    """For every query: how many references were equally near, and whether the right one is among them.

    Ties are drawn at random: `credit` is the probability of drawing the right one. File order, which may reveal the
    right one, has no influence.
    """

    ties: Codes
    is_right: Flags

    @property
    def credit(self) -> Floats:
        """Return the probability that the link of each query is right."""
        chance: Floats = self.is_right / self.ties
        return chance


def links(queries: Points, references: Points, own: Rows) -> Links:
    """Link every query to its nearest references; `own[i]` is the reference that is right for query i."""
    distance = distances(queries, references[own])
    found = nearest(queries, references, Near(own, distance))
    return Links(found.ties, distance <= found.distance * SAME)


@dataclass(frozen=True)
class Near:
    """A reference for every query, and its distance: it saves time and does not change the result."""

    rows: Rows
    distance: Floats


def nearest(queries: Points, references: Points, near: Near | None = None) -> Nearest:
    """Return the nearest references of every query; there is at least one reference. Equal rows are searched once.

    >>> found = nearest(np.array([[0.0], [5.0]]), np.array([[1.0], [-1.0], [5.0]]))
    >>> found.distance.tolist(), found.ties.tolist()
    ([1.0, 0.0], [2, 1])
    """
    asked, known = distinct(queries), distinct(references)
    few = len(asked.points) * len(known.points) <= _FEW_PAIRS
    is_small = few or not is_for_tree(known.points)
    found = by_blocks(asked.points, known) if is_small else _by_tree(asked, known, near)
    return Nearest(found.distance[asked.which], found.ties[asked.which])


def _by_tree(asked: Distinct, known: Distinct, near: Near | None) -> Nearest:
    """Search a tree; queries near the same reference are searched one after the other."""
    bound, beside = np.full(len(asked.points), np.inf), np.zeros(len(asked.points), np.int64)
    if near is not None:
        np.minimum.at(bound, asked.which, near.distance)
        beside[asked.which] = known.which[near.rows]
    is_large = len(known.which) > COMPILED_ABOVE
    return by_wide_tree(asked.points, known, bound, beside) if is_large else by_tree(asked.points, known, bound)


@dataclass(frozen=True)
class Distinct:
    """The distinct rows among points: `count` of each, and `which` of them every point is."""

    points: Points
    count: Codes
    which: Rows | SmallPositions


def distinct(points: Points, *, compiled: bool | None = None) -> Distinct:
    """Return the distinct rows; `compiled` None chooses by the number of points, which decides about their order."""
    points = np.ascontiguousarray(points)
    if len(points) > COMPILED_ABOVE if compiled is None else compiled:
        from constraint_sdc.measures.wide_tree import numbered_rows

        which, rows = numbered_rows(points)
        count = np.bincount(which, minlength=len(rows)).astype(np.int64)
        return Distinct(points if len(rows) == len(points) else points[rows], count, which)
    copies = find_copies(points)
    first = np.flatnonzero(copies.rank == 0)
    number = np.empty(len(points), np.int64)
    number[first] = np.arange(len(first))
    return Distinct(points[first], copies.size[first], number[copies.order[copies.start]])


def by_wide_tree(queries: Points, references: Distinct, bound: Floats, beside: Rows) -> Nearest:
    """Search a compiled tree; `beside` is a reference near each query, which decides only who comes after whom."""
    from constraint_sdc.measures.wide_tree import WideTree

    tree = WideTree.of(references.points, references.count)
    turn = np.argsort(tree.leaf_of[beside], kind="stable")
    return Nearest(*tree.nearest(queries, turn, bound, SAME))


def by_tree(queries: Points, references: Distinct, bound: Floats) -> Nearest:
    """Search a k-d tree for the two nearest; only if both are equally near, list all ties.

    A search has one bound for all its queries, so queries with similar bounds are searched together: if every masked
    record is close to its own original, the tree does not need the distance of the second nearest.
    """
    from scipy.spatial import cKDTree

    tree = cKDTree(references.points, _LEAF, balanced_tree=False)  # balancing equal coordinates is slow
    distance, ties = np.empty(len(queries)), np.empty(len(queries), np.int64)
    order = np.argsort(bound, kind="stable")
    for start in range(0, len(order), _CHUNK):
        some = order[start : start + _CHUNK]
        some = some[cKDTree(queries[some], balanced_tree=False).indices]  # neighbours find the same leaves in cache
        limit = max(float(bound[some].max()) * (SAME + 1e-6), _NEAR)
        distances, rows = tree.query(queries[some], k=[1, 2], distance_upper_bound=limit, workers=cores())
        distance[some], ties[some] = distances[:, 0], references.count[rows[:, 0]]
        tied = some[distances[:, 1] <= distances[:, 0] * SAME]  # the second is infinite where there is none
        if len(tied):
            ties[tied] = _count_within(tree, queries[tied], distance[tied] * SAME, references.count)
    return Nearest(distance, ties)


def _count_within(tree: Any, queries: Points, radius: Floats, count: Codes) -> Codes:
    """Return how many references lie within the radius of each query, itself the distance of one of them."""
    lists = tree.query_ball_point(queries, radius, workers=cores())
    sizes = np.array([len(each) for each in lists])
    found = count[np.concatenate(lists).astype(np.int64)]
    return np.add.reduceat(found, np.cumsum(sizes) - sizes)


def by_blocks(queries: Points, references: Distinct) -> Nearest:
    """Compare some queries with all references at a time.

    Products of centred points give every squared distance up to rounding, and its bound. Only those that may be the
    nearest are then measured by differences.
    """
    centre = references.points.mean(axis=0)
    asked, known = queries - centre, references.points - centre
    rounding = 16 * (queries.shape[1] + 8) * np.finfo(np.float64).eps
    squares, own = (np.einsum("ij,ij->i", each, each) for each in (known, asked))
    distance, ties = np.empty(len(queries)), np.empty(len(queries), np.int64)
    rows = max(1, _PAIRS // len(known))
    for start in range(0, len(queries), rows):
        part = slice(start, start + rows)
        apart = (-2.0 * asked[part]) @ known.T
        apart += squares * (1.0 + rounding)
        at_most = np.maximum(apart.min(axis=1) + own[part] * (1.0 + rounding), 0.0)
        apart -= squares * (2.0 * rounding)
        limit = at_most * SAME**3 - own[part] * (1.0 - rounding)
        one, other = np.divmod(np.flatnonzero(apart <= limit[:, None]), len(known))
        distance[part], ties[part] = _measured(queries[part], references, one, other)
    return Nearest(distance, ties)


def _measured(queries: Points, references: Distinct, one: Rows, other: Rows) -> tuple[Floats, Codes]:
    """Return the least distance of each query and the references there; the pairs are sorted, one or more each."""
    pairs = max(1, _PAIR_CELLS // max(queries.shape[1], 1))  # a category with thousands of values has many ties
    apart = np.empty(len(one))
    for start in range(0, len(one), pairs):
        part = slice(start, start + pairs)
        apart[part] = distances(queries[one[part]], references.points[other[part]])
    starts = np.searchsorted(one, np.arange(len(queries)))
    least: Floats = np.minimum.reduceat(apart, starts)
    at_least = np.where(apart <= least[one] * SAME, references.count[other], 0)
    return least, np.add.reduceat(at_least, starts)


def distances(some: Points, others: Points) -> Floats:
    """Return the distance between the points of each row."""
    total = np.zeros(len(some))
    for column, other in zip(some.T, others.T, strict=True):
        total += (column - other) ** 2
    return np.sqrt(total)


def is_for_tree(points: Points) -> bool:
    """Tell whether points have so few dimensions that a tree saves time."""
    return _dimensions(points) <= _DIMENSIONS


def _dimensions(points: Points) -> float:
    """Return the effective dimension of points: 1 on a line, the number of columns if all spread equally.

    It is the square of the sum of the covariance matrix's eigenvalues over the sum of their squares, of a sample of
    the points: it decides about speed only. It is never more than the number of columns, which is enough if they are
    few.
    """
    if points.shape[1] <= _DIMENSIONS:
        return float(points.shape[1])
    points = points[:: len(points) // _SAMPLED + 1]
    spread = points - points.mean(axis=0)
    largest = np.abs(spread).max(initial=0.0)
    if largest == 0.0:
        return 0.0
    spread /= largest
    covariance = spread.T @ spread
    return float(np.trace(covariance) ** 2 / (covariance**2).sum())
