"""Rim: after MDAV (J. Domingo-Ferrer and V. Torra, 2005), with neighbours looked up in lists made beforehand.

MDAV works from the outside inwards, so that no outlier is left over, but it measures all records for every group. Here
each record is visited once, the farthest from the centroid first; a record without a group takes its nearest neighbours
without a group. Records whose listed neighbours all have groups wait for the next round, with new lists.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.ordering import stable_order
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.partitioner import (
    COMPILED_ABOVE,
    PartitionTraits,
    below_2k,
    refuse_weights,
    require_possible,
)
from constraint_sdc.partition.search.neighbours import nearest

MOST_LISTED = 64
"""Largest k for which lists of neighbours pay; above it `rim` runs MDAV, which is fast for large groups."""

_LEFT_TO_MDAV = 2_000
_LEAST_GROUPED = 0.2  # smallest share of records grouped in a round; below it, lists no longer help
NEIGHBOURS = 12
"""Neighbours that a record lists, at least."""


class Rim:
    """Groups of k, a few of up to 2k - 1, nearly as good as MDAV's in nearly linear time."""

    name = "rim"
    traits = PartitionTraits(largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic."""
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        if k > MOST_LISTED:
            return Mdav().partition(cloud, k, seed)
        return rim_groups(cloud, k, seed, list_neighbours(cloud, k, seed))


REGISTERED = {"rim": Rim()}


def list_neighbours(cloud: Cloud, k: int, seed: int) -> AnyIntegers:
    """Return near neighbours of every record, enough for groups of k."""
    count = min(max(NEIGHBOURS, k + 4), len(cloud) - 1)
    return nearest(cloud.points, count, seed).astype(np.int64)


def rim_groups(
    cloud: Cloud, k: int, seed: int, lists: AnyIntegers, listed: Callable[[Points, int], AnyIntegers] | None = None
) -> Labels:
    """Return the groups that form with these lists; rounds after the first make their own, by `listed` if it is given.

    `listed` takes points and the number of neighbours.
    """
    labels = np.full(len(cloud), -1, np.int64)
    left = np.arange(len(cloud))
    count = 0
    while len(left) > max(_LEFT_TO_MDAV, 3 * k):
        part = cloud.of(left)
        away = np.square(part.points - part.points.mean(axis=0)).sum(axis=1)
        order = stable_order(-away)
        own = np.full(len(left), -1, np.int64)
        count = _take_neighbours(order, lists, k, own, count)
        labels[left] = own
        is_left = own < 0
        grouped = 1.0 - is_left.mean()
        left = left[is_left]
        if len(left) < k or grouped < _LEAST_GROUPED:
            break
        if len(left) > max(_LEFT_TO_MDAV, 3 * k):
            rest = cloud.of(left)
            if listed is None:
                lists = list_neighbours(rest, k, seed)
            else:
                lists = listed(rest.points, min(max(NEIGHBOURS, k + 4), len(left) - 1))
    return _with_rest(cloud, labels, left, k, count)


def _take_neighbours(order: Rows, lists: AnyIntegers, k: int, labels: Labels, first: int) -> int:
    if len(order) > COMPILED_ABOVE:
        from constraint_sdc.partition.compiled import announce
        from constraint_sdc.partition.methods.kernels import take_neighbours

        announce("forming of groups", [take_neighbours])
        return take_neighbours(order, lists, k, labels, first)
    for x in order.tolist():
        if labels[x] < 0:
            free = [y for y in lists[x].tolist() if labels[y] < 0][: k - 1]
            if len(free) == k - 1:
                labels[[x, *free]] = first
                first += 1
    return first


def _with_rest(cloud: Cloud, labels: Labels, left: Rows, k: int, count: int) -> Labels:
    """Form groups of the leftover records by MDAV; fewer than k of them join the groups of their nearest records."""
    if len(left) >= k:
        labels[left] = Mdav().partition(Cloud(cloud.points[left]), k, 0) + count
    else:
        grouped = np.flatnonzero(labels >= 0)
        for x in left.tolist():
            size = np.bincount(labels[grouped])
            open_to = grouped[size[labels[grouped]] < 2 * k - 1]
            away = np.square(cloud.points[open_to] - cloud.points[x]).sum(axis=1)
            labels[x] = labels[open_to[away.argmin()]]
            grouped = np.append(grouped, x)
    return labels
