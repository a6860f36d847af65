"""mu-Approx: J. Domingo-Ferrer, F. Sebé and A. Solanas, Computers & Mathematics with Applications 55(4), 714-732, 2008.

Every record belongs to a tree of at least k records that are each joined to a near neighbour, and trees that are too
large are taken apart. Trees and their decomposition are those of G. Aggarwal et al., Approximation algorithms for
k-anonymity, Journal of Privacy Technology, 2005. What we could not read up, and chose, is said where it is done.

The loss is at most (M - 1) * L * (k - 1) * (2k - 1) times the least possible one, with M = max(2k - 1, 3k - 5) and
L = max(2k - 2, 3k - 6); if some partition loses nothing, so does this. The proof is ours, for what is done here; the
paper has a bound of its own. A record's step goes no farther than the farthest of its k - 1 nearest, hence no farther
than some record of its group in a best partition: squared steps add up to at most 2 * (2k - 1) times the least loss.
Two records of one of our groups are at most L steps apart, and their squared distance is at most L times the sum of
these squared steps. A group loses at most (M - 1) / 2 times the largest of its squared distances, and a step counts
for at most k - 1 groups.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels, Points
from constraint_sdc.partition.conditions import refuse_weights, require_possible
from constraint_sdc.partition.distances import Distances, by_column, squared_distances
from constraint_sdc.partition.tree_decomposition import Tree, decompose


class MuApprox:
    """Groups of k to max(2k - 1, 3k - 5) records; every tie goes to the record that comes first in the file.

    The papers grow "any" tree that is too small. Here it is the one with the shortest step to take, and of two records
    nearest to each other the outer one takes it, so that the result does not depend on the order of the file. How trees
    are taken apart, and what is ours there, says `decompose`. Time grows with n * n.
    """

    name = "mu-approx"

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; nothing is drawn.

        >>> MuApprox().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [0, 1, 0, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        groups = (group for tree in _forest(by_column(cloud.points), k) for group in decompose(tree, k))
        labels = np.empty(len(cloud), np.int64)
        for number, group in enumerate(sorted(groups, key=min)):
            labels[group] = number
        return labels


def _forest(columns: Points, k: int) -> list[Tree]:
    """Return trees of at least k records: while one is smaller, its root is joined to the nearest record outside.

    Every record of a tree but one, the root, points to another; joined to another tree, the root points too. The k - 1
    records nearest to the root cannot all be in a tree of fewer than k: no step goes beyond the farthest of them.
    """
    tree_of = [Tree(root) for root in range(columns.shape[1])]
    inwards = -squared_distances(columns, columns.mean(axis=1))
    steps = [_step(columns, inwards, tree) for tree in tree_of]
    heapq.heapify(steps)
    while steps:
        step = heapq.heappop(steps)
        small, other = tree_of[step.root], tree_of[step.target]
        if (small.root, len(small.records)) != (step.root, step.size):
            continue  # the tree has grown since this step was measured
        other.take(small, step.target, step.length)
        for record in small.records:
            tree_of[record] = other
        if len(other.records) < k:
            heapq.heappush(steps, _step(columns, inwards, other))
    return list({tree.root: tree for tree in tree_of}.values())


class _Step(NamedTuple):
    """The shortest step out of a tree of `size` records, in the order in which steps are taken: shortest first."""

    length: float
    inwards: float
    root: int
    target: int
    size: int


def _step(columns: Points, inwards: Distances, tree: Tree) -> _Step:
    outside = squared_distances(columns, columns[:, tree.root])
    outside[tree.records] = np.inf
    target = int(np.argmin(outside))
    return _Step(float(outside[target]), float(inwards[tree.root]), tree.root, target, len(tree.records))
