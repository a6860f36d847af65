"""MDAV-generic on mixed records: J. Domingo-Ferrer and V. Torra, DMKD 11(2), 195-212, 2005.

Each variable keeps its own distance and its own centre, whatever its scale (formula: docs/partition/mixed.md).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.partition.distances import category_codes, category_weight
from constraint_sdc.partition.methods.generic_mdav import Category, DistanceVariable, NumericDistance, Rank, form_groups
from constraint_sdc.partition.partitioner import PartitionTraits, Takes, below_2k, refuse_weights, require_possible
from constraint_sdc.settings.words import Scale


class Mixed:
    """Variables of any scale: the sum of squares of each variable's own distance.

    That is the difference of numbers, the steps between ordinal codes, and 1 between two categories, each standardised
    and times the variable's weight; the square root of the sum is a metric. The centre is the mean, the lower median or
    the mode. Groups have k to 2k - 1 records, numbered in the order in which they form; ties go to the record first in
    the file.
    """

    name = "mixed"
    traits = PartitionTraits(Takes.MIXED, largest=below_2k)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic.

        >>> Mixed().partition(Cloud(np.array([[0.0], [9.0], [1.0], [8.0], [0.5]])), 2, seed=1).tolist()
        [1, 0, 1, 0, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        return form_groups(list(_variables(_near_one(cloud))), k)


REGISTERED = {"mixed": Mixed()}


def _near_one(cloud: Cloud) -> Cloud:
    """Return the cloud in units of a power of two, so that no square can overflow; no digit and no order changes."""
    exponent = int(np.frexp(np.abs(cloud.points).max(initial=0.0))[1])
    return Cloud(np.ldexp(cloud.points, -exponent), cloud.axes)


def _variables(cloud: Cloud) -> Iterator[DistanceVariable]:
    for axis in cloud.axes or _numbers(cloud):
        match axis.scale:
            case Scale.NUMERIC:
                yield NumericDistance(np.ascontiguousarray(cloud.points[:, axis.start]))
            case Scale.ORDINAL:
                yield Rank.from_values(cloud.points[:, axis.start], is_squared=True)
            case Scale.NOMINAL:
                yield Category(category_codes(cloud, axis), category_weight(cloud, axis))


def _numbers(cloud: Cloud) -> tuple[Axis, ...]:
    return tuple(Axis("", Scale.NUMERIC, column, column + 1) for column in range(cloud.points.shape[1]))
