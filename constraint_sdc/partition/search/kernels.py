"""The search's exchanges of records, weighed and carried out by compiled code: what NumPy does, digit for digit."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Points, Rows
from constraint_sdc.partition.compiled import U, compiled

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
