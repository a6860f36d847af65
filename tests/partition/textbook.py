"""MDAV as the paper words it, one record at a time: slow, obvious, and the examiner of the fast one."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Points


def textbook_mdav(points: Points, k: int) -> list[int]:
    """Return the group of every record; groups are numbered as they form."""
    rest = list(range(len(points)))
    groups: list[list[int]] = []
    while len(rest) >= 3 * k:
        r = farthest(points, rest, centroid(points, rest))
        groups.append(take_nearest(points, rest, r, k))
        s = farthest(points, rest, points[r].tolist())
        groups.append(take_nearest(points, rest, s, k))
    if len(rest) >= 2 * k:
        r = farthest(points, rest, centroid(points, rest))
        groups.append(take_nearest(points, rest, r, k))
    groups.append(rest)
    return [next(number for number, group in enumerate(groups) if i in group) for i in range(len(points))]


def centroid(points: Points, rest: list[int]) -> list[float]:
    return [float(np.mean(np.array([points[i, j] for i in rest]))) for j in range(points.shape[1])]


def distance(one: list[float], other: list[float]) -> float:
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) * (a - b)
    return total


def farthest(points: Points, rest: list[int], place: list[float]) -> int:
    return min(rest, key=lambda i: (-distance(points[i].tolist(), place), i))


def take_nearest(points: Points, rest: list[int], centre: int, k: int) -> list[int]:
    """Remove the centre and its k - 1 nearest from the rest, and return them."""
    others = [i for i in rest if i != centre]
    others.sort(key=lambda i: (distance(points[i].tolist(), points[centre].tolist()), i))
    group = [centre, *others[: k - 1]]
    rest[:] = [i for i in rest if i not in group]
    return group
