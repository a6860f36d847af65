"""Median-based microaggregation: V. Torra, Privacy in Statistical Databases, LNCS 3050, 162-174, 2004.

Groups form as in MDAV, with operations for ordinal data: steps between codes instead of squares, medians for means.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.methods.generic_mdav import Rank, form_groups
from constraint_sdc.partition.partitioner import (
    TIED,
    PartitionTraits,
    Takes,
    below_2k,
    refuse_scales,
    refuse_weights,
    require_possible,
)
from constraint_sdc.settings.words import Scale


class OrdinalMedian:
    """Ordinal and numeric variables: the sum of absolute differences, and the lower median of each variable as centre.

    The lower median is a code that occurs, and no other value has a smaller sum of absolute differences. Groups have k
    to 2k - 1 records and are numbered in the order in which they form; ties go to the record first in the file.
    """

    name = "ordinal-median"
    traits = PartitionTraits(Takes.ORDINAL, largest=below_2k, file_order_matters=TIED)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; `seed` is unused, because the method is deterministic.

        >>> OrdinalMedian().partition(Cloud(np.array([[1.0], [3.0], [1.0], [4.0], [2.0]])), 2, seed=1).tolist()
        [1, 0, 1, 0, 1]
        """
        del seed
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        refuse_scales(cloud, self.name, frozenset({Scale.NOMINAL}), hint="use mixed, or k-modes if all are nominal")
        if k == 1:
            return np.arange(len(cloud), dtype=np.int64)
        return form_groups([Rank.from_values(column, is_squared=False) for column in cloud.points.T], k)


REGISTERED = {"ordinal-median": OrdinalMedian()}
