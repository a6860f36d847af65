"""MDAV: J. Domingo-Ferrer and V. Torra, Data Mining and Knowledge Discovery 11(2), 195-212, 2005 (MDAV-generic).

Groups form from the outside inwards: the record farthest from the centroid takes its nearest k - 1, then the record
farthest from that one does the same, until fewer than 3k records are left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import by_column, nearest, squared_distances
from constraint_sdc.partition.partitioner import (
    COMPILED_ABOVE,
    PartitionTraits,
    below_2k,
    refuse_weights,
    require_possible,
)


@dataclass(frozen=True)
class Mdav:
    """The textbook algorithm, record for record; every tie goes to the record that comes first in the file.

    Groups have k to 2k - 1 records and are numbered in the order in which they form. Compiled code finds the same
    groups faster; unless `compiled` is set, it runs for clouds that are large enough to make up for the compilation.
    """

    compiled: bool | None = None
    name: ClassVar[str] = "mdav"
    traits: ClassVar[PartitionTraits] = PartitionTraits(largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic.

        >>> Mdav().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [1, 0, 1, 0, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        points = cloud.points
        if len(points) <= COMPILED_ABOVE and not self.compiled:
            return _small_cloud(points.tobytes(), points.shape[1], k).copy()
        return _last_groups(points, k, *self._first_groups(points, k))

    def _first_groups(self, points: Points, k: int) -> tuple[Labels, int]:
        """Return the groups that compiled code forms and their number; all other records are labelled -1."""
        if self.compiled is False or not 1e-100 < np.abs(points).max(initial=0.0) < 1e100:
            return np.full(len(points), -1, np.int64), 0
        from constraint_sdc.partition.methods.mdav_pruned import first_groups

        return first_groups(np.require(points, np.float64, ["C", "W"]), k)  # one type, compiled once


REGISTERED = {"mdav": Mdav()}


@lru_cache(maxsize=16)
def _small_cloud(points: bytes, columns: int, k: int) -> Labels:
    """Return the groups of points given by their bytes.

    They are remembered, because a search starts from them and the price of a block compares with them.
    """
    rows = np.frombuffer(points).reshape(-1, columns)
    return _last_groups(rows, k, np.full(len(rows), -1, np.int64), 0)


def _last_groups(points: Points, k: int, labels: Labels, groups: int) -> Labels:
    """Return the labels with those of the records that have none yet, -1; there are that many groups."""
    left = np.flatnonzero(labels < 0)
    for number, rows in enumerate(_groups(points[left], k), groups):
        labels[left[rows]] = number
    return labels


def _groups(points: Points, k: int) -> Iterator[Rows]:
    """Yield the groups; the remaining records stay in file order, so that ties go to the first record in the file.

    Each variable is one contiguous array, so that the mean of every round is summed in the same order whatever the
    number of variables.
    """
    columns = by_column(points)
    rows = np.arange(len(points), dtype=np.int64)
    while len(rows) >= 3 * k:
        one, other = _opposite_groups(columns, k)
        yield rows[one]
        yield rows[other]
        left = np.ones(len(rows), np.bool_)
        left[one] = left[other] = False
        kept = left.nonzero()[0]
        columns, rows = columns.take(kept, axis=1), rows.take(kept)
    if len(rows) >= 2 * k:
        farthest = int(np.argmax(squared_distances(columns, _centroid(columns))))
        one = nearest(squared_distances(columns, columns[:, farthest]), farthest, k)
        yield rows[one]
        rows = np.delete(rows, one)
    yield rows


def _centroid(columns: Points) -> Points:
    centroid: Points = np.add.reduce(columns, axis=1) / columns.shape[1]
    return centroid


def _opposite_groups(columns: Points, k: int) -> tuple[Rows, Rows]:
    """Return the group of the record r farthest from the centroid, and that of the record farthest from r."""
    r = int(np.argmax(squared_distances(columns, _centroid(columns))))
    from_r = squared_distances(columns, columns[:, r])
    one = nearest(from_r, r, k)
    from_r[one] = -1.0
    s = int(np.argmax(from_r))
    from_s = squared_distances(columns, columns[:, s])
    from_s[one] = np.inf
    return one, nearest(from_s, s, k)
