"""The compiled form of `rim`: records take their nearest free neighbours, one after the other."""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.groups import Labels, Rows
from constraint_sdc.partition.compiled import compiled
from constraint_sdc.partition.grouping import Ints


@compiled
def take_neighbours(order: Rows, lists: Ints, k: int, labels: Labels, first: int) -> int:
    """Number the groups from `first`, write them to `labels` (-1: still alone) and return the next number."""
    free = np.empty(k, np.int64)
    for x in order:
        if labels[x] >= 0:
            continue
        count = 0
        for y in lists[x]:
            if labels[y] < 0:
                free[count] = y
                count += 1
                if count == k - 1:
                    break
        if count == k - 1:
            labels[x] = first
            for y in free[:count]:
                labels[y] = first
            first += 1
    return first
