"""Squared distances of all records from one place, as the methods without kernels measure them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.groups import Points, Rows

Distances: TypeAlias = npt.NDArray[np.float64]


def by_column(points: Points) -> Points:
    """Return the points with one contiguous array per variable: a copy, or a view that must not be written to."""
    return np.ascontiguousarray(points.T)


def squared_distances(columns: Points, place: Points) -> Distances:
    """Return squared distances by differences, which keep their digits under a large offset; products would cancel.

    Variables are added in their order, so that equal records are equally far, to the last bit.
    """
    total = np.zeros(columns.shape[1])
    difference = np.empty(columns.shape[1])
    for column, coordinate in zip(columns, place, strict=True):
        np.subtract(column, coordinate, out=difference)
        np.multiply(difference, difference, out=difference)
        total += difference
    return total


def nearest(distances: Distances, centre: int, k: int) -> Rows:
    """Return the centre and the k - 1 records nearest to it, first ones first among equals, in file order.

    >>> nearest(np.array([1.0, 0.0, 5.0, 1.0]), centre=1, k=2).tolist()
    [0, 1]
    """
    measured = distances.copy()
    measured[centre] = -1.0  # whatever underflow makes of its neighbours, a centre is in its own group
    limit = np.partition(measured, k - 1)[k - 1]
    within = np.flatnonzero(measured < limit)
    at_limit = np.flatnonzero(measured == limit)[: k - len(within)]
    return np.sort(np.concatenate((within, at_limit)))
