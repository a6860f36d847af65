"""Random groups: no published method, but the baseline of all; what closeness is worth shows against it."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.partitioner import DRAWN, PartitionTraits, below_2k, refuse_weights, require_possible


class RandomGroups:
    """As many groups of k as there can be, in a drawn order; records left over are spread, so sizes differ by one."""

    name = "random"
    traits = PartitionTraits(largest=below_2k, file_order_matters=DRAWN)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record; another seed draws others.

        >>> sorted(RandomGroups().partition(Cloud(np.zeros((7, 1))), 2, seed=1).tolist())
        [0, 0, 0, 1, 1, 2, 2]
        """
        require_possible(cloud, k)
        refuse_weights(cloud, self.name)
        drawn = np.random.default_rng(seed).permutation(len(cloud))
        labels = np.empty(len(cloud), np.int64)
        labels[drawn] = np.arange(len(cloud)) % (len(cloud) // k)
        return labels


REGISTERED = (RandomGroups(),)
