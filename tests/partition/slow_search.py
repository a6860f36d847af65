"""The search of a region one exchange at a time, with every loss computed anew: the examiner of its kernels."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Labels, Points, Words
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import sse

_FACTOR = 2685821657736338717
_ALL = 2**64 - 1


def slow_draw(state: list[int]) -> int:
    bits = state[0]
    bits ^= bits >> 12
    bits ^= (bits << 25) & _ALL
    bits ^= bits >> 27
    state[0] = bits
    return bits * _FACTOR & _ALL


def loss_of(cloud: Cloud, rows: list[int]) -> float:
    return sse(cloud.of(np.array(rows)), np.zeros(len(rows), np.int64)) if rows else 0.0


def slow_exchange(
    cloud: Cloud,
    labels: Labels,
    k: int,
    lists: AnyIntegers,
    chance: AnyIntegers,
    patience: Floats,
    waits: Floats,
    temperature: float,
    state: Words,
) -> Labels:
    """Return the labels after one sweep: each record carries out its best exchange with the group of a neighbour."""
    drawn, label = [int(state[0])], labels.copy()
    for x in range(len(cloud)):
        bits = slow_draw(drawn)
        one, other = int(label[x]), int(label[lists[x, chance[bits >> 56]]])
        if one == other:
            continue
        here, there = (np.flatnonzero(label == group).tolist() for group in (one, other))
        best, chosen = temperature * patience[x] * waits[bits >> 24 & 1023], None
        partners = [*there, None] if len(here) > k and len(there) < 2 * k - 1 else there
        before = loss_of(cloud, here) + loss_of(cloud, there)
        for z in partners:
            mine = [y for y in here if y != x] + ([] if z is None else [z])
            theirs = [y for y in there if y != z] + [x]
            change = loss_of(cloud, mine) + loss_of(cloud, theirs) - before
            if change < best:
                best, chosen = change, (z,)
        if chosen is not None:
            label[x] = other
            if chosen[0] is not None:
                label[chosen[0]] = one
    return label


def nearest_by_force(points: Points, record: int, count: int) -> Floats:
    """Return the squared distances of the nearest others, nearest first."""
    apart = np.square(points - points[record]).sum(axis=1)
    return np.sort(np.delete(apart, record))[:count]
