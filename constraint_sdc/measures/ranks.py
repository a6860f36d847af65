"""Ranks of numbers among sorted numbers, found in order: a search at random places waits for memory each time."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Floats, Positions


def ranks_among(ordered: Floats, values: Floats) -> tuple[Positions, Positions]:
    """Return for each value how many of the sorted numbers are less, and how many are not greater.

    >>> below, up_to = ranks_among(np.array([1.0, 2.0, 2.0]), np.array([2.0, 0.0, 5.0]))
    >>> below.tolist(), up_to.tolist()
    ([1, 0, 3], [3, 0, 3])
    """
    order = np.argsort(values)
    sought = values[order]
    below, up_to = np.empty(len(values), np.intp), np.empty(len(values), np.intp)
    below[order] = np.searchsorted(ordered, sought, "left")
    up_to[order] = np.searchsorted(ordered, sought, "right")
    return below, up_to
