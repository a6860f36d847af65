"""The approximate search for near records in large files; distances are squared and in single precision.

A thread writes only its own rows and reads none that another writes, so the result does not depend on the threads.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, NeighbourLists, Points, Singles
from constraint_sdc.partition.compiled import compiled

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


# The compiled evaluation of one exchange for every record; see `exchange.propose`.


@compiled
def weigh(
    start: int,
    stop: int,
    k: int,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    records: Points,
    groups: Points,
    lists: AnyIntegers,
    neighbour: Floats,
    companion: Floats,
    limit: Floats,
    z_out: AnyIntegers,
    other_out: AnyIntegers,
) -> None:
    """Write the partner z and its group for the records from `start` to `stop`; -1 where the cost exceeds the limit.

    `records` and `groups` are those of a `Grouping`, record by record.
    """
    count, columns = lists.shape[1], records.shape[1] - 1
    for x in range(start, stop):
        z_out[x] = -1
        one = label[x]
        other = label[lists[x, int(neighbour[x] * count)]]
        if one == other:
            continue
        places = size[other]
        if size[one] > k and places < 2 * k - 1:
            places += 1
        z = members[other, int(companion[x] * places)]
        square = with_one = with_other = 0.0
        for j in range(columns):
            difference = records[z, j] - records[x, j]
            square += difference * difference
            with_one += groups[one, j] * difference
            with_other += groups[other, j] * difference
        heavier = records[z, columns] - records[x, columns]
        mass, norm = groups[one, columns], groups[one, columns + 1]
        change = norm / mass - (norm + 2.0 * with_one + square) / (mass + heavier)
        mass, norm = groups[other, columns], groups[other, columns + 1]
        change += norm / mass - (norm - 2.0 * with_other + square) / (mass - heavier)
        if change < limit[x]:
            z_out[x] = z
            other_out[x] = other
