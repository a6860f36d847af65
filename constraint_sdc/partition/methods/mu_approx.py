"""mu-Approx: J. Domingo-Ferrer, F. Sebé and A. Solanas, Computers & Mathematics with Applications 55(4), 714-732, 2008.

Every record belongs to a tree of at least k records that are each joined to a near neighbour, and trees that are too
large are divided. Trees and their decomposition are those of G. Aggarwal et al., Approximation algorithms for
k-anonymity, Journal of Privacy Technology, 2005. Choices without a published source are noted where they are made.

The loss is at most (M - 1) * L * (k - 1) * (2k - 1) times the least possible one, with M = max(2k - 1, 3k - 5) and
L = max(2k - 2, 3k - 6); if some partition has zero loss, so has this one. The proof is ours and holds for this
implementation; the paper has its own bound. A record's step is no longer than the distance to the farthest of its k - 1
nearest, hence no longer than that to some record of its group in an optimal partition: squared steps add up to at most
2 * (2k - 1) times the least loss. Two records of a group are at most L steps apart, and their squared distance is at
most L times the sum of these squared steps. A group loses at most (M - 1) / 2 times the largest of its squared
distances, and a step counts for at most k - 1 groups. With `largest` 2k-1 a piece of 2k records or more is then divided
in two, which never raises its loss.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np

from constraint_sdc.arrays import Distances, Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import by_column, nearest, squared_distances
from constraint_sdc.partition.partitioner import PartitionTraits, below_2k, refuse_weights, require_possible
from constraint_sdc.settings.parameters import declared

# Decomposition of a tree of near neighbours into groups of at least k and at most max(2k - 1, 3k - 5) records.
#
# G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu, Approximation algorithms for
# k-anonymity, Journal of Privacy Technology, 2005.
#
# Two records of a group are at most max(2k - 2, 3k - 6) steps of the tree apart, and a step lies between members of
# at most k - 1 groups. The reason: a group is a connected piece of the tree, or part of a star whose branches have
# fewer than k records each; and a step within a branch affects only groups that have a record of that branch.

_PIECES, _HALVES = "3k-5", "2k-1"

Neighbours: TypeAlias = dict[int, list[int]]


class NeighbourTree:
    """Records that each point to another (`towards`, by a step of squared `length`), except the root."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.records = [root]
        self.towards: dict[int, int] = {}
        self.length: dict[int, float] = {}

    def take(self, other: NeighbourTree, target: int, length: float) -> None:
        """Join another tree, whose root now points to the record `target` of this one."""
        self.records.extend(other.records)
        self.towards.update(other.towards)
        self.length.update(other.length)
        self.towards[other.root] = target
        self.length[other.root] = length


@dataclass(frozen=True)
class _Branch:
    """A branch of the record `before`: its neighbour `record`, and all records beyond that."""

    before: int
    record: int
    records: list[int]


def decompose(tree: NeighbourTree, k: int) -> Iterator[list[int]]:
    """Yield the groups of a tree of at least k records.

    The cut is at the first record, from the leaves inwards, with k records or more at and behind it. If k others
    remain, it is cut off with the records behind it; if not, no side of it has k records. In both cases it is the
    centre of a star of branches below k, which `_shared_out` divides. (The paper starts at any record and moves towards
    the larger side; this is one such record.)
    """
    largest = max(2 * k - 1, 3 * k - 5)
    neighbours = _neighbours(tree)
    behind = dict.fromkeys(tree.records, 1)
    left = len(tree.records)
    for record in _leaves_first(tree, neighbours):
        if left <= largest:
            break
        if behind[record] < k:
            behind[tree.towards[record]] += behind[record]
            continue
        if left - behind[record] < k:
            yield from _shared_out(record, neighbours, k, largest)
            return
        inner = tree.towards[record]
        neighbours[record].remove(inner)
        neighbours[inner].remove(record)
        yield from _shared_out(record, neighbours, k, largest)
        left -= behind[record]
    yield _beyond(tree.root, tree.root, neighbours)


def _shared_out(centre: int, neighbours: Neighbours, k: int, largest: int) -> Iterator[list[int]]:
    """Yield the groups of a star of branches of fewer than k records each, nearest branches first.

    A branch of k - 1 records forms a group with the centre. Otherwise several branches form a group: with the centre if
    they have k - 1 records, without it if they have more. At least k records remain each time, because there were more
    than `largest`.

    The paper replaces a centre that leaves by a dummy. Here its nearest neighbour becomes the centre of the other
    branches, so that sizes count records only.
    """
    branches = _branches(centre, centre, neighbours)
    left = 1 + sum(len(branch.records) for branch in branches)
    while left > largest:
        group = _next_group(branches, k)
        left -= len(group)
        if len(group) == k - 1:
            group.append(centre)
            left -= 1
            heir = branches.pop(0)
            branches[:0] = _branches(heir.record, heir.before, neighbours)
            centre = heir.record
        yield group
    yield [centre, *(record for branch in branches for record in branch.records)]


def _next_group(branches: list[_Branch], k: int) -> list[int]:
    """Remove and return the nearest branch of k - 1 records, or the nearest branches with at least k - 1 in total."""
    full = next((i for i, branch in enumerate(branches) if len(branch.records) == k - 1), None)
    if full is not None:
        return branches.pop(full).records
    group: list[int] = []
    while len(group) < k - 1:
        group.extend(branches.pop(0).records)
    return group


def _neighbours(tree: NeighbourTree) -> Neighbours:
    """Return the neighbours of every record in the tree, nearest first, ties by file order."""
    steps: dict[int, list[tuple[float, int]]] = {record: [] for record in tree.records}
    for record, target in tree.towards.items():
        steps[record].append((tree.length[record], target))
        steps[target].append((tree.length[record], record))
    return {record: [neighbour for _, neighbour in sorted(near)] for record, near in steps.items()}


def _leaves_first(tree: NeighbourTree, neighbours: Neighbours) -> list[int]:
    """Return the records so that each comes after all that point to it."""
    return _beyond(tree.root, tree.root, neighbours)[::-1]


def _branches(centre: int, former: int, neighbours: Neighbours) -> list[_Branch]:
    """Return the branches of a centre, nearest first, without the side of the former centre."""
    outer = [record for record in neighbours[centre] if record != former]
    return [_Branch(centre, record, _beyond(record, centre, neighbours)) for record in outer]


def _beyond(record: int, before: int, neighbours: Neighbours) -> list[int]:
    """Return a record and all that can be reached from it without the one before, inner ones before outer ones."""
    reached = [record]
    came_from = {record: before}
    for inner in reached:
        for outer in neighbours[inner]:
            if outer != came_from[inner]:
                came_from[outer] = inner
                reached.append(outer)
    return reached


@dataclass(frozen=True)
class MuApprox:
    """Groups of k to `largest` records (3k-5: 2k - 1 if that is more); ties go to the first record in the file.

    The papers grow "any" tree that is too small. Here it is the one with the shortest step, and of two records nearest
    to each other the outer one makes the step, so that the result does not depend on the order of the file. See
    `decompose` for the division of trees and the choices made there, and `_in_two` for pieces of 2k records or more.
    Time grows with n * n.
    """

    largest: str = declared("the size that no group exceeds", _PIECES, choices=(_PIECES, _HALVES))
    name: ClassVar[str] = "mu-approx"

    @property
    def traits(self) -> PartitionTraits:
        """Return the traits; the largest group depends on the parameter."""
        return PartitionTraits(largest=below_2k if self.largest == _HALVES else lambda k: max(2 * k - 1, 3 * k - 5))

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; the method is deterministic.

        >>> MuApprox().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [0, 1, 0, 1, 0]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        columns = by_column(cloud.points)
        pieces = (piece for tree in _forest(columns, k) for piece in decompose(tree, k))
        groups = pieces if self.largest == _PIECES else (part for one in pieces for part in _in_two(columns, one, k))
        labels = np.empty(len(cloud), np.int64)
        for number, group in enumerate(sorted(groups, key=min)):
            labels[group] = number
        return labels


REGISTERED = {"mu-approx": MuApprox()}


def _in_two(columns: Points, piece: list[int], k: int) -> Iterator[list[int]]:
    """Yield a piece of a tree as it is, or two groups if it has 2k records or more.

    The first group is the record farthest from the piece's centroid and the k - 1 nearest to it, as in MDAV. A piece
    has at most 3k - 5 records, so the other group has k to 2k - 5.
    """
    if len(piece) < 2 * k:
        yield piece
        return
    rows = np.sort(np.array(piece, np.int64))
    inner = np.ascontiguousarray(columns[:, rows])
    outermost = int(np.argmax(squared_distances(inner, inner.mean(axis=1))))
    first = nearest(squared_distances(inner, inner[:, outermost]), outermost, k)
    yield rows[first].tolist()
    yield np.delete(rows, first).tolist()


def _forest(columns: Points, k: int) -> list[NeighbourTree]:
    """Return trees of at least k records: while one is smaller, its root is joined to the nearest record outside.

    Every record of a tree except its root points to another record; when the tree is joined to another, its root points
    to a record of that tree. The k - 1 records nearest to the root cannot all be in a tree of fewer than k records, so
    no step goes beyond the farthest of them.
    """
    tree_of = [NeighbourTree(root) for root in range(columns.shape[1])]
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


class _TreeStep(NamedTuple):
    """The shortest step out of a tree of `size` records, in the order in which steps are taken: shortest first."""

    length: float
    inwards: float
    root: int
    target: int
    size: int


def _step(columns: Points, inwards: Distances, tree: NeighbourTree) -> _TreeStep:
    outside = squared_distances(columns, columns[:, tree.root])
    outside[tree.records] = np.inf
    target = int(np.argmin(outside))
    return _TreeStep(float(outside[target]), float(inwards[tree.root]), tree.root, target, len(tree.records))
