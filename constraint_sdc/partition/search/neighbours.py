"""The nearest records of every record: exact in small files, approximate in large ones.

Large files are searched by an inverted file (H. Jegou, M. Douze and C. Schmid, IEEE PAMI 33(1), 117-128, 2011): records
are stored in blocks, and each record searches the blocks with the nearest centres. Then the neighbours of neighbours
are added (W. Dong, M. Charikar and K. Li, WWW 2011, 577-586).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Floats, NeighbourLists, Points, Rows, Singles
from constraint_sdc.partition.distances import by_column
from constraint_sdc.partition.methods.tree import safe_scale, tree_order
from constraint_sdc.partition.partitioner import COMPILED_ABOVE

_LEAF = 32
"""Records in a leaf of the tree that prunes the exact search."""

_SMALL_LEAF = 8
"""The same for compiled code, which compares one record at a time."""

_PACKED_AXES = 3
"""Variables along which leaves of compiled code are packed."""

_BLOCK = 64
"""Records in a block: few enough to be close together, enough to make its search efficient."""

_NEARBY = 96
"""Candidate blocks for the records of a block, itself included."""

_PROBES = 16
"""Blocks that each record searches."""

_REACH = 12
"""Neighbours whose own neighbours are tried, and how many of these."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose bits look random: multiplying by it mixes all lower bits into the upper ones."""

_CHUNK = 4_096
"""Records that a thread takes at a time."""


def nearest(points: Points, count: int, seed: int, *, compiled: bool = False) -> NeighbourLists:
    """Return for every record the `count` (or n - 1) records nearest to it, nearest first, never itself.

    Up to 5,000 records the answer is exact, and ties go to the record that comes first in the file. Above, most but not
    all are the nearest (docs/partition/tree.md has the shares), and a record with enough copies has copies only. The
    result depends neither on `seed` nor on the number of threads, nor, in a small file, on whether `compiled` code
    finds it.

    >>> nearest(np.array([[0.0], [5.0], [1.0], [7.0]]), 2, seed=1).tolist()
    [[2, 1], [3, 2], [0, 1], [1, 2]]
    """
    del seed
    count = max(0, min(count, len(points) - 1))
    if count == 0 or points.shape[1] == 0:
        return _first_in_file(len(points), count)
    points = np.ascontiguousarray(points) * safe_scale(points)
    if compiled and len(points) <= COMPILED_ABOVE:
        return _exact_by_kernel(points, count)
    copies = find_copies(points)
    pool = np.flatnonzero(copies.rank <= count)  # no list needs more copies of a point than these
    if len(points) <= COMPILED_ABOVE:
        return _exact(points, pool, count)
    return search_blocks(points, count) if len(pool) == len(points) else _among_copies(points, copies, pool, count)


def _first_in_file(records: int, count: int) -> NeighbourLists:
    """Return the lists of identical records: for each, the first others in the file."""
    first = np.arange(count)
    return (first + (first >= np.arange(records)[:, None])).astype(np.int32)


@dataclass(frozen=True)
class Copies:
    """Equal records are adjacent in `order`, in file order: `rank` of `size`, the first of them at `start`.

    The last three have a value for each record.
    """

    order: Rows
    start: Rows
    rank: Rows
    size: Rows


def find_copies(points: Points) -> Copies:
    """Find equal records by sorting a hash of their bits.

    If different points have the same hash, copies may be separated and count as different; different points never count
    as equal.
    """
    mixture = np.zeros(len(points), np.uint64)
    for column in points.T:
        mixture = (mixture ^ (column + 0.0).view(np.uint64)) * _ODD
        mixture ^= mixture >> np.uint64(32)
    order = np.argsort(mixture, kind="stable").astype(np.int64)
    new = np.ones(len(points), np.bool_)
    new[1:] = mixture[order[1:]] != mixture[order[:-1]]
    for column in points.T:
        new[1:] |= column[order[1:]] != column[order[:-1]]
    first = np.flatnonzero(new)
    start, size = np.empty_like(order), np.empty_like(order)
    start[order] = first[np.cumsum(new) - 1]
    size[order] = np.diff(first, append=len(points))[np.cumsum(new) - 1]
    place = np.empty_like(order)
    place[order] = np.arange(len(points))
    return Copies(order, start, place - start, size)


def _exact_by_kernel(points: Points, count: int) -> NeighbourLists:
    """Return the nearest of all records, leaf by leaf."""
    from constraint_sdc.partition.search.neighbour_kernels import list_nearest

    order = _packed(points, _SMALL_LEAF)
    ordered = np.ascontiguousarray(points[order])
    starts = np.arange(0, max(1, len(points) // _SMALL_LEAF) * _SMALL_LEAF, _SMALL_LEAF)
    low, high = (f.reduceat(ordered, starts) for f in (np.minimum, np.maximum))
    lists = np.empty((len(points), count), np.int32)
    list_nearest(ordered, order, low, high, _SMALL_LEAF, lists)
    return lists


def _packed(points: Points, leaf: int) -> Rows:
    """Return the records leaf by leaf: sorted along the widest variable and cut into slabs, each slab along the next.

    The order decides how long a search takes, never what it finds.

    Reference: Leutenegger, Lopez and Edgington 1997, STR: a simple and efficient algorithm for R-tree packing.
    """
    axes = np.argsort(-points.std(axis=0), kind="stable")[:_PACKED_AXES]
    cuts = round((len(points) / leaf) ** (1 / len(axes)))
    order = np.argsort(points[:, axes[0]], kind="stable")
    slabs = 1
    for axis in axes[1:]:
        slabs *= max(cuts, 1)
        slab = np.arange(len(points)) * slabs // len(points)
        order = order[np.lexsort((points[order, axis], slab))]
    return order


def _exact(points: Points, candidates: Rows, count: int) -> NeighbourLists:
    """Return the nearest of all candidates, leaf by leaf of a tree.

    A list reaches at most as far as the `count` nearest records of its own leaf. Only leaves whose boxes are within
    reach of the leaf's own box are compared. No distance to a record in a box is less than the gap to the box, to the
    last bit: both are rounded at the same steps, and rounding keeps order.
    """
    size = max(_LEAF, count + 1)
    order = tree_order(points, size)
    starts = np.arange(0, max(1, len(points) // size) * size, size)
    low, high = (f.reduceat(points[order], starts).T for f in (np.minimum, np.maximum))
    leaf_of = np.empty(len(points), np.int64)
    leaf_of[order] = np.minimum(np.arange(len(points)) // size, len(starts) - 1)
    is_candidate = np.zeros(len(points), np.bool_)
    is_candidate[candidates] = True
    columns = by_column(points)
    lists = np.empty((len(points), count), np.int32)
    for leaf, own in enumerate(np.split(order, starts[1:])):
        here = columns[:, own, None]
        reach = np.partition(_between(here, columns[:, own]), count, axis=1)[:, count, None]
        gap = np.maximum(low - high[:, leaf, None], low[:, leaf, None] - high)
        is_near = _between(np.maximum(gap, 0.0), np.zeros((len(gap), 1))) <= reach.max()
        near = np.flatnonzero(is_near[leaf_of] & is_candidate)
        apart = _between(here, columns[:, near])
        apart[own[:, None] == near] = np.inf
        within = np.flatnonzero(apart <= reach)
        one, other = np.divmod(within, len(near))
        lists[own] = _nearest_of(one, near[other], apart.ravel()[within], count)
    return lists


def _between(one: Points, other: Points) -> Points:
    """Return squared distances (columns first), summed column after column."""
    total: Points = np.square(one[0] - other[0])
    for here, there in zip(one[1:], other[1:], strict=True):
        difference = here - there
        difference *= difference
        total += difference
    return total


def _nearest_of(one: Rows, other: Rows, apart: Floats, count: int) -> Rows:
    """Return for each `one` (0, 1, ...) its nearest; the pairs are sorted, and at least `count` for each."""
    starts = np.searchsorted(one, np.arange(one[-1] + 1))
    table = np.full((len(starts), int(np.bincount(one).max())), np.inf)
    table[one, np.arange(len(one)) - starts[one]] = apart
    limit = np.partition(table, count - 1, axis=1)[:, count - 1, None]
    below, at = table < limit, table == limit
    free = count - np.count_nonzero(below, axis=1)[:, None]
    chosen = np.nonzero(below | (at & (np.cumsum(at, axis=1) <= free)))[1].reshape(-1, count)
    order = np.argsort(np.take_along_axis(table, chosen, axis=1), axis=1, kind="stable")
    nearest_first: Rows = other[starts[:, None] + np.take_along_axis(chosen, order, axis=1)]
    return nearest_first


def _among_copies(points: Points, copies: Copies, pool: Rows, count: int) -> NeighbourLists:
    """Return lists by a search among the first copies of every point; more copies would fill the lists of neighbours.

    The list of a record with more than `count` copies has those that follow it in the file. If the search finds one of
    these, the list names any of its copies, so that not all lists name the same one.
    """
    small = len(pool) <= COMPILED_ABOVE
    found = pool[_exact(points[pool], np.arange(len(pool)), count) if small else search_blocks(points[pool], count)]
    lists = np.empty((len(points), count), np.int32)
    turned = (copies.rank[found] + pool[:, None]) % copies.size[found]
    any_copy = copies.order[copies.start[found] + turned]
    lists[pool] = np.where(copies.size[found] > count + 1, any_copy, found)
    many = np.flatnonzero(copies.size > count + 1)
    following = (copies.rank[many, None] + 1 + np.arange(count)) % copies.size[many, None]
    lists[many] = copies.order[copies.start[many, None] + following]
    return lists


def search_blocks(points: Points, count: int) -> NeighbourLists:
    """Return what a search of the nearest blocks finds, improved once; `count` is less than the number of records."""
    from constraint_sdc.partition.compiled import announce, in_threads
    from constraint_sdc.partition.search.neighbour_kernels import introduce, probe

    announce("search for neighbours", [probe, introduce])
    size = max(_BLOCK, count + 1)
    order = tree_order(points, size)
    table = (points - points.mean(axis=0))[order].astype(np.float32)
    blocks, centres = _blocks(table, size), _centres(table, size)
    nearby = _nearby(centres)
    probes, reach = min(_PROBES, nearby.shape[1]), min(_REACH, count)
    lists, better = np.empty((len(table), count), np.int32), np.empty((len(table), count), np.int32)
    in_threads(lambda a, b: probe(blocks, centres, nearby, lists, probes, a, b), len(blocks), -(-_CHUNK // size))
    in_threads(lambda a, b: introduce(table, lists, better, reach, a, b), len(table), _CHUNK)
    lists[order] = order[better]
    return lists


def _blocks(table: Singles, size: int) -> Singles:
    """Return records as (blocks, columns, records in a block); the last block is padded with infinity."""
    count = -(-len(table) // size)
    padded = np.full((count * size, table.shape[1]), np.inf, np.float32)
    padded[: len(table)] = table
    return np.ascontiguousarray(padded.reshape(count, size, -1).transpose(0, 2, 1))


def _centres(table: Singles, size: int) -> Singles:
    """Return the mean of every block."""
    starts = np.arange(0, len(table), size)
    records = np.minimum(size, len(table) - starts)
    return (np.add.reduceat(table, starts, axis=0) / records[:, None]).astype(np.float32)


def _nearby(centres: Singles) -> NeighbourLists:
    """Return for every block itself and those whose centres are nearest to its own, by the same search."""
    others = nearest(centres.astype(np.float64), _NEARBY - 1, seed=0)
    return np.column_stack((np.arange(len(centres), dtype=np.int32), others))
