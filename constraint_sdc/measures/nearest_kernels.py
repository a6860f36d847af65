"""The exact search for the nearest points in large files, compiled: a k-d tree whose nodes have sixteen children.

Boxes and points lie column by column, so that a node's children, and a leaf's points, are compared at once. A thread
writes the queries it was given and reads none that another writes, so the result does not depend on the threads.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Counts, Floats, Points, Rows, SmallPositions
from constraint_sdc.partition.compiled import compiled

WIDTH = 16
"""Children of a node."""

_SAMPLE = 64
"""Points whose spread chooses the column of a cut."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)


@compiled
def number_rows(points: Points, slots: SmallPositions, which: SmallPositions, first: SmallPositions) -> int:
    """Number the different rows in file order, and return how many there are.

    `slots` is a hash table with room for twice the rows, a power of two, of -1. `which` gets the number of every row,
    `first` the row in which each number occurs first.
    """
    found = 0
    mask = len(slots) - 1
    for row in range(len(points)):
        mixture = np.uint64(0)
        for column in range(points.shape[1]):
            mixture = (mixture ^ np.float64(points[row, column] + 0.0).view(np.uint64)) * _ODD  # no negative zero
            mixture ^= mixture >> _SHIFT
        slot = np.int64(mixture & np.uint64(mask))
        while True:
            known = slots[slot]
            if known < 0:
                slots[slot] = which[row] = found
                first[found] = row
                found += 1
                break
            other, column = first[known], 0
            while column < points.shape[1] and points[other, column] == points[row, column]:
                column += 1
            if column == points.shape[1]:
                which[row] = known
                break
            slot = (slot + 1) & mask
    return found


@compiled
def cut_in_halves(points: Points, order: SmallPositions, depth: int) -> None:
    """Sort the rows in `order` into 2^depth leaves of nearly equal size, each cut at the median of its widest column.

    Leaf i has the places from n * i >> depth of `order` on.
    """
    n = len(order)
    keys = np.empty(n)
    for level in range(depth):
        for node in range(1 << level):
            start, stop = n * node >> level, n * (node + 1) >> level
            middle = n * (2 * node + 1) >> (level + 1)
            column = _widest(points, order, start, stop)
            for place in range(start, stop):
                keys[place] = points[order[place], column]
            _select(keys, order, start, stop - 1, middle)


@compiled
def _widest(points: Points, order: SmallPositions, start: int, stop: int) -> int:
    """Return the column in which a sample of the rows spreads most."""
    stride = (stop - start) // _SAMPLE + 1
    widest, most = 0, -1.0
    for column in range(points.shape[1]):
        origin = points[order[(start + stop) // 2], column]
        count, total, spread = 0.0, 0.0, 0.0
        for place in range(start, stop, stride):
            count += 1.0
            total += points[order[place], column] - origin
        origin += total / count
        for place in range(start, stop, stride):
            spread += abs(points[order[place], column] - origin)
        if spread > most:
            widest, most = column, spread
    return widest


@compiled
def _select(keys: Floats, order: SmallPositions, first: int, last: int, middle: int) -> None:
    """Move keys, and the rows that they belong to, until none before the middle is larger than one from it on.

    Reference: C. A. R. Hoare, Algorithm 65: Find, Comm. ACM 4(7), 1961.
    """
    while first < last:
        pivot = keys[(first + last) // 2]
        i, j = first, last
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if j < middle:
            first = i
        if middle < i:
            last = j


@compiled
def fill_leaves(points: Points, order: SmallPositions, leaves: Points, low: Points, high: Points) -> None:
    """Write the points of every leaf, (leaves, columns, room), and the corners of its box, (nodes, columns, WIDTH).

    Room without a point is infinitely far away; so is a box without a leaf.
    """
    n, count, columns, room = len(order), len(leaves), points.shape[1], leaves.shape[2]
    for leaf in range(count):
        start, stop = n * leaf // count, n * (leaf + 1) // count
        for column in range(columns):
            least, most = np.inf, -np.inf
            for place in range(start, stop):
                value = points[order[place], column]
                leaves[leaf, column, place - start] = value
                least, most = min(least, value), max(most, value)
            for place in range(stop - start, room):
                leaves[leaf, column, place] = np.inf
            low[leaf // WIDTH, column, leaf % WIDTH] = least
            high[leaf // WIDTH, column, leaf % WIDTH] = most


@compiled
def search(
    queries: Points,
    turn: Rows,
    bound: Floats,
    leaves: Points,
    copies: Counts,
    low: Points,
    high: Points,
    begins: Rows,
    distance: Floats,
    ties: Counts,
    same: float,
    first: int,
    last: int,
) -> None:
    """Set the squared distance of the nearest points of some queries, turn[first:last], and how many are as near.

    `bound` is a squared distance within which a query has a point; squares within the factor `same` are equal.
    `copies` (leaves x room) tells how often each point occurs. Level 0 of the tree are the boxes of the leaves; the
    nodes of level i begin at begins[i] of `low` and `high`, and the last level has one node.
    """
    levels, room = len(begins), leaves.shape[2]
    nodes, gaps = np.empty(WIDTH * (levels + 1), np.int64), np.empty(WIDTH * (levels + 1))
    depths = np.empty(WIDTH * (levels + 1), np.int64)
    gap, apart = np.empty(WIDTH), np.empty(room)
    for i in range(first, last):
        query = queries[turn[i]]
        least, limit, count, is_unsure = np.inf, bound[turn[i]] * same, 0, False
        recounts = 0
        while True:
            waiting = 1
            nodes[0], depths[0], gaps[0] = 0, levels, 0.0
            while waiting:
                waiting -= 1
                if gaps[waiting] > limit:
                    continue
                node, level = nodes[waiting], depths[waiting]
                if level == 0:
                    if _measure(query, leaves[node], limit, apart) == 0:
                        continue
                    nearest = np.inf
                    for place in range(room):
                        nearest = min(nearest, apart[place])
                    if nearest < least:
                        if nearest * same < least:
                            count = 0
                        else:
                            is_unsure = True
                        least = nearest
                        limit = least * same
                    for place in range(room):
                        if apart[place] <= limit:
                            count += copies[node, place]
                    continue
                inner = begins[level - 1] + node
                _measure_boxes(query, low[inner], high[inner], gap)
                waiting = _push(gap, limit, node, level - 1, nodes, depths, gaps, waiting)
            if not is_unsure or recounts:
                break
            count, recounts = 0, 1
        distance[turn[i]], ties[turn[i]] = least, count


# Inner loops run over a length that the compiler does not know: only those become vector instructions.


@compiled
def _measure(query: Floats, block: Points, limit: float, apart: Floats) -> int:
    """Set the squared distances of the points of a leaf, summed column after column; return how many are near.

    It stops with none as soon as all are beyond the limit. Four columns at a time spare three of four writes.
    """
    columns, room, near = len(query), len(apart), 0
    for place in range(room):
        apart[place] = 0.0
    for first in range(0, columns, 4):
        if first + 4 <= columns:
            a, b, c, d = query[first], query[first + 1], query[first + 2], query[first + 3]
            for place in range(room):
                e, f = block[first, place] - a, block[first + 1, place] - b
                g, h = block[first + 2, place] - c, block[first + 3, place] - d
                apart[place] = apart[place] + e * e + f * f + g * g + h * h
        else:
            for column in range(first, columns):
                a = query[column]
                for place in range(room):
                    e = block[column, place] - a
                    apart[place] += e * e
        near = 0
        for place in range(room):
            near += apart[place] <= limit
        if near == 0:
            break
    return near


@compiled
def _measure_boxes(query: Floats, low: Points, high: Points, gap: Floats) -> None:
    """Set the squared distances of the boxes: none is more than that of a point inside, rounded at the same steps."""
    width = len(gap)
    for child in range(width):
        gap[child] = 0.0
    for column in range(len(query)):
        here = query[column]
        for child in range(width):
            below, above = low[column, child] - here, here - high[column, child]
            beside = below if below > above else above
            beside = beside if beside > 0.0 else 0.0
            gap[child] += beside * beside


@compiled
def _push(
    gap: Floats, limit: float, node: int, level: int, nodes: Rows, depths: Rows, gaps: Floats, waiting: int
) -> int:
    """Put the children within the limit on the stack, the nearest last; return how many wait there."""
    bottom = waiting
    for child in range(WIDTH):
        if gap[child] <= limit:
            place = waiting
            while place > bottom and gaps[place - 1] < gap[child]:
                gaps[place], nodes[place], depths[place] = gaps[place - 1], nodes[place - 1], depths[place - 1]
                place -= 1
            gaps[place], nodes[place], depths[place] = gap[child], node * WIDTH + child, level
            waiting += 1
    return waiting
