"""One region of a large file: a piece of work that knows nothing of the others, and its groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Flags, Floats, Labels, NeighbourLists, Points, Weights
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.rim import NEIGHBOURS, rim_groups
from constraint_sdc.partition.methods.tree import safe_scale
from constraint_sdc.partition.regions.near_lists import near_lists, ordered, own_lists
from constraint_sdc.partition.regions.settling import settle
from constraint_sdc.partition.search.refine import without_idle_columns


@dataclass(frozen=True, slots=True)
class RecordRegion:
    """Records to divide: points (n x d), their weights, k, the sweeps of the search with their heat, and a seed.

    `labels` are groups to improve, None if there are none yet. `low` and `high` are the borders of the region in every
    variable, infinite where it has none.
    """

    points: Points
    weights: Weights | None
    labels: Labels | None
    low: Floats
    high: Floats
    k: int
    sweeps: int
    heat: float
    seed: int


@dataclass(frozen=True, slots=True)
class RegionGroups:
    """The group of every record of a region, 0, 1, ..., and which records are as near to a border as to neighbours."""

    labels: Labels
    is_open: Flags


def divide_region(region: RecordRegion) -> RegionGroups:
    """Return groups of k to 2k - 1 records that lose at most as much as the start: the given groups, or those of rim.

    The result depends on the region alone.
    """
    plain = without_idle_columns(Cloud(region.points, weights=region.weights))
    if plain.points.shape[1] == 0:
        return RegionGroups(_start_of_equals(region), np.zeros(len(region.points), np.bool_))
    order, bounds = ordered(plain.points)
    cloud = plain.of(order)
    lists = near_lists(cloud.points, bounds, neighbours_for(region.k, len(cloud)))
    start = _start(cloud, region, lists) if region.labels is None else region.labels[order]
    found = settle(cloud, start, region.k, lists, region.sweeps, region.seed, region.heat)
    best = found if sse(cloud, found) < sse(cloud, start) else start
    labels = np.empty(len(order), np.int64)
    labels[order] = best
    return RegionGroups(labels, _open(region, order, lists))


def neighbours_for(k: int, records: int) -> int:
    """Return how many neighbours a record lists: enough for groups of k."""
    return min(max(NEIGHBOURS, k + 4), records - 1)


def _start(cloud: Cloud, region: RecordRegion, lists: NeighbourLists) -> Labels:
    return rim_groups(Cloud(cloud.points), region.k, 0, lists, own_lists)


def _start_of_equals(region: RecordRegion) -> Labels:
    """Return the given groups, or any groups: all records are alike."""
    if region.labels is not None:
        return region.labels
    count = len(region.points)
    return np.minimum(np.arange(count) // region.k, count // region.k - 1)


def _open(region: RecordRegion, order: AnyIntegers, lists: NeighbourLists) -> Flags:
    """Tell which records are nearer to a border of the region than to the last of their neighbours."""
    is_open = np.zeros(len(order), np.bool_)
    bordering = np.flatnonzero(np.isfinite(region.low) | np.isfinite(region.high))
    if not len(bordering):
        return is_open
    scale = safe_scale(region.points)  # no square overflows
    points, last = region.points[order] * scale, lists[:, -1]
    reach, room = np.zeros(len(order)), np.full(len(order), np.inf)
    for column in points.T:
        reach += np.square(column[last] - column)
    for j in bordering.tolist():
        room = np.minimum(room, np.minimum(points[:, j] - scale * region.low[j], scale * region.high[j] - points[:, j]))
    is_open[order] = np.square(room) < reach
    return is_open
