"""Groups of k consecutive records of an order: what methods that only sort end with."""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.groups import Labels, Rows


def consecutive(order: Rows, k: int) -> Labels:
    """Return the group of every record: the first k of the order, the next k, ...; the last group takes the rest.

    >>> consecutive(np.array([3, 1, 0, 2, 4]), 2).tolist()
    [1, 0, 1, 0, 1]
    """
    labels = np.empty(len(order), np.int64)
    labels[order] = np.minimum(np.arange(len(order)) // k, len(order) // k - 1)
    return labels
