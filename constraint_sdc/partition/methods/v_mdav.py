"""V-MDAV: A. Solanas and A. Martínez-Ballesté, Proc. of COMPSTAT 2006, 917-925 (MDAV with variable group size).

Groups form from the outside inwards as in MDAV, one at a time, and each then grows while a record outside is much
closer to it than to the other free records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Distances, Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.distances import by_column, nearest, squared_distances
from constraint_sdc.partition.partitioner import PartitionTraits, refuse_weights, require_possible
from constraint_sdc.settings.parameters import declared


@dataclass(frozen=True)
class VMdav:
    """A group grows by its nearest free record if that is closer to it than `gamma` times its nearest free neighbour.

    A gamma near 0.2 suits scattered records, one above 1 (about 1.1) clustered ones; 0 never grows. Groups grow to
    2k - 1 records; records left at the end, fewer than k, join their closest groups, which may then be larger. The
    distance to a group is that to its nearest record. The implementation follows descriptions of the paper, not its
    full text; docs/partition/v-mdav.md lists the parts concerned. Every tie goes to the record that comes
    first in the file.
    """

    gamma: float = declared("a group grows by a record closer to it than gamma times its free neighbour", 0.2, least=0)
    name: ClassVar[str] = "v-mdav"
    traits: ClassVar[PartitionTraits] = PartitionTraits(largest=lambda k: 3 * k - 2)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.gamma) and self.gamma >= 0):
            raise UsageError(f"the gamma of {self.name} must be 0 or more, not {self.gamma}")

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered as they form; the method is deterministic.

        >>> VMdav().partition(Cloud(np.array([[0.0], [9.0], [0.1], [9.1], [9.05], [5.0]])), 2, seed=1).tolist()
        [0, 1, 0, 1, 1, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        columns = by_column(cloud.points)
        labels = np.full(len(cloud), -1, np.int64)
        for number, rows in enumerate(_groups(columns, k, self.gamma)):
            labels[rows] = number
        return _with_the_rest(columns, labels)


REGISTERED = {"v-mdav": VMdav()}


def _groups(columns: Points, k: int, gamma: float) -> Iterator[Rows]:
    """Yield groups while k records are free, around the free record farthest from the centroid of the whole file."""
    rows = np.arange(columns.shape[1], dtype=np.int64)
    from_centroid = squared_distances(columns, columns.mean(axis=1))
    while len(rows) >= k:
        group = _group(columns, int(np.argmax(from_centroid)), k, gamma)
        yield rows[group]
        is_free = np.ones(len(rows), np.bool_)
        is_free[group] = False
        columns = np.compress(is_free, columns, axis=1)
        rows, from_centroid = rows[is_free], from_centroid[is_free]


def _group(columns: Points, centre: int, k: int, gamma: float) -> Rows:
    """Return a record, its k - 1 nearest and the records that the group grows by, as positions in `columns`."""
    from_centre = squared_distances(columns, columns[:, centre])
    group = nearest(from_centre, centre, k)
    to_group = _to_nearest_of(columns, group[group != centre], from_centre)
    while len(group) < min(2 * k - 1, columns.shape[1] - 1):
        to_group[group] = np.inf
        candidate = int(np.argmin(to_group))
        from_candidate = squared_distances(columns, columns[:, candidate])
        if not math.sqrt(to_group[candidate]) < gamma * math.sqrt(_nearest_free(from_candidate, group, candidate)):
            break
        group = np.append(group, candidate)
        np.minimum(to_group, from_candidate, out=to_group)
    return group


def _to_nearest_of(columns: Points, members: Rows, distances: Distances) -> Distances:
    for member in members:
        distances = np.minimum(distances, squared_distances(columns, columns[:, member]))
    return distances


def _nearest_free(distances: Distances, group: Rows, candidate: int) -> float:
    """Return the least distance to a record that is neither the candidate nor in the group."""
    free = distances.copy()
    free[group] = free[candidate] = np.inf
    return float(free.min())


def _with_the_rest(columns: Points, labels: Labels) -> Labels:
    """Return the labels with every leftover record in the group of its nearest grouped record."""
    grouped = np.flatnonzero(labels >= 0)
    completed = labels.copy()
    for row in np.flatnonzero(labels < 0):
        closest = np.argmin(squared_distances(columns[:, grouped], columns[:, row]))
        completed[row] = labels[grouped[closest]]
    return completed
