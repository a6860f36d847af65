"""The best of all partitions and the best of all cuts, by trying every one: for a handful of records."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.arrays import Points

Group = tuple[int, ...]


def loss_of(points: Points, groups: tuple[Group, ...]) -> float:
    return sum(float(((points[list(group)] - points[list(group)].mean(axis=0)) ** 2).sum()) for group in groups)


def least_loss(points: Points, k: int) -> float:
    """Return the loss of the best partition into groups of k or more, whatever they look like."""
    return min(loss_of(points, groups) for groups in partitions(tuple(range(len(points))), k))


def least_loss_of_cuts(path: Points, k: int) -> float:
    """Return the loss of the best cut of the path into consecutive groups of k or more."""
    return min(loss_of(path, groups) for groups in cuts(tuple(range(len(path))), k))


def partitions(records: Group, k: int) -> Iterator[tuple[Group, ...]]:
    """Yield all partitions into groups of k or more."""
    if not records:
        yield ()
    for chosen in range(2 ** max(0, len(records) - 1)) if len(records) >= k else ():
        group = (records[0], *(r for i, r in enumerate(records[1:]) if chosen >> i & 1))
        if len(group) >= k:
            rest = tuple(r for r in records if r not in group)
            yield from ((group, *others) for others in partitions(rest, k))


def cuts(records: Group, k: int) -> Iterator[tuple[Group, ...]]:
    """Yield all cuts into consecutive groups of k or more."""
    if not records:
        yield ()
    for size in range(k, len(records) + 1):
        yield from ((records[:size], *others) for others in cuts(records[size:], k))
