"""What follows from the totals of two divisions of the same records: values that subtraction gives exactly.

Groups of both divisions are the nodes of a graph, every record is an edge between its two groups, and the total of a
group is the sum of its edges. A sum of totals of the one division minus a sum of totals of the other has a single
record left if and only if that record is a bridge: without it, its component falls apart (R. Tarjan, A note on finding
the bridges of a graph, 1974). The values of all other records can be moved around a cycle, so no total reveals them.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, Labels


def derived_values(first: Labels, second: Labels, one: Floats, other: Floats) -> Floats:
    """Return the value of every record that is a bridge, NaN for the others.

    `first` and `second` are the groups of every record, `one` and `other` its masked values, the means of the groups.

    >>> derived_values(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([2.0, 2.0, 9.0]), np.full(3, 13 / 3)).tolist()
    [nan, nan, 9.0]
    """
    records, shift = len(first), int(first.max(initial=-1)) + 1
    ends = np.stack((first, second + shift))
    nodes = int(ends.max(initial=-1)) + 1
    total = np.zeros(nodes)
    np.add.at(total, ends[0], one)
    np.subtract.at(total, ends[1], other)
    start, order = _incidence(ends, nodes)
    found = np.full(records, np.nan)
    for edge, node, sum_below in _bridges(ends, start, order, total):
        found[edge] = sum_below if node < shift else -sum_below
    return found


def _incidence(ends: Labels, nodes: int) -> tuple[list[int], list[int]]:
    """Return the edges of every node: those of node v are `order[start[v]:start[v + 1]]`."""
    records = ends.shape[1]
    flat = ends.reshape(-1)
    order = np.argsort(flat, kind="stable") % max(records, 1)
    start = np.concatenate(([0], np.cumsum(np.bincount(flat, minlength=nodes))))
    return start.tolist(), order.tolist()


def _bridges(ends: Labels, start: list[int], order: list[int], total: Floats) -> list[tuple[int, int, float]]:
    """Return every bridge as its edge, the node below it, and the sum of totals below it; depth first, no recursion."""
    nodes, (left, right) = len(start) - 1, ends.tolist()
    entered, low, sums, place = [-1] * nodes, [0] * nodes, total.tolist(), start[:-1]
    found: list[tuple[int, int, float]] = []
    clock = 0
    for root in range(nodes):
        if entered[root] >= 0:
            continue
        path: list[tuple[int, int]] = [(root, -1)]
        while path:
            node, arrived_by = path[-1]
            if entered[node] < 0:
                entered[node] = low[node] = clock
                clock += 1
            if place[node] < start[node + 1]:
                edge = order[place[node]]
                place[node] += 1
                if edge == arrived_by:
                    continue
                far = right[edge] if left[edge] == node else left[edge]
                if entered[far] < 0:
                    path.append((far, edge))
                else:
                    low[node] = min(low[node], entered[far])
                continue
            path.pop()
            if path:
                above = path[-1][0]
                low[above] = min(low[above], low[node])
                sums[above] += sums[node]
                if low[node] > entered[above]:
                    found.append((arrived_by, node, sums[node]))
    return found
