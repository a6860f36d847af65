"""A tree of medians by compiled code: halves of halves along the widest variable, and the nearest records of each."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, NeighbourLists, Points, Rows, SmallPositions
from constraint_sdc.partition.compiled import compiled

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
def list_near(points: Points, bounds: Rows, low: Points, high: Points, lists: NeighbourLists, visited: int) -> None:
    """Fill the lists of all records with the nearest others, nearest first; points are in the order of the leaves.

    A record looks into its own leaf, then into the other half of each larger node; nodes that begin beyond the end of
    its list are left out. After `visited` leaves the search ends: then a list may lack a record.
    """
    leaves, count = len(bounds) - 1, lists.shape[1]
    near, apart = np.empty(count, np.int32), np.empty(count)
    waiting, gaps = np.empty(66, np.int64), np.empty(66)  # two nodes for each level of a tree of up to 2^32 leaves
    for own in range(leaves):
        for x in range(bounds[own], bounds[own + 1]):
            for i in range(count):
                near[i], apart[i] = x, np.inf
            _look_into(points, bounds[own], bounds[own + 1], x, near, apart)
            node, looked = leaves + own, 1
            while node > 1 and looked < visited:
                waiting[0], gaps[0], top = node ^ 1, _gap(low, high, node ^ 1, points, x), 1
                node >>= 1
                while top > 0 and looked < visited:
                    top -= 1
                    at = waiting[top]
                    if gaps[top] >= apart[count - 1]:
                        continue
                    if at >= leaves:
                        looked += 1
                        _look_into(points, bounds[at - leaves], bounds[at - leaves + 1], x, near, apart)
                        continue
                    left, right = _gap(low, high, 2 * at, points, x), _gap(low, high, 2 * at + 1, points, x)
                    farther = 2 * at + (left <= right)
                    if max(left, right) < apart[count - 1]:
                        waiting[top], gaps[top] = farther, max(left, right)
                        top += 1
                    if min(left, right) < apart[count - 1]:
                        waiting[top], gaps[top] = farther ^ 1, min(left, right)
                        top += 1
            for i in range(count):
                lists[x, i] = near[i]


@compiled
def _gap(low: Points, high: Points, node: int, points: Points, x: int) -> float:
    """Return the squared distance of a record from the box of a node."""
    total = 0.0
    for j in range(points.shape[1]):
        outside = max(max(low[node, j] - points[x, j], points[x, j] - high[node, j]), 0.0)
        total += outside * outside
    return total


@compiled
def _look_into(points: Points, start: int, stop: int, x: int, near: NeighbourLists, apart: Floats) -> None:
    """Insert the records of a leaf that are nearer than the last of a list."""
    last = len(near) - 1
    for y in range(start, stop):
        away = 0.0
        for j in range(points.shape[1]):
            away += (points[y, j] - points[x, j]) * (points[y, j] - points[x, j])
        if away < apart[last] and y != x:
            place = last
            while place > 0 and apart[place - 1] > away:
                apart[place], near[place] = apart[place - 1], near[place - 1]
                place -= 1
            apart[place], near[place] = away, y
