"""MHM: J. Domingo-Ferrer, A. Martínez-Ballesté, J. M. Mateo-Sanz and F. Sebé, The VLDB Journal 15(4), 355-369, 2006.

Multivariate Hansen-Mukherjee: a heuristic orders all records on a path, and the path is cut optimally. Here the path
goes through MDAV's groups, one after the other, and inside a group from point to nearest point.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Labels, Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.partition.distances import by_column, squared_distances
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.optimal_univariate import optimal_cut
from constraint_sdc.partition.partitioner import PartitionTraits, below_2k, refuse_weights, require_possible


class Mhm:
    """The optimal cut of a path through MDAV's groups; its loss is never higher than MDAV's.

    MDAV's own groups are one of the cuts, because each of them is a piece of the path of k to 2k - 1 records. These
    choices have no published source: the path starts at the record farthest from the centroid, continues to the group
    whose centroid is nearest to that of the last group, and enters it at the record nearest to its last record. Ties go
    by file order.
    """

    name = "mhm"
    traits = PartitionTraits(largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered along the path; the method is deterministic.

        >>> Mhm().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [1, 0, 1, 0, 1]
        """
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        points = np.ascontiguousarray(cloud.points)
        path = _path(points, Groups(Mdav().partition(cloud, k, seed)))
        labels = np.empty(len(cloud), np.int64)
        labels[path] = optimal_cut(points[path], k)
        return labels


REGISTERED = {"mhm": Mhm()}


def _path(points: Points, groups: Groups) -> Rows:
    """Return all records in the order of the path."""
    columns = by_column(points)
    here = int(np.argmax(squared_distances(columns, columns.mean(axis=1))))
    path: list[int] = []
    for group in _tour(_centroids(points, groups), int(groups.label[here])):
        members = groups.rows(group)
        if path:
            here = _nearest_of(points, members, path[-1])
        path.extend(_through(points, members, here))
    return np.array(path, np.int64)


def _centroids(points: Points, groups: Groups) -> Points:
    return np.array([points[rows].mean(axis=0) for rows in groups.each()])


def _tour(places: Points, here: int) -> list[int]:
    """Return all places in the order of a walk from each place to the nearest one not yet visited."""
    columns = by_column(places)
    is_left = np.ones(len(places), np.bool_)
    tour = [here]
    for _ in range(len(places) - 1):
        is_left[here] = False
        here = int(np.argmin(np.where(is_left, squared_distances(columns, places[here]), np.inf)))
        tour.append(here)
    return tour


def _through(points: Points, members: Rows, here: int) -> list[int]:
    """Return the members of a group in the order of a walk from one of them to the nearest remaining point."""
    inside = _tour(points[members], int(np.flatnonzero(members == here)[0]))
    return [int(row) for row in members[inside]]


def _nearest_of(points: Points, members: Rows, row: int) -> int:
    return int(members[np.argmin(squared_distances(by_column(points[members]), points[row]))])
