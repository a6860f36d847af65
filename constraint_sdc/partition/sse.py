"""The loss of a partition: the (weighted) sum of squared distances of all records from the mean of their group."""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels


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
