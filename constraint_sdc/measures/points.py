"""Original and masked records as points of one space, and the nearest points of another file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Flags, Floats, Points, Rows
from constraint_sdc.data.pair import Compared
from constraint_sdc.partition.partitioner import cores
from constraint_sdc.partition.search.neighbours import find_copies
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

# Original and masked records as points of one space, so that the distance between any two of them is defined.
#
# Numbers are measured in standard deviations of the original, as in masking; two different categories lie one unit
# apart. The original's units are used for both files: an intruder compares masked values with known values, not with
# ranks.

FAR = 1e100
"""The largest coordinate, so that squares stay finite; points beyond it are moved to it."""

_CELLS = 20_000_000
"""Indicator cells of one nominal variable at most: 160 MB a file."""

_HALF = float(np.sqrt(0.5))


@dataclass(frozen=True)
class Places:
    """Row i of both arrays is the same record; they have the same columns. `notes` list simplifications."""

    original: Points
    masked: Points
    notes: tuple[Reason, ...] = ()

    def of(self, rows: Rows) -> Places:
        """Return the places of some records."""
        return Places(self.original[rows], self.masked[rows], self.notes)


@dataclass(frozen=True)
class Standardisation:
    """The conversion of numbers to coordinates: `(x - centre) / deviation`, with deviation 1 for a constant.

    Computation is relative to one value and in units of the largest difference from it, so that a large offset costs no
    digits and large numbers do not overflow.
    """

    origin: float
    largest: float
    centre: float
    spread: float

    @staticmethod
    def of(values: Floats) -> Standardisation:
        """Return the unit of the values that are not blank: mean and standard deviation (divided by n)."""
        values = values[~np.isnan(values)]
        if len(values) == 0:
            return Standardisation(0.0, 0.5, 0.0, 1.0)
        half = values / 2.0 - values[0] / 2.0
        largest = float(np.abs(half).max())
        if largest == 0.0:
            return Standardisation(float(values[0]), 0.5, 0.0, 1.0)
        scaled = half / largest
        spread = float(scaled.std())
        return Standardisation(float(values[0]), largest, float(scaled.mean()), spread)

    def place(self, values: Floats) -> Floats:
        """Return the coordinates, none beyond `FAR`; NaN stays."""
        with np.errstate(over="ignore"):
            scaled = (values / 2.0 - self.origin / 2.0) / self.largest
            placed: Floats = np.clip((scaled - self.centre) / self.spread, -FAR, FAR)
        return placed


def standardised(original: Points, masked: Points) -> Places:
    """Return the places of records whose variables are all numbers (n x d each), NaN for blanks."""
    return joined([_numbers(before, after) for before, after in zip(original.T, masked.T, strict=True)], len(original))


def places_of(variables: Sequence[Compared], records: int) -> Places:
    """Return the places of the records in some variables, whatever their scales."""
    return joined([place(variable) for variable in variables], records)


def joined(places: Sequence[Places], records: int) -> Places:
    """Return the places in all variables together; without any, points without a column."""
    none = np.zeros((records, 0))
    original = np.concatenate([none, *(each.original for each in places)], axis=1)
    masked = np.concatenate([none, *(each.masked for each in places)], axis=1)
    return Places(original, masked, tuple(note for each in places for note in each.notes))


def place(variable: Compared) -> Places:
    """Return the places in one variable: its coordinate and, if there are blanks, an indicator of blanks."""
    if variable.scale is Scale.NOMINAL:
        return _categories(variable)
    return _numbers(variable.original, variable.masked)


def _numbers(original: Floats, masked: Floats) -> Places:
    """Place numbers and ordinal codes; blanks are at the mean, one unit away in a separate column."""
    unit = Standardisation.of(original)
    before, after = unit.place(original), unit.place(masked)
    blank, blank_after = np.isnan(before), np.isnan(after)
    if not blank.any() and not blank_after.any():
        return Places(before[:, None], after[:, None])
    return Places(
        np.column_stack((np.where(blank, 0.0, before), blank)),
        np.column_stack((np.where(blank_after, 0.0, after), blank_after)),
    )


def _categories(variable: Compared) -> Places:
    """Place categories by one indicator column each, blanks included; different categories are one unit apart."""
    n = len(variable.original_code)
    codes = np.concatenate((variable.original_code, variable.masked_code))
    found, which, count = np.unique(codes, return_inverse=True, return_counts=True)
    most = max(2, _CELLS // max(n, 1))
    notes: tuple[Reason, ...] = ()
    if len(found) > most:
        note = because("categories-joined", variable=variable.name, categories=len(found), joined=len(found) - most + 1)
        which, notes = _few(which, count, most), (note,)
    cells = np.equal(which[:, None], np.arange(min(len(found), most))) * _HALF
    return Places(cells[:n], cells[n:], notes)


def _few(which: Codes, count: npt.NDArray[np.int64], most: int) -> Codes:
    """Renumber categories by their frequency; the rarest share the last number."""
    rank = np.empty_like(count)
    rank[np.argsort(-count, kind="stable")] = np.arange(len(count))
    return np.minimum(rank, most - 1)[which]


# The nearest records of another file, including all ties: an exact search without n x n memory.
#
# Small files and spaces of many dimensions are compared in blocks of matrix products; the rest by a k-d tree (J. L.
# Bentley, Comm. ACM 18(9), 509-517, 1975). The choice affects speed only.

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
    distance = _apart(queries, references[own])
    found = nearest(queries, references, distance)
    return Links(found.ties, distance <= found.distance * SAME)


def nearest(queries: Points, references: Points, at_most: Floats | None = None) -> Nearest:
    """Return the nearest references of every query; there is at least one reference. Equal rows are searched once.

    `at_most` are distances within which each query is known to have a reference: they save time and do not change the
    result.

    >>> found = nearest(np.array([[0.0], [5.0]]), np.array([[1.0], [-1.0], [5.0]]))
    >>> found.distance.tolist(), found.ties.tolist()
    ([1.0, 0.0], [2, 1])
    """
    asked, known = distinct(queries), distinct(references)
    bound = np.full(len(asked.points), np.inf)
    if at_most is not None:
        np.minimum.at(bound, asked.which, at_most)
    few = len(asked.points) * len(known.points) <= _FEW_PAIRS
    if few or _dimensions(known.points) > _DIMENSIONS:
        found = by_blocks(asked.points, known)
    else:
        found = by_tree(asked.points, known, bound)
    return Nearest(found.distance[asked.which], found.ties[asked.which])


@dataclass(frozen=True)
class Distinct:
    """The distinct rows among points: `count` of each, and `which` of them every point is."""

    points: Points
    count: Codes
    which: Rows


def distinct(points: Points) -> Distinct:
    """Return the distinct rows."""
    copies = find_copies(np.ascontiguousarray(points))
    first = np.flatnonzero(copies.rank == 0)
    number = np.empty(len(points), np.int64)
    number[first] = np.arange(len(first))
    return Distinct(points[first], copies.size[first], number[copies.order[copies.start]])


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
        apart[part] = _apart(queries[one[part]], references.points[other[part]])
    starts = np.searchsorted(one, np.arange(len(queries)))
    least: Floats = np.minimum.reduceat(apart, starts)
    at_least = np.where(apart <= least[one] * SAME, references.count[other], 0)
    return least, np.add.reduceat(at_least, starts)


def _apart(some: Points, others: Points) -> Floats:
    """Return the distance between the points of each row."""
    total = np.zeros(len(some))
    for column, other in zip(some.T, others.T, strict=True):
        total += (column - other) ** 2
    return np.sqrt(total)


def _dimensions(points: Points) -> float:
    """Return the effective dimension of points: 1 on a line, the number of columns if all spread equally.

    It is the square of the sum of the covariance matrix's eigenvalues over the sum of their squares, of a sample of
    the points: it decides about speed only.
    """
    points = points[:: len(points) // _SAMPLED + 1]
    spread = points - points.mean(axis=0)
    largest = np.abs(spread).max(initial=0.0)
    if largest == 0.0:
        return 0.0
    covariance = (spread / largest).T @ (spread / largest)
    return float(np.trace(covariance) ** 2 / (covariance**2).sum())
