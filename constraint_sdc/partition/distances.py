"""Squared distances of all records from one point, for the methods without kernels."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Codes, Distances, Floats, Labels, Points, Rows
from constraint_sdc.data.cloud import Axis, Cloud


def by_column(points: Points) -> Points:
    """Return the points with one contiguous array per variable: a copy, or a view that must not be written to."""
    return np.ascontiguousarray(points.T)


def extents(points: Points) -> Floats:
    """Return the distance from the least to the greatest value of each variable, one after the other.

    >>> extents(np.array([[1.0, 7.0], [4.0, 7.0]])).tolist()
    [3.0, 0.0]
    """
    return np.array([np.ptp(column) for column in points.T], np.float64)


def squared_distances(columns: Points, place: Points) -> Distances:
    """Return squared distances from differences: unlike products, they lose no digits under a large offset.

    Variables are added in their order, so that equal records have equal distances to the last bit.
    """
    if len(columns) == 0:
        return np.zeros(columns.shape[1])
    total: Distances = columns[0] - place[0]
    total *= total
    difference = np.empty_like(total)
    for column, coordinate in zip(columns[1:], place[1:], strict=True):
        np.subtract(column, coordinate, out=difference)
        difference *= difference
        total += difference
    return total


_PARTS = 32


def nearest(distances: Distances, centre: int, k: int) -> Rows:
    """Return the centre and the k - 1 records nearest to it, in file order; ties go to the first record in the file.

    >>> nearest(np.array([1.0, 0.0, 5.0, 1.0]), centre=1, k=2).tolist()
    [0, 1]
    """
    measured = distances.copy()
    measured[centre] = -1.0  # keeps the centre in its own group even if distances of its neighbours underflow to 0
    width = len(measured) // _PARTS
    if width <= 2 * k:
        return np.sort(np.argsort(measured, kind="stable")[:k])
    # The least distances of different sets of records bound the k-th of all.
    least = measured[: width * _PARTS].reshape(_PARTS, width).min(axis=0)
    close = (measured <= np.partition(least, k - 1)[k - 1]).nonzero()[0]
    return np.sort(close[np.argsort(measured[close], kind="stable")[:k]])


# The loss of a partition: the (weighted) sum of squared distances of all records from the mean of their group.


def sse(cloud: Cloud, labels: Labels) -> float:
    """Return the loss; differences from the means are squared, so nothing cancels under a large offset.

    >>> sse(Cloud(np.array([[0.0], [2.0], [9.0], [9.0]])), np.array([0, 0, 1, 1]))
    2.0
    """
    weight = np.ones(len(cloud)) if cloud.weights is None else cloud.weights
    total = np.bincount(labels, weights=weight)
    lost = 0.0
    for column in cloud.points.T:
        shift = column.mean() if len(column) else 0.0
        mean = np.bincount(labels, weights=weight * (column - shift)) / total
        lost += float((weight * (column - shift - mean[labels]) ** 2).sum())
    return lost


# The categories of a nominal variable, recovered from its indicator columns in a cloud.


def category_codes(cloud: Cloud, axis: Axis) -> Codes:
    """Return codes 0, 1, ... of the categories that occur, in their order; a missing value has the last code.

    >>> from constraint_sdc.settings.words import Scale
    >>> indicators = np.array([[0.0, 0.0, 0.7], [0.7, 0.0, 0.0], [0.0, 0.0, 0.0]])
    >>> category_codes(Cloud(indicators), Axis("region", Scale.NOMINAL, 0, 3)).tolist()
    [1, 0, 2]
    """
    columns = cloud.points[:, axis.start : axis.stop]
    if not columns.size:
        return np.zeros(len(cloud), np.int64)
    code = np.where(columns.any(axis=1), columns.argmax(axis=1), columns.shape[1])
    return np.unique(code, return_inverse=True)[1].astype(np.int64)


def category_weight(cloud: Cloud, axis: Axis) -> float:
    """Return the squared distance between two categories, the weight of the variable; 0 if all values are missing."""
    largest = cloud.points[:, axis.start : axis.stop].max(initial=0.0)
    return float(2.0 * largest * largest)
