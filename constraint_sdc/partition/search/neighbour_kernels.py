"""The search for near records by compiled code: exact in small files, approximate in large ones."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, NeighbourLists, Points, Rows, Singles
from constraint_sdc.partition.compiled import compiled


@compiled
def list_nearest(points: Points, order: Rows, low: Points, high: Points, size: int, lists: NeighbourLists) -> None:
    """Fill the lists of all records with the nearest others, nearest first; of equals the first in the file.

    Leaf `i` has the records from place `size * i` of `order` on; the last leaf has all that are left.
    `points` are in that order, `low` and `high` are the corners of the leaves' boxes. Leaves are visited outwards from
    a record's own; one whose box is farther away than the list reaches is passed over. No distance is less than that to
    the box, to the last bit: both are rounded at the same steps, and rounding keeps order.
    """
    n, columns, count, leaves = points.shape[0], points.shape[1], lists.shape[1], low.shape[0]
    nearest, nearest_apart = np.empty(count, np.int32), np.empty(count)
    for at in range(n):
        own_leaf = min(at // size, leaves - 1)
        for i in range(count):
            nearest[i], nearest_apart[i] = n, np.inf
        for step in range(2 * leaves):
            leaf = own_leaf - (step + 1) // 2 if step % 2 else own_leaf + step // 2
            if leaf < 0 or leaf >= leaves:
                continue
            gap = 0.0
            for c in range(columns):
                beside = max(low[leaf, c] - points[at, c], points[at, c] - high[leaf, c], 0.0)
                gap += beside * beside
            if gap > nearest_apart[count - 1]:
                continue
            for other in range(leaf * size, n if leaf == leaves - 1 else (leaf + 1) * size):
                apart = 0.0
                for c in range(columns):
                    difference = points[other, c] - points[at, c]
                    apart += difference * difference
                if other != at and apart <= nearest_apart[count - 1]:
                    _enlist(nearest, nearest_apart, order[other], apart)
        for i in range(count):
            lists[order[at], i] = nearest[i]


@compiled
def _enlist(nearest: NeighbourLists, nearest_apart: Floats, other: int, apart: float) -> None:
    """Insert a record into a list if it is nearer than the last, or as near and earlier in the file."""
    place = len(nearest)
    while place > 0:
        before, before_apart = nearest[place - 1], nearest_apart[place - 1]
        if before_apart < apart or (before_apart == apart and before < other):
            break
        if place < len(nearest):
            nearest[place], nearest_apart[place] = before, before_apart
        place -= 1
    if place < len(nearest):
        nearest[place], nearest_apart[place] = other, apart


# Large files: distances are squared and in single precision. A thread writes only its own rows and reads none that
# another writes, so the result does not depend on the threads.

_MET = 1024
"""Records remembered as seen, by the last digits of their numbers; a forgotten record is measured again."""


@compiled
def probe(
    blocks: Singles, centres: Singles, nearby: NeighbourLists, lists: NeighbourLists, probes: int, first: int, last: int
) -> None:
    """Fill the lists of the records in some blocks: the nearest records of the blocks whose centres are nearest.

    `blocks` is (blocks, columns, records in a block), so that a whole block is compared at once; the last one is padded
    with infinity. `nearby` lists the candidate blocks of each block.
    """
    columns, size = blocks.shape[1], blocks.shape[2]
    apart, away = np.empty(size, np.float32), np.empty(nearby.shape[1], np.float32)
    chosen, chosen_apart = np.empty(probes, np.int32), np.empty(probes, np.float32)
    nearest, nearest_apart = np.empty(lists.shape[1], np.int32), np.empty(lists.shape[1], np.float32)
    around = np.empty((columns, nearby.shape[1]), np.float32)
    for block in range(first, last):
        for i in range(nearby.shape[1]):
            for c in range(columns):
                around[c, i] = centres[nearby[block, i], c]
        for own in range(min(size, len(lists) - block * size)):
            _compare(blocks[block], own, around, away)
            limit = _clear(chosen_apart)
            for i in range(len(away)):
                if away[i] < limit:
                    limit = _insert(chosen, chosen_apart, nearby[block, i], away[i])
            limit = _clear(nearest_apart)
            for i in range(probes):
                _compare(blocks[block], own, blocks[chosen[i]], apart)
                if chosen[i] == block:
                    apart[own] = np.inf
                for j in range(size):
                    if apart[j] < limit:
                        limit = _insert(nearest, nearest_apart, np.int32(chosen[i] * size + j), apart[j])
            for i in range(len(nearest)):
                lists[block * size + own, i] = nearest[i]


@compiled
def introduce(
    points: Singles, lists: NeighbourLists, better: NeighbourLists, reach: int, first: int, last: int
) -> None:
    """Fill the better lists of some records: the nearest among their neighbours and their neighbours' neighbours.

    The first `reach` of each list take part.
    """
    count = lists.shape[1]
    nearest, nearest_apart = np.empty(count, np.int32), np.empty(count, np.float32)
    met, strangers = np.empty(_MET, np.int32), np.empty(reach * reach, np.int32)
    for own in range(first, last):
        for i in range(_MET):
            met[i] = -1
        met[own % _MET] = own
        limit = _clear(nearest_apart)
        for a in range(count):
            other = lists[own, a]
            met[other % _MET] = other
            limit = _insert(nearest, nearest_apart, other, _between(points, own, other))
        waiting = 0
        for a in range(reach):
            for b in range(reach):
                other = lists[lists[own, a], b]
                strangers[waiting] = other
                waiting += met[other % _MET] != other
                met[other % _MET] = other
        for a in range(waiting):
            apart = _between(points, own, strangers[a])
            if apart < limit and strangers[a] != own and not _has(nearest, strangers[a]):
                limit = _insert(nearest, nearest_apart, strangers[a], apart)
        for a in range(count):
            better[own, a] = nearest[a]


@compiled
def _compare(block: Singles, own: int, others: Singles, apart: Singles) -> None:
    """Set the distances of a record of a block from all records of another."""
    for j in range(len(apart)):
        apart[j] = 0.0
    for c in range(len(block)):
        here = block[c, own]
        for j in range(len(apart)):
            difference = others[c, j] - here
            apart[j] += difference * difference


@compiled
def _clear(apart: Singles) -> np.float32:
    """Empty a list, and return its limit."""
    for i in range(len(apart)):
        apart[i] = np.inf
    limit: np.float32 = apart[0]
    return limit


@compiled
def _between(points: Singles, one: int, other: int) -> np.float32:
    """Return the distance of two records."""
    total = np.float32(0.0)
    for c in range(points.shape[1]):
        difference = points[one, c] - points[other, c]
        total += difference * difference
    return total


@compiled
def _insert(nearest: NeighbourLists, nearest_apart: Singles, other: np.int32, apart: np.float32) -> np.float32:
    """Insert a record that is near enough into a list, nearest first; return the list's new limit."""
    place = len(nearest) - 1
    while place > 0 and nearest_apart[place - 1] > apart:
        nearest[place], nearest_apart[place] = nearest[place - 1], nearest_apart[place - 1]
        place -= 1
    nearest[place], nearest_apart[place] = other, apart
    limit: np.float32 = nearest_apart[len(nearest) - 1]
    return limit


@compiled
def _has(nearest: NeighbourLists, other: np.int32) -> bool:
    """Tell whether a record is in a list."""
    times = 0
    for i in range(len(nearest)):
        times += nearest[i] == other
    return times > 0
