"""How surprising a rule is: how unlikely it would hold if values of variables had nothing to do with each other."""

from __future__ import annotations

from math import log2

import numpy as np

from constraint_sdc.arrays import Floats

FEWEST_BITS = 20.0
"""A rule is proposed if chance alone would give it less than once in a million searches."""


def bits_of(share: float, records: int, tried: int) -> float:
    """Return the surprise of a rule that all records satisfy, if chance satisfies it in this share of records.

    >>> round(bits_of(0.5, 40, 8))
    37
    """
    likely = max(share, 1.0 / (records + 1) ** 2)
    return -records * log2(likely) - log2(max(tried, 1)) if likely < 1.0 else 0.0


def share_in_order(smaller: Floats, larger: Floats) -> float:
    """Return the share of all pairs of a value of one variable and a value of another that are in order."""
    return float(np.searchsorted(np.sort(smaller), larger, side="right").mean() / len(smaller))


def share_equal(one: Floats, other: Floats) -> float:
    """Return the share of all pairs of values of two variables that are equal."""
    values, counts = np.unique(one, return_counts=True)
    among = np.searchsorted(values, other)
    among[among == len(values)] = 0
    return float(np.where(values[among] == other, counts[among], 0).mean() / len(one))
