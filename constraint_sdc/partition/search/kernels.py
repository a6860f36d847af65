"""The approximate search for near records in large files; distances are squared and in single precision.

A thread writes only its own rows and reads none that another writes, so the result does not depend on the threads.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, NeighbourLists, Points, Rows, Singles
from constraint_sdc.partition.compiled import U, compiled

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


# One exchange for every record, weighed and carried out: the arithmetic of `propose` and `Grouping.swap`, operation
# for operation. `records` and `groups` are those of a `Grouping`, record by record.


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
    drawn: Floats,
    patience: Floats,
    found: AnyIntegers,
) -> int:
    """Write the exchanges of the records from `start` to `stop` that are accepted; return how many.

    The rows of `found` are x, z and their groups. Nothing branches on what no processor can predict: a place is written
    each time, and kept if the record counts.
    """
    count, columns = lists.shape[1], records.shape[1] - 1
    at_mass, at_norm = U(columns), U(columns + 1)
    held = np.empty(len(groups))
    for group in range(len(groups)):
        held[group] = groups[group, at_norm] / groups[group, at_mass] if size[group] > 0 else 0.0
    waiting = U(start)
    for x in range(U(start), U(stop)):
        other = label[U(lists[x, U(neighbour[x] * neighbour[x] * count)])]
        found[0, waiting], found[3, waiting] = x, other
        waiting += U(label[x] != other)
    last = U(start)
    for i in range(U(start), waiting):
        x, other = U(found[0, i]), U(found[3, i])
        one = U(label[x])
        places = size[other] + ((size[one] > k) & (size[other] < 2 * k - 1))
        z = U(members[other, U(companion[x] * places)])
        square = with_one = with_other = 0.0
        for j in range(at_mass):
            difference = records[z, j] - records[x, j]
            square += difference * difference
            with_one += groups[one, j] * difference
            with_other += groups[other, j] * difference
        heavier = records[z, at_mass] - records[x, at_mass]
        mass, norm = groups[one, at_mass], groups[one, at_norm]
        change = held[one] - (norm + 2.0 * with_one + square) / (mass + heavier)
        mass, norm = groups[other, at_mass], groups[other, at_norm]
        change += held[other] - (norm - 2.0 * with_other + square) / (mass - heavier)
        found[0, last], found[1, last], found[2, last], found[3, last] = x, z, one, other
        last += U(change < patience[x] * drawn[x])
    accepted: int = last - U(start)
    return accepted


@compiled
def carry_out(
    order: Rows,
    x_of: AnyIntegers,
    z_of: AnyIntegers,
    claims: AnyIntegers,
    owner: Rows,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    place: AnyIntegers,
    records: Points,
    groups: Points,
) -> None:
    """Carry out the exchanges that get both groups when claims are served in this order.

    There are two claims for each exchange: first those of all groups of x, then those of all groups of z. `label` and
    `place` have a last entry for nobody.
    """
    columns = records.shape[1] - 1
    count, at_norm, nobody = U(len(x_of)), U(columns + 1), U(len(records) - 1)
    for i in range(U(len(order))):
        owner[U(claims[U(order[i])])] = order[i]
    for i in range(count):
        one, other = U(claims[i]), U(claims[count + i])
        if U(owner[one]) != i or U(owner[other]) != count + i:
            continue
        x, z = U(x_of[i]), U(z_of[i])
        for j in range(at_norm):
            change = records[z, j] - records[x, j]
            groups[one, j] += change
            groups[other, j] -= change
        groups[one, at_norm] = _norm(groups, one, columns)
        groups[other, at_norm] = _norm(groups, other, columns)
        hole = U(place[x])
        target = U(size[other]) if z == nobody else U(place[z])
        members[one, hole], members[other, target] = z, x
        place[x], place[z] = target, hole
        label[x], label[z] = other, one
        if z == nobody:
            size[one] -= 1
            size[other] += 1
            last = U(size[one])
            filler = U(members[one, last])
            members[one, hole] = filler
            place[filler] = hole
            members[one, last] = nobody


@compiled
def _norm(groups: Points, group: int, columns: int) -> float:
    """Return the squared length of a group's sums, added as NumPy adds a row: from eight on in eight parts."""
    total = 0.0
    start = columns - columns % 8
    if columns >= 8:
        a = b = c = d = e = f = g = h = 0.0
        for j in range(0, start, 8):
            a += groups[group, j] * groups[group, j]
            b += groups[group, j + 1] * groups[group, j + 1]
            c += groups[group, j + 2] * groups[group, j + 2]
            d += groups[group, j + 3] * groups[group, j + 3]
            e += groups[group, j + 4] * groups[group, j + 4]
            f += groups[group, j + 5] * groups[group, j + 5]
            g += groups[group, j + 6] * groups[group, j + 6]
            h += groups[group, j + 7] * groups[group, j + 7]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for j in range(start, columns):
        total += groups[group, j] * groups[group, j]
    return total


# Records sent to other groups: what `Grouping.send` does.


@compiled
def send(
    x_of: Rows,
    into: Rows,
    left: Rows,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    place: AnyIntegers,
    records: Points,
    groups: Points,
) -> None:
    """Move records to other groups, any number from and to each; those who stay close ranks.

    `left` takes the groups that they leave. `label` and `place` have a last entry for nobody.
    """
    room, columns, nobody = members.shape[1], records.shape[1] - 1, len(records) - 1
    for i in range(len(x_of)):
        left[i] = label[x_of[i]]
        members[left[i], place[x_of[i]]] = nobody
    for i in range(len(x_of)):
        group, kept = left[i], 0
        for slot in range(room):
            member = members[group, slot]
            if member != nobody:
                members[group, slot] = nobody
                members[group, kept] = member
                place[member] = kept
                kept += 1
        size[group] = kept
    for i in range(len(x_of)):
        x, group = x_of[i], into[i]
        members[group, size[group]] = x
        label[x], place[x] = group, size[group]
        size[group] += 1
    for i in range(2 * len(x_of)):
        group = left[i] if i < len(x_of) else into[i - len(x_of)]
        for j in range(columns + 1):
            groups[group, j] = _total(records, members, group, j)
        groups[group, columns + 1] = _norm(groups, group, columns)


@compiled
def _total(records: Points, members: AnyIntegers, group: int, column: int) -> float:
    """Return the sum of a column over the slots of a group, added as NumPy adds a row."""
    total = 0.0
    start = members.shape[1] - members.shape[1] % 8
    if start:
        a = b = c = d = e = f = g = h = 0.0
        for slot in range(0, start, 8):
            a += records[members[group, slot], column]
            b += records[members[group, slot + 1], column]
            c += records[members[group, slot + 2], column]
            d += records[members[group, slot + 3], column]
            e += records[members[group, slot + 4], column]
            f += records[members[group, slot + 5], column]
            g += records[members[group, slot + 6], column]
            h += records[members[group, slot + 7], column]
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for slot in range(start, members.shape[1]):
        total += records[members[group, slot], column]
    return total
