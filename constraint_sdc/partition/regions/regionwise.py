"""A large file, region by region: one cut into halves of halves, then a second one that takes in what lay at borders.

Memory beyond the points and their labels is that of the regions at work. Regions are pieces of work for an engine
(`engines/`): where and in which order they run changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Flags, Floats, Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.ordering import stable_order
from constraint_sdc.engines.running import map_pieces, scratch
from constraint_sdc.partition.regions.cuts import cut
from constraint_sdc.partition.regions.near_lists import FEW
from constraint_sdc.partition.regions.region import RecordRegion, divide_region
from constraint_sdc.partition.search.grouping import renumbered
from constraint_sdc.partition.search.refine import Effort

_LARGEST = 131_072  # records of a region
_LARGEST_OF_MANY = 262_144  # of a region with many variables
_FEWEST_SWEEPS = 20
_FEWEST_OF_MANY = 14
_MOST_SWEEPS = 3_000
_RATE = 3.2e6  # records times sweeps in a nominal second
_HOT = 200  # sweeps from which on the search begins hot
_FEW_REGIONS = 2**15
_SECONDS = 6e-6  # of work for a record


def search_by_regions(cloud: Cloud, k: int, seed: int, effort: Effort) -> Labels:
    """Return groups of k to 2k - 1 records, numbered in the order of their first records.

    The seconds of the effort are nominal: sweeps become fewer as a file grows, down to a least number, from which on
    the time for a record stays the same. The sizes of regions were chosen by measurement (docs/partition/regions.md).
    """
    if k == 1:
        return np.arange(len(cloud), dtype=np.int64)
    is_few = cloud.points.shape[1] <= FEW
    fewest, largest = (_FEWEST_SWEEPS, _LARGEST) if is_few else (_FEWEST_OF_MANY, _LARGEST_OF_MANY)
    in_time = int(effort.seconds * effort.chains * _RATE / len(cloud))
    sweeps = min(max(in_time, fewest), _MOST_SWEEPS)
    return divide_by_regions(cloud, k, seed, sweeps, min(1.0, (sweeps / _HOT) ** (1 / 3)), largest)


def divide_by_regions(cloud: Cloud, k: int, seed: int, sweeps: int, heat: float, largest: int) -> Labels:
    """Return groups of k to 2k - 1 records, searched in regions of at most `largest` records or 2k."""
    rows = cut(cloud.points, max(largest, 2 * k), parts=2)
    low, high = _borders(cloud.points, rows)
    regions = (
        RecordRegion(*_part(cloud, some), None, low[i], high[i], k, sweeps, heat, _seed(seed, 0, i))
        for i, some in enumerate(rows)
    )
    labels: Labels = scratch().own(len(cloud), np.int64)
    is_open, count = np.zeros(len(cloud), np.bool_), 0
    for some, found in zip(rows, map_pieces(divide_region, regions, work=_SECONDS * len(cloud)), strict=True):
        labels[some], is_open[some] = found.labels + count, found.is_open
        count += int(found.labels.max()) + 1
    if is_open.any():
        labels = improve_across(cloud, labels, is_open, k, seed, sweeps, heat, largest)
    return renumbered(labels)


def improve_across(
    cloud: Cloud, labels: Labels, is_open: Flags, k: int, seed: int, sweeps: int, heat: float, largest: int
) -> Labels:
    """Return groups that lose at most as much: those with an open record are searched again in other regions.

    A region holds whole groups, so that every group of the result has k to 2k - 1 records again.
    """
    chosen = np.zeros(int(labels.max()) + 1, np.bool_)
    chosen[labels[is_open]] = True
    kept = scratch().kept
    rows: Rows = kept(np.flatnonzero(chosen[labels]))
    group: Labels = kept(renumbered(labels[rows]))
    centres = _centres(cloud.points, rows, group)
    regions = cut(centres, max(largest // k, 2), parts=3)
    is_few = len(regions) < _FEW_REGIONS  # short integers are sorted much faster
    region_of: AnyIntegers = np.empty(len(centres), np.int16) if is_few else np.empty(len(centres), np.int64)
    for i, some in enumerate(regions):
        region_of[some] = i
    parts = _split(rows, region_of[group], len(regions))
    endless = np.full(cloud.points.shape[1], np.inf)
    pieces = (
        RecordRegion(
            *_part(cloud, some), renumbered(labels[some]), -endless, endless, k, sweeps, heat, _seed(seed, 1, i)
        )
        for i, some in enumerate(parts)
    )
    improved: Labels = scratch().own(len(labels), np.int64)
    improved[:] = labels
    count = int(labels.max()) + 1
    for some, found in zip(parts, map_pieces(divide_region, pieces, work=_SECONDS * len(rows)), strict=True):
        improved[some] = found.labels + count
        count += int(found.labels.max()) + 1
    return improved


def _part(cloud: Cloud, rows: Rows) -> tuple[Points, Floats | None]:
    return cloud.points[rows], None if cloud.weights is None else cloud.weights[rows]


def _borders(points: Points, regions: Sequence[Rows]) -> tuple[Points, Points]:
    """Return the least and the greatest values of every region, infinite where no other region lies beyond."""
    low, high = np.empty((2, len(regions), points.shape[1]))
    for i, rows in enumerate(regions):
        for j, column in enumerate(points.T):
            values = column[rows]
            low[i, j], high[i, j] = values.min(), values.max()
    return np.where(low == low.min(axis=0), -np.inf, low), np.where(high == high.max(axis=0), np.inf, high)


def _centres(points: Points, rows: Rows, group: Labels) -> Points:
    """Return the means of groups 0, 1, ..., in which these rows are."""
    sizes = np.bincount(group)
    return np.array([np.bincount(group, points[rows, j]) / sizes for j in range(points.shape[1])]).T


def _split(rows: Rows, part: AnyIntegers, parts: int) -> list[Rows]:
    order = stable_order(part)
    return np.split(scratch().taken(rows, order), np.cumsum(np.bincount(part, minlength=parts))[:-1])


def _seed(seed: int, search: int, region: int) -> int:
    return int(np.random.SeedSequence([seed, search, region]).generate_state(1)[0])
