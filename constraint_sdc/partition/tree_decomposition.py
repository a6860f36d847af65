"""Taking a tree of near neighbours apart into groups of at least k and at most max(2k - 1, 3k - 5) records.

G. Aggarwal, T. Feder, K. Kenthapadi, R. Motwani, R. Panigrahy, D. Thomas and A. Zhu, Approximation algorithms for
k-anonymity, Journal of Privacy Technology, 2005.

Two records of a group are at most max(2k - 2, 3k - 6) steps of the tree apart, and a step lies between members of at
most k - 1 groups. For a group is a connected piece of the tree, or part of a star whose branches have fewer than k
records each; and a step within a branch matters only to groups that have a record of that branch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

Neighbours: TypeAlias = dict[int, list[int]]


class Tree:
    """Records that each point to another (`towards`, by a step of squared `length`), except the root."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.records = [root]
        self.towards: dict[int, int] = {}
        self.length: dict[int, float] = {}

    def take(self, other: Tree, target: int, length: float) -> None:
        """Join another tree, whose root now points to the record `target` of this one."""
        self.records.extend(other.records)
        self.towards.update(other.towards)
        self.length.update(other.length)
        self.towards[other.root] = target
        self.length[other.root] = length


@dataclass(frozen=True)
class _Branch:
    """What hangs from the record `before`: its neighbour `record`, and all records beyond that."""

    before: int
    record: int
    records: list[int]


def decompose(tree: Tree, k: int) -> Iterator[list[int]]:
    """Yield the groups of a tree of at least k records.

    From the leaves inwards, the first record with k records or more at and behind it is the place to cut. If k others
    remain, it is cut off with what is behind it; if not, no side of it has k records. Either way it is the centre of
    a star of branches below k, which `_shared_out` divides. (The paper looks at any record and moves towards the larger
    side; this is one such record.)
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

    A branch of k - 1 leaves with the centre. Else branches leave together: with the centre if they are k - 1, without
    it if they are more. At least k records stay behind every time, because more than `largest` were there.

    The paper puts a dummy in the place of a centre that leaves. Here its nearest neighbour takes the place, and the
    other branches hang from that, so that sizes count records only.
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
    """Take out the nearest branch of k - 1 records, or else as many of the nearest branches as make k - 1 or more."""
    full = next((i for i, branch in enumerate(branches) if len(branch.records) == k - 1), None)
    if full is not None:
        return branches.pop(full).records
    group: list[int] = []
    while len(group) < k - 1:
        group.extend(branches.pop(0).records)
    return group


def _neighbours(tree: Tree) -> Neighbours:
    """Return the neighbours of every record in the tree, nearest first, ties by file order."""
    steps: dict[int, list[tuple[float, int]]] = {record: [] for record in tree.records}
    for record, target in tree.towards.items():
        steps[record].append((tree.length[record], target))
        steps[target].append((tree.length[record], record))
    return {record: [neighbour for _, neighbour in sorted(near)] for record, near in steps.items()}


def _leaves_first(tree: Tree, neighbours: Neighbours) -> list[int]:
    """Return the records so that each comes after all that point to it."""
    return _beyond(tree.root, tree.root, neighbours)[::-1]


def _branches(centre: int, former: int, neighbours: Neighbours) -> list[_Branch]:
    """Return the branches of a centre, nearest first, but for the side of the former centre."""
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
