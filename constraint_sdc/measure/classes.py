"""Records that share all their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraint_sdc.model.groups import Labels
from constraint_sdc.model.pair import Codes


def classes(codes: Sequence[Codes]) -> Labels:
    """Return the class of every record: those with the same codes in all columns share one, numbered without a gap.

    >>> classes([np.array([5, 5, 2, 5]), np.array([0, 1, 1, 0])]).tolist()
    [1, 2, 0, 1]
    """
    label = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        _, code = np.unique(column, return_inverse=True)
        _, label = np.unique(label * (code.max(initial=0) + 1) + code, return_inverse=True)
    return label.astype(np.int64)
