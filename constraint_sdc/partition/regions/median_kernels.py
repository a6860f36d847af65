"""A tree of medians by compiled code: halves of halves along the widest variable, and the nearest records of each."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, NeighbourLists, Points, Rows, SmallPositions
from constraint_sdc.partition.compiled import U, compiled

# The tree is implicit. At the last level, leaf i holds the records from `bounds[i]` to `bounds[i + 1]`; nodes are
# numbered from the root, 1, so that the halves of node i are 2i and 2i + 1.


@compiled
def order_by_medians(points: Points, order: SmallPositions, depth: int, sample: int) -> Rows:
    """Put records into the order of the leaves, `depth` cuts below the root; return the bounds of the leaves."""
    bounds, keys = np.empty((1 << depth) + 1, np.int64), np.empty(len(points))
    bounds[0], bounds[1] = 0, len(points)
    for level in range(depth):
        for node in range((1 << level) - 1, -1, -1):
            start, stop = bounds[node], bounds[node + 1]
            middle = (start + stop) // 2
            axis = _widest(points, order, start, stop, sample)
            for i in range(start, stop):
                keys[i] = points[order[i], axis]
            _halve(keys, order, start, stop - 1, middle)
            bounds[2 * node + 2], bounds[2 * node + 1], bounds[2 * node] = stop, middle, start
    return bounds


@compiled
def _widest(points: Points, order: SmallPositions, start: int, stop: int, sample: int) -> int:
    """Return the variable whose sum of squares around the mean of a sample is largest."""
    stride = (stop - start - 1) // sample + 1
    widest, most = 0, -1.0
    for j in range(points.shape[1]):
        count, total, squares = 0, 0.0, 0.0
        for i in range(start, stop, stride):
            total += points[order[i], j]
            count += 1
        mean = total / max(count, 1)
        for i in range(start, stop, stride):
            squares += (points[order[i], j] - mean) * (points[order[i], j] - mean)
        if squares > most:
            widest, most = j, squares
    return widest


@compiled
def _halve(keys: Floats, order: SmallPositions, low: int, high: int, middle: int) -> None:
    """Put the smallest keys before `middle` (C. A. R. Hoare, 1961); `order` moves with the keys."""
    while low < high:
        first, second, third = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(first, second), min(max(first, second), third))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break


@compiled
def bound(points: Points, bounds: Rows, low: Points, high: Points) -> None:
    """Set the least and the greatest value of every variable in every node; points are in the order of the leaves."""
    leaves, columns = len(bounds) - 1, points.shape[1]
    for leaf in range(leaves):
        for j in range(columns):
            low[leaves + leaf, j], high[leaves + leaf, j] = np.inf, -np.inf
            for i in range(bounds[leaf], bounds[leaf + 1]):
                low[leaves + leaf, j] = min(low[leaves + leaf, j], points[i, j])
                high[leaves + leaf, j] = max(high[leaves + leaf, j], points[i, j])
    for node in range(leaves - 1, 0, -1):
        for j in range(columns):
            low[node, j] = min(low[2 * node, j], low[2 * node + 1, j])
            high[node, j] = max(high[2 * node, j], high[2 * node + 1, j])


@compiled
def list_near(
    points: Points, columns: Points, bounds: Rows, low: Points, high: Points, lists: NeighbourLists, visited: int
) -> None:
    """Fill the lists of all records with the nearest others, nearest first; points are in the order of the leaves.

    A record looks into its own leaf, then into the other half of each larger node; nodes that begin beyond the end of
    its list are left out. After `visited` leaves the search ends: then a list may lack a record. `columns` are the
    points again, variable by variable, so that a leaf is measured many records at a time.
    """
    leaves, count, largest = U(len(bounds) - 1), U(lists.shape[1]), np.int64(0)
    for leaf in range(leaves):
        largest = max(largest, bounds[leaf + U(1)] - bounds[leaf])
    last, width = count - U(1), U(columns.shape[0])
    near, apart, away, here = np.empty(count, np.int32), np.empty(count), np.empty(largest), np.empty(width)
    waiting, gaps = np.empty(66, np.uint64), np.empty(66)  # two nodes for each level of a tree of up to 2^32 leaves
    for own in range(leaves):
        for x in range(U(bounds[own]), U(bounds[own + U(1)])):
            for i in range(count):
                near[i], apart[i] = x, np.inf
            for j in range(width):
                here[j] = points[x, j]
            _look_into(columns, U(bounds[own]), U(bounds[own + U(1)]), x, here, away, near, apart)
            node, looked = leaves + own, 1
            while node > U(1) and looked < visited:
                waiting[0], gaps[0], top = node ^ U(1), _gap(low, high, node ^ U(1), here), U(1)
                node >>= U(1)
                while top > U(0) and looked < visited:
                    top -= U(1)
                    at = waiting[top]
                    if gaps[top] >= apart[last]:
                        continue
                    if at >= leaves:
                        looked += 1
                        leaf = at - leaves
                        _look_into(columns, U(bounds[leaf]), U(bounds[leaf + U(1)]), x, here, away, near, apart)
                        continue
                    first = at << U(1)
                    left, right = _gap(low, high, first, here), _gap(low, high, first + U(1), here)
                    farther = first + U(left <= right)
                    if max(left, right) < apart[last]:
                        waiting[top], gaps[top] = farther, max(left, right)
                        top += U(1)
                    if min(left, right) < apart[last]:
                        waiting[top], gaps[top] = farther ^ U(1), min(left, right)
                        top += U(1)
            for i in range(count):
                lists[x, i] = near[i]


@compiled
def _gap(low: Points, high: Points, node: int, here: Floats) -> float:
    """Return the squared distance of a record from the box of a node."""
    total = 0.0
    for j in range(U(len(here))):
        below, above = low[node, j] - here[j], here[j] - high[node, j]
        outside = below if below > above else above
        outside = outside if outside > 0.0 else 0.0
        total += outside * outside
    return total


@compiled
def _look_into(
    columns: Points, start: int, stop: int, x: int, here: Floats, away: Floats, near: NeighbourLists, apart: Floats
) -> None:
    """Insert the records of a leaf that are nearer than the last of a list; `here` is the record, `away` is room."""
    last, size = U(len(near) - 1), stop - start
    for i in range(size):
        away[i] = 0.0
    for j in range(U(len(here))):
        mine = here[j]
        for i in range(size):
            difference = columns[j, start + i] - mine
            away[i] += difference * difference
    for i in range(size):
        if away[i] < apart[last] and start + i != x:
            place, nearer = last, away[i]
            while place > U(0) and apart[place - U(1)] > nearer:
                apart[place], near[place] = apart[place - U(1)], near[place - U(1)]
                place -= U(1)
            apart[place], near[place] = nearer, start + i
