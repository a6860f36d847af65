"""The search of one region by compiled code: exchanges, dissolved and formed groups, one after the other.

`label` and `place` are the group of every record and its slot there; `members` and `size` the records of every group.
A row of `records` holds the centred point times the weight, and the weight; a row of `groups` their sums and the
squared length of the summed point. The loss of a group falls by what its squared length divided by its mass rises.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Bytes, Floats, NeighbourLists, Points, Words
from constraint_sdc.partition.compiled import U, compiled


@compiled
def draw(state: Words) -> np.uint64:
    """Return 64 random bits (S. Vigna, ACM TOMS 42(4), 30, 2016: xorshift64*)."""
    bits = state[0]
    bits ^= bits >> U(12)
    bits ^= bits << U(25)
    bits ^= bits >> U(27)
    state[0] = bits
    found: np.uint64 = bits * U(2685821657736338717)
    return found


@compiled
def enlist(
    label: NeighbourLists,
    size: NeighbourLists,
    members: NeighbourLists,
    place: NeighbourLists,
    records: Points,
    groups: Points,
) -> None:
    """Enter every record into its group: members, sizes and sums."""
    for x in range(len(label)):
        group = label[x]
        members[group, size[group]], place[x] = x, size[group]
        size[group] += 1
        for j in range(records.shape[1]):
            groups[group, j] += records[x, j]
    for group in range(len(groups)):
        groups[group, records.shape[1]] = _square(groups, group, records.shape[1] - 1)


@compiled
def _square(groups: Points, group: int, columns: int) -> float:
    """Return the squared length of a group's summed point."""
    total = 0.0
    for j in range(columns):
        total += groups[group, j] * groups[group, j]
    return total


@compiled
def exchange(
    k: int,
    label: NeighbourLists,
    size: NeighbourLists,
    members: NeighbourLists,
    place: NeighbourLists,
    records: Points,
    groups: Points,
    lists: NeighbourLists,
    chance: Bytes,
    patience: Floats,
    waits: Floats,
    temperature: float,
    state: Words,
) -> None:
    """Let every record try an exchange with the group of one of its neighbours: the best swap, or a move.

    `chance` has the place in a list for each of 256 draws, `waits` 1,024 exponential draws. An exchange that raises the
    loss by less than `temperature`, times the patience at the record, times a draw, is carried out.
    """
    columns = U(records.shape[1] - 1)
    norm = columns + U(1)
    for x in range(U(len(lists))):
        bits = draw(state)
        one = U(label[x])
        other = U(label[U(lists[x, U(chance[bits >> U(56)])])])
        if one == other:
            continue
        limit = temperature * patience[x] * waits[(bits >> U(24)) & U(1023)]
        count = U(size[other])
        held = groups[one, norm] / groups[one, columns] + groups[other, norm] / groups[other, columns]
        best, chosen, new_one, new_other = limit, U(len(lists)), 0.0, 0.0
        # The last slot is empty: x moves, if the sizes of both groups allow it.
        places = count + U((size[one] > k) & (count < U(2 * k - 1)))
        for slot in range(places):
            square = with_one = with_other = 0.0
            heavier = -records[x, columns]
            if slot < count:
                z = U(members[other, slot])
                heavier += records[z, columns]
                for j in range(columns):
                    difference = records[z, j] - records[x, j]
                    square += difference * difference
                    with_one += groups[one, j] * difference
                    with_other += groups[other, j] * difference
            else:
                for j in range(columns):
                    square += records[x, j] * records[x, j]
                    with_one -= groups[one, j] * records[x, j]
                    with_other -= groups[other, j] * records[x, j]
            first = groups[one, norm] + 2.0 * with_one + square
            second = groups[other, norm] - 2.0 * with_other + square
            change = held - first / (groups[one, columns] + heavier) - second / (groups[other, columns] - heavier)
            if change < best:
                best, chosen, new_one, new_other = change, slot, first, second
        if chosen == U(len(lists)):
            continue
        for j in range(norm):
            groups[one, j] -= records[x, j]
            groups[other, j] += records[x, j]
        hole = place[x]
        if chosen < count:
            z = U(members[other, chosen])
            for j in range(norm):
                groups[one, j] += records[z, j]
                groups[other, j] -= records[z, j]
            members[one, hole], place[z], label[z] = z, hole, one
        else:
            size[one] -= 1
            filler = members[one, size[one]]
            members[one, hole], place[filler] = filler, hole
            size[other] += 1
        members[other, chosen], place[x], label[x] = x, chosen, other
        groups[one, norm], groups[other, norm] = new_one, new_other


@compiled
def _added(x: int, group: int, sign: float, records: Points, groups: Points) -> float:
    """Add a record to the sums of a group, or take it out (-1); return what the loss gains besides its square."""
    columns = records.shape[1] - 1
    before = groups[group, columns + 1] / groups[group, columns] if groups[group, columns] > 0.0 else 0.0
    for j in range(columns + 1):
        groups[group, j] += sign * records[x, j]
    groups[group, columns + 1] = _square(groups, group, columns)
    after = groups[group, columns + 1] / groups[group, columns] if groups[group, columns] > 0.0 else 0.0
    return before - after


@compiled
def _cheapest(
    x: int,
    own: int,
    most: int,
    label: NeighbourLists,
    size: NeighbourLists,
    records: Points,
    groups: Points,
    near: AnyIntegers,
) -> int:
    """Return the group of a near neighbour that a record joins at least cost, -1 if none has room."""
    columns = records.shape[1] - 1
    cheapest, least = -1, np.inf
    for a in range(min(8, len(near))):
        group = label[near[a]]
        if group == own or size[group] >= most:
            continue
        square = together = 0.0
        for j in range(columns):
            together += groups[group, j] * records[x, j]
            square += records[x, j] * records[x, j]
        norm, mass = groups[group, columns + 1], groups[group, columns]
        cost = norm / mass - (norm + 2.0 * together + square) / (mass + records[x, columns])
        if cost < least:
            cheapest, least = group, cost
    return cheapest


@compiled
def dissolve(
    tries: int,
    k: int,
    label: NeighbourLists,
    size: NeighbourLists,
    members: NeighbourLists,
    place: NeighbourLists,
    records: Points,
    groups: Points,
    lists: NeighbourLists,
    patience: Floats,
    waits: Floats,
    temperature: float,
    state: Words,
    homes: NeighbourLists,
) -> None:
    """Try to dissolve some groups: one member after the other joins the neighbouring group where it costs least."""
    columns = records.shape[1] - 1
    for _ in range(tries):
        bits = draw(state)
        group = label[np.int64((bits >> U(33)) % U(len(lists)))]
        count, moved, limit = size[group], 0, 0.0
        change = groups[group, columns + 1] / groups[group, columns]
        for i in range(count):
            x = members[group, i]
            home = _cheapest(x, group, 2 * k - 1, label, size, records, groups, lists[x])
            if home < 0:
                break
            change += _added(x, home, 1.0, records, groups)
            members[home, size[home]], homes[i] = x, home
            size[home] += 1
            limit += patience[x]
            moved += 1
        if moved == count and change < temperature * limit / count * waits[np.int64((bits >> U(20)) & U(1023))]:
            for i in range(count):
                x = members[group, i]
                label[x] = homes[i]
                for slot in range(size[homes[i]]):
                    if members[homes[i], slot] == x:
                        place[x] = slot
            size[group] = 0
            for j in range(columns + 2):
                groups[group, j] = 0.0
            continue
        for i in range(moved - 1, -1, -1):
            _added(members[group, i], homes[i], -1.0, records, groups)
            size[homes[i]] -= 1


@compiled
def form(
    tries: int,
    k: int,
    label: NeighbourLists,
    size: NeighbourLists,
    members: NeighbourLists,
    place: NeighbourLists,
    records: Points,
    groups: Points,
    lists: NeighbourLists,
    patience: Floats,
    waits: Floats,
    temperature: float,
    state: Words,
    taken: NeighbourLists,
) -> None:
    """Try to form groups of k around some records, each from the nearest neighbours whose groups can spare them."""
    columns, new = records.shape[1] - 1, 0
    for _ in range(tries):
        bits = draw(state)
        centre = np.int64((bits >> U(33)) % U(len(lists)))
        if size[label[centre]] <= k:
            continue
        while new < len(size) and size[new] > 0:
            new += 1
        if new == len(size):
            return
        count, change, limit = 0, 0.0, 0.0
        for a in range(-1, lists.shape[1]):
            x, gone = int(centre if a < 0 else lists[centre, a]), 0
            for i in range(count):
                gone += label[taken[i]] == label[x]
            if count < k and size[label[x]] - gone > k:
                change += _added(x, label[x], -1.0, records, groups)
                limit += patience[x]
                taken[count] = x
                count += 1
        for i in range(count):
            change += _added(taken[i], new, 1.0, records, groups)
        if count == k and change < temperature * limit / k * waits[np.int64((bits >> U(20)) & U(1023))]:
            for i in range(k):
                x = taken[i]
                own = label[x]
                size[own] -= 1
                filler = members[own, size[own]]
                members[own, place[x]], place[filler] = filler, place[x]
                members[new, i], place[x], label[x] = x, i, new
            size[new] = k
            continue
        for i in range(count):
            _added(taken[i], label[taken[i]], 1.0, records, groups)
        for j in range(columns + 2):
            groups[new, j] = 0.0
