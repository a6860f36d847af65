"""Random groups: not a published method, but the baseline that shows what a method gains by grouping near records."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.partitioner import DRAWN, PartitionTraits, below_2k, refuse_weights, require_possible


class RandomGroups:
    """The most groups of k possible, in random order; leftover records are spread, so sizes differ by one."""

    name = "random"
    traits = PartitionTraits(largest=below_2k, file_order_matters=DRAWN)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; the groups depend on the seed.

        >>> sorted(RandomGroups().partition(Cloud(np.zeros((7, 1))), 2, seed=1).tolist())
        [0, 0, 0, 1, 1, 2, 2]
        """
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        drawn = np.random.default_rng(seed).permutation(len(cloud))
        labels = np.empty(len(cloud), np.int64)
        labels[drawn] = np.arange(len(cloud)) % (len(cloud) // k)
        return labels


REGISTERED = {"random": RandomGroups()}
