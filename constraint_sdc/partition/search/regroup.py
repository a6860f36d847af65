"""Steps that change the number of groups: one is dissolved among its neighbours, or formed from members of others."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats
from constraint_sdc.partition.search.exchange import undisputed
from constraint_sdc.partition.search.grouping import Grouping, distinct, dot, row_sums

LOOKED_AT = 8
"""Near neighbours whose groups a record of a dissolved group may join."""


def dissolve(grouping: Grouping, lists: AnyIntegers, tries: int, patience: Floats, random: np.random.Generator) -> None:
    """Try to dissolve some groups: each record joins the neighbouring group where it costs least.

    A group that grows to 2k or more is split, which never costs anything. `patience` is the mean increase of loss that
    is accepted near each record.
    """
    groups = distinct(grouping.label[random.integers(0, grouping.n, tries)])
    owner, place = np.nonzero(np.arange(grouping.room) < grouping.size[groups][:, None])
    x = grouping.members[groups[owner], place]
    into = _cheapest_home(grouping, lists, x, groups[owner])
    held = grouping.norm[groups] / grouping.mass[groups]
    pair, target = _pairs(owner, into, len(grouping.size))
    joined = np.bincount(target)
    change = held + np.bincount(pair[0], _cost_of_joining(grouping, x, target, pair[1]), len(groups))
    limit = random.standard_exponential(len(groups)) * np.bincount(owner, patience[x]) / grouping.size[groups]
    fits = grouping.size[pair[1]] + joined <= grouping.room
    accepted = change < limit
    accepted[pair[0][~fits | (pair[1] == groups[pair[0]])]] = False
    chosen = np.flatnonzero(accepted)
    if not len(chosen):
        return
    rank = np.full(len(groups), -1)
    rank[chosen] = np.arange(len(chosen))
    claimed = rank[pair[0]] >= 0
    claims = np.append(rank[pair[0]][claimed], rank[chosen]), np.append(pair[1][claimed], groups[chosen])
    kept = np.zeros(len(groups), np.bool_)
    kept[chosen[undisputed(*claims, len(grouping.size), random)]] = True
    moving = kept[owner]
    if moving.any():
        grouping.send(x[moving], into[moving])
        entered = distinct(into[moving])
        for group in entered[grouping.size[entered] > grouping.most].tolist():
            split(grouping, group)


def _pairs(owner: AnyIntegers, group: AnyIntegers, groups: int) -> tuple[tuple[AnyIntegers, AnyIntegers], AnyIntegers]:
    """Return the different pairs of an owner and a group, in order, and which of them each entry is."""
    keys, which = np.unique(owner * np.int64(groups) + group, return_inverse=True)
    return np.divmod(keys, groups), which


def _cheapest_home(grouping: Grouping, lists: AnyIntegers, x: AnyIntegers, own: AnyIntegers) -> AnyIntegers:
    """Return the group of a near neighbour that each record joins at least cost; its own if there is no other."""
    homes = grouping.label[lists[x, :LOOKED_AT]]
    count = homes.shape[1]
    table, record = grouping.columns_of(grouping.table, homes.ravel()), grouping.columns_of(grouping.records, x)
    mass, norm = table[-2], table[-1]
    square = row_sums(np.square(record[:-1])).repeat(count)
    record = record.repeat(count, axis=1)
    together = row_sums(table[:-2] * record[:-1])
    cost = norm / mass - (norm + 2.0 * together + square) / (mass + record[-1])
    cost = np.where(homes == own[:, None], np.inf, cost.reshape(homes.shape))
    home: AnyIntegers = homes[np.arange(len(x)), cost.argmin(axis=1)]
    return home


def _cost_of_joining(grouping: Grouping, x: AnyIntegers, target: AnyIntegers, group: AnyIntegers) -> Floats:
    """Return by how much `norm / mass` falls in each target group when all its new members have joined."""
    weight = grouping.mass[group] + np.bincount(target, grouping.weight[x], len(group))
    norm = np.zeros(len(group))
    for sums, column in zip(grouping.sums, grouping.points, strict=True):
        norm += np.square(sums[group] + np.bincount(target, column[x], len(group)))
    cost: Floats = grouping.norm[group] / grouping.mass[group] - norm / weight
    return cost


def split(grouping: Grouping, group: int) -> None:
    """Split a group of 2k or more at the best place on the line between two distant members, recursively."""
    rows = grouping.members[group, : grouping.size[group]]
    if len(rows) <= grouping.most:
        return
    points = grouping.points[:, rows] / grouping.weight[rows]
    one = _farthest(points, points.mean(axis=1))
    other = _farthest(points, points[:, one])
    line = (points[:, other] - points[:, one])[:, None]
    rows = rows[np.argsort(dot(line, points), kind="stable")]
    sums = np.cumsum(grouping.points[:, rows], axis=1)
    mass = np.cumsum(grouping.weight[rows])
    cut = np.arange(grouping.k, len(rows) - grouping.k + 1) - 1
    rest = sums[:, -1:] - sums[:, cut]
    kept = dot(sums[:, cut], sums[:, cut]) / mass[cut] + dot(rest, rest) / (mass[-1] - mass[cut])
    leaving = rows[cut[kept.argmax()] + 1 :]
    empty = int(np.argmin(grouping.size))  # there is one: with n // k groups of k or more, none can have 2k
    grouping.send(leaving, np.full(len(leaving), empty))
    split(grouping, group)
    split(grouping, empty)


def _farthest(points: Floats, centre: Floats) -> int:
    away = points - centre[:, None]
    return int(dot(away, away).argmax())


def create(grouping: Grouping, lists: AnyIntegers, tries: int, patience: Floats, random: np.random.Generator) -> None:
    """Try to form groups of k around some records, each from the nearest neighbours whose groups can spare them."""
    k = grouping.k
    spare = (grouping.size > k).take(grouping.label).nonzero()[0]
    empty = np.flatnonzero(grouping.size == 0)
    if len(spare) < k or not len(empty):
        return
    centre = distinct(spare[random.integers(0, len(spare), tries)])
    x = _companions(grouping, np.concatenate((centre[:, None], lists[centre]), axis=1))
    if not len(x):
        return
    owner, flat = np.repeat(np.arange(len(x)), k), x.ravel()
    pair, source = _pairs(owner, grouping.label[flat], len(grouping.size))
    total = grouping.points[:, flat].reshape(-1, len(x), k).sum(axis=2)
    change = np.bincount(pair[0], _cost_of_leaving(grouping, flat, source, pair[1]), len(x))
    change -= dot(total, total) / grouping.weight[x].sum(axis=1)
    limit = random.standard_exponential(len(x)) * patience[x].mean(axis=1)
    chosen = np.flatnonzero(change < limit)[: len(empty)]
    rank = np.full(len(x), -1)
    rank[chosen] = np.arange(len(chosen))
    claimed = rank[pair[0]] >= 0
    kept = chosen[undisputed(rank[pair[0]][claimed], pair[1][claimed], len(grouping.size), random)]
    if len(kept):
        grouping.send(x[kept].ravel(), np.repeat(empty[: len(kept)], k))


def _companions(grouping: Grouping, near: AnyIntegers) -> AnyIntegers:
    """Return, row by row, the first k of `near` that their groups can spare; rows with fewer are left out."""
    group = grouping.label[near]
    earlier = np.tri(near.shape[1], k=-1, dtype=np.bool_)
    taken = np.count_nonzero((group[:, :, None] == group[:, None, :]) & earlier, axis=2)
    can_go = taken < grouping.size[group] - grouping.k
    rank = np.cumsum(can_go, axis=1)
    enough = rank[:, -1] >= grouping.k
    picked: AnyIntegers = near[enough][(can_go & (rank <= grouping.k))[enough]].reshape(-1, grouping.k)
    return picked


def _cost_of_leaving(grouping: Grouping, x: AnyIntegers, source: AnyIntegers, group: AnyIntegers) -> Floats:
    """Return by how much `norm / mass` falls in each group when the leaving records have left."""
    weight = grouping.mass[group] - np.bincount(source, grouping.weight[x], len(group))
    norm = np.zeros(len(group))
    for sums, column in zip(grouping.sums, grouping.points, strict=True):
        norm += np.square(sums[group] - np.bincount(source, column[x], len(group)))
    cost: Floats = grouping.norm[group] / grouping.mass[group] - norm / weight
    return cost
