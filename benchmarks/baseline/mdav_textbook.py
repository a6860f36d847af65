"""MDAV as one writes it down from the paper, in NumPy: the baseline of the partition benchmark."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def textbook_mdav(points: Points, k: int) -> Labels:
    """Return the groups; every step is a line of NumPy over the records that remain."""
    labels = np.empty(len(points), np.int64)
    left = np.arange(len(points))
    count = 0

    def form(centre: int) -> None:
        nonlocal left, count
        near = left[np.argsort(((points[left] - points[centre]) ** 2).sum(axis=1), kind="stable")[:k]]
        labels[near] = count
        left = np.setdiff1d(left, near, assume_unique=True)
        count += 1

    def farthest(place: Points) -> int:
        return int(left[((points[left] - place) ** 2).sum(axis=1).argmax()])

    while len(left) >= 3 * k:
        r = farthest(points[left].mean(axis=0))
        form(r)
        form(farthest(points[r]))
    if len(left) >= 2 * k:
        form(farthest(points[left].mean(axis=0)))
    labels[left] = count
    return labels
