"""One sweep of the annealing of a small file, compiled: the same arithmetic, operation for operation, as `exchange`.

NumPy adds the columns of a group's sums in its own order, from eight on in eight parts; so does `_norm`.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Points
from constraint_sdc.partition.compiled import compiled


@compiled
def offer(
    k: int,
    temperature: float,
    unit: Floats,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    mass: Floats,
    norm: Floats,
    weight: Floats,
    points: Points,
    sums: Points,
    lists: AnyIntegers,
    neighbour: Floats,
    companion: Floats,
    patience: Floats,
    x_out: AnyIntegers,
    z_out: AnyIntegers,
    one_out: AnyIntegers,
    other_out: AnyIntegers,
) -> int:
    """Write the exchanges that cost less than their limit; return how many.

    `neighbour` is drawn, not yet squared. `points` are records by columns, `sums` columns by groups.
    """
    count = lists.shape[1]
    found = 0
    held = norm / mass
    for x in range(len(label)):
        one = label[x]
        other = label[lists[x, int(neighbour[x] * neighbour[x] * count)]]
        # Without branches, which nobody could predict here: a place is written each time, and kept if it is accepted.
        places = size[other] + (size[one] > k) * (size[other] < 2 * k - 1)
        z = members[other, int(companion[x] * places)]
        square = with_one = with_other = 0.0
        for j in range(points.shape[1]):
            difference = points[z, j] - points[x, j]
            square += difference * difference
            with_one += sums[j, one] * difference
            with_other += sums[j, other] * difference
        heavier = weight[z] - weight[x]
        change = held[one] - (norm[one] + 2.0 * with_one + square) / (mass[one] + heavier)
        change += held[other] - (norm[other] - 2.0 * with_other + square) / (mass[other] - heavier)
        x_out[found], z_out[found], one_out[found], other_out[found] = x, z, one, other
        found += (one != other) * (change < temperature * unit[x] * patience[x])
    return found


@compiled
def carry_out(
    order: AnyIntegers,
    x_of: AnyIntegers,
    z_of: AnyIntegers,
    one_of: AnyIntegers,
    other_of: AnyIntegers,
    owner: AnyIntegers,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    place: AnyIntegers,
    mass: Floats,
    norm: Floats,
    weight: Floats,
    points: Points,
    sums: Points,
) -> None:
    """Carry out the exchanges that get both groups when claims are served in this order.

    There are two claims for each exchange: first those of all groups `one`, then those of all groups `other`.
    """
    count = len(order) // 2
    nobody = len(label)
    for claim in order:
        if claim < count:
            owner[one_of[claim]] = claim
        else:
            owner[other_of[claim - count]] = claim - count
    for i in range(count):
        one, other = one_of[i], other_of[i]
        if owner[one] != i or owner[other] != i:
            continue
        x, z = x_of[i], z_of[i]
        for j in range(points.shape[1]):
            change = points[z, j] - points[x, j]
            sums[j, one] += change
            sums[j, other] -= change
        heavier = weight[z] - weight[x]
        mass[one] += heavier
        mass[other] -= heavier
        norm[one], norm[other] = _norm(sums, one), _norm(sums, other)
        hole = place[x]
        if z == nobody:
            last = size[one] - 1
            filler = members[one, last]
            members[one, hole] = filler
            place[filler] = hole
            members[one, last] = nobody
            members[other, size[other]] = x
            place[x] = size[other]
            size[one] -= 1
            size[other] += 1
        else:
            members[one, hole], members[other, place[z]] = z, x
            place[x], place[z] = place[z], hole
            label[z] = one
        label[x] = other


@compiled
def _norm(sums: Points, group: int) -> float:
    """Return the squared length of a group's sums."""
    columns = sums.shape[0]
    total = 0.0
    start = 0
    if columns >= 8:
        parts = np.zeros(8)
        while start + 8 <= columns:
            for j in range(8):
                parts[j] += sums[start + j, group] * sums[start + j, group]
            start += 8
        total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
    for j in range(start, columns):
        total += sums[j, group] * sums[j, group]
    return total


@compiled
def send(
    x_of: AnyIntegers,
    into: AnyIntegers,
    touched: AnyIntegers,
    leaving: AnyIntegers,
    label: AnyIntegers,
    size: AnyIntegers,
    members: AnyIntegers,
    place: AnyIntegers,
    mass: Floats,
    norm: Floats,
    weight: Floats,
    points: Points,
    sums: Points,
) -> None:
    """Send records to other groups; see `Grouping.send`. `touched` and `leaving` are zeros, and are so again."""
    nobody, room = len(label), members.shape[1]
    for x in x_of:
        leaving[x] = 1
        touched[label[x]] = 1
    for x in x_of:
        group = label[x]
        if touched[group] == 1:
            touched[group] = 2
            kept = 0
            for i in range(room):
                member = members[group, i]
                if member != nobody and not leaving[member]:
                    members[group, kept] = member
                    place[member] = kept
                    kept += 1
            for i in range(kept, room):
                members[group, i] = nobody
            size[group] = kept
    for i in range(len(x_of)):
        x, group = x_of[i], into[i]
        leaving[x] = 0
        touched[group] = 2
        touched[label[x]] = 2
        members[group, size[group]] = x
        place[x] = size[group]
        size[group] += 1
    for i in range(len(x_of)):
        for group in (label[x_of[i]], into[i]):
            if touched[group] == 2:
                touched[group] = 0
                _recount(group, members, mass, norm, weight, points, sums)
        label[x_of[i]] = into[i]


@compiled
def _recount(
    group: int, members: AnyIntegers, mass: Floats, norm: Floats, weight: Floats, points: Points, sums: Points
) -> None:
    """Sum a group again, in the order in which NumPy adds up a row."""
    room = members.shape[1]
    parts = np.zeros(8)
    for j in range(-1, points.shape[1]):
        total = 0.0
        start = 0
        if room >= 8:
            parts[:] = 0.0
            while start + 8 <= room:
                for i in range(8):
                    member = members[group, start + i]
                    parts[i] += weight[member] if j < 0 else points[member, j]
                start += 8
            total = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]))
        for i in range(start, room):
            member = members[group, i]
            total += weight[member] if j < 0 else points[member, j]
        if j < 0:
            mass[group] = total
        else:
            sums[j, group] = total
    norm[group] = _norm(sums, group)


# The nearest records of every record, exactly.


@compiled
def list_nearest(columns: Points, of_candidates: Points, candidates: AnyIntegers, lists: AnyIntegers) -> None:
    """Fill the list of every record with the nearest candidates, nearest first; among equals the first in the file.

    There are more candidates than places in a list. Differences are squared and added column after column; both tables
    are columns by records.
    """
    count = lists.shape[1]
    near, from_all = np.empty(count), np.empty(len(candidates))
    for own in range(columns.shape[1]):
        from_all[:] = 0.0
        for j in range(columns.shape[0]):
            here = columns[j, own]
            for i in range(len(candidates)):
                difference = here - of_candidates[j, i]
                from_all[i] += difference * difference
        near[:] = np.inf
        for i in range(len(candidates)):
            apart = from_all[i]
            if apart >= near[count - 1] or candidates[i] == own:
                continue
            place = count - 1
            while place > 0 and near[place - 1] > apart:
                near[place], lists[own, place] = near[place - 1], lists[own, place - 1]
                place -= 1
            near[place], lists[own, place] = apart, candidates[i]
