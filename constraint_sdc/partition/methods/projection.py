"""Single-axis projection: J. M. Mateo-Sanz and J. Domingo-Ferrer, Qüestiió 22(3), 511-526, 1998.

Records are sorted by one number, and k consecutive ones form a group. The number is the first principal component (K.
Pearson, Philosophical Magazine 2(11), 559-572, 1901) or the sum of z-scores (D. Defays and P. Nanopoulos, 1993).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import Floats, Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import by_column
from constraint_sdc.partition.methods.individual_ranking import consecutive
from constraint_sdc.partition.partitioner import (
    PartitionTraits,
    below_2k,
    refuse_scales,
    refuse_weights,
    require_possible,
)
from constraint_sdc.settings.words import Scale

_DIGITS = 12


class PrincipalComponentProjection:
    """Sorted by the first principal component; ties by file order, and the last group has up to 2k - 1 records."""

    name = "pc1-projection"
    traits = PartitionTraits(largest=below_2k, sorts_by_one_number=True)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered along the component; the method is deterministic.

        >>> points = np.array([[9.0, 0.0], [0.0, 8.0], [8.0, 1.0], [1.0, 7.0]])
        >>> PrincipalComponentProjection().partition(Cloud(points), 2, seed=1).tolist()
        [1, 0, 1, 0]
        """
        del seed
        return _partition(cloud, k, self.name, first_principal_component)


class ZSumProjection:
    """Sorted by the sum of the standardised variables; ties by file order, and the last group has up to 2k - 1 records.

    The points of a cloud are z-scores, unless another standardisation is chosen, times the weights of the variables.
    These points are added, so both options take effect.
    """

    name = "z-sum-projection"
    traits = PartitionTraits(largest=below_2k, sorts_by_one_number=True)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record, numbered from the lowest sum up; the method is deterministic.

        >>> ZSumProjection().partition(Cloud(np.array([[0.0, 1.0], [5.0, 5.0], [1.0, 1.0], [5.0, 4.0]])), 2, 1).tolist()
        [0, 1, 0, 1]
        """
        del seed
        return _partition(cloud, k, self.name, lambda columns: np.ones(len(columns)))


REGISTERED = {"pc1-projection": PrincipalComponentProjection(), "z-sum-projection": ZSumProjection()}


def first_principal_component(columns: Points) -> Floats:
    """Return the direction of the largest variance of d columns to 12 digits; its largest loading is positive.

    Sums are NumPy's own in a fixed order, not those of a threaded library, and the last digits, in which eigenvectors
    differ between machines, are dropped. If two directions have the same variance, the result is one of them.
    """
    spread = columns - columns.mean(axis=1, keepdims=True)
    spread /= max(float(np.abs(spread).max(initial=0.0)), np.finfo(np.float64).tiny)
    covariance = np.array([[float((one * other).sum()) for other in spread] for one in spread])
    direction: Floats = np.round(np.linalg.eigh(covariance).eigenvectors[:, -1], _DIGITS)
    return -direction if direction[np.argmax(np.abs(direction))] < 0 else direction


def _partition(cloud: Cloud, k: int, method: str, loadings_of: Callable[[Points], Floats]) -> Labels:
    require_possible(cloud, k)
    refuse_weights(cloud, method)
    refuse_scales(cloud, method, frozenset({Scale.NOMINAL}), hint="categories have no order; use another method")
    if k == 1:
        return np.arange(len(cloud), dtype=np.int64)
    columns = by_column(cloud.points)
    columns = columns - columns.min(axis=1, keepdims=True)  # a large offset would cost digits
    return consecutive(np.argsort(_projected(columns, loadings_of(columns)), kind="stable"), k)


def _projected(columns: Points, loadings: Floats) -> Floats:
    """Return each record's projection on the axis; columns are added in their order, so equal records stay equal."""
    total = np.zeros(columns.shape[1])
    for column, loading in zip(columns, loadings, strict=True):
        total += loading * column
    return total
