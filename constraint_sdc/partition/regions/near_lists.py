"""Near neighbours inside one region: by a tree of medians for few variables, by an inverted file for many."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import NeighbourLists, Points, Rows
from constraint_sdc.partition.partitioner import COMPILED_ABOVE
from constraint_sdc.partition.search.neighbours import nearest, search_blocks

_LEAF = 16
"""Records in a leaf, at most."""

FEW = 4
"""Variables up to which a tree of medians is quicker than an inverted file, and most neighbours lie inside a region."""

_VISITED = 32
"""Leaves that a record looks into, at most; with few variables the search nearly always ends before."""

_SAMPLE = 256
"""Sampled records that determine the variable along which a part is cut."""


def ordered(points: Points) -> tuple[Rows, Rows]:
    """Return the records in the order of a tree of medians, near ones together, and the bounds of its leaves."""
    from constraint_sdc.partition.compiled import announce
    from constraint_sdc.partition.regions.median_kernels import bound, list_near, order_by_medians

    announce("tree of medians", [order_by_medians, bound, list_near])
    depth = max(0, int(np.ceil(np.log2(max(len(points), 1) / _LEAF))))
    order = np.arange(len(points), dtype=np.int32)
    bounds = order_by_medians(points, order, depth, _SAMPLE)
    return order.astype(np.int64), bounds


def near_lists(points: Points, bounds: Rows, count: int) -> NeighbourLists:
    """Return near neighbours of every record, nearest first, never itself; `count` of them, fewer than records.

    The points are in the order of the tree whose leaves these are. The result depends on nothing but the points.
    """
    if points.shape[1] > FEW:
        is_large = len(points) > COMPILED_ABOVE  # then copies of one record do not fill the lists of others
        return nearest(points, count, seed=0) if is_large else search_blocks(points, count)
    from constraint_sdc.partition.regions.median_kernels import bound, list_near

    nodes = (2 * (len(bounds) - 1), points.shape[1])
    low, high = np.empty(nodes), np.empty(nodes)
    bound(points, bounds, low, high)
    lists = np.empty((len(points), count), np.int32)
    list_near(points, np.ascontiguousarray(points.T), bounds, low, high, lists, _VISITED)
    return lists


def own_lists(points: Points, count: int) -> NeighbourLists:
    """Return the lists of records that are in no particular order."""
    order, bounds = ordered(points)
    lists = np.empty((len(points), count), np.int32)
    lists[order] = order[near_lists(np.ascontiguousarray(points[order]), bounds, count)]
    return lists
