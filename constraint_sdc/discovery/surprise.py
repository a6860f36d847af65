"""How surprising a rule is: how unlikely it would hold if values of variables had nothing to do with each other."""

from __future__ import annotations

from math import e, log2

import numpy as np

from constraint_sdc.arrays import Floats

FEWEST_BITS = 20.0
"""A rule is proposed if chance alone would give it less than once in a million searches."""


def bits_of(share: float, records: int, tried: int, broken: int = 0) -> float:
    """Return the surprise of a rule that all records but `broken` satisfy, if chance satisfies it in this share.

    >>> round(bits_of(0.5, 40, 8)), round(bits_of(0.5, 40, 8, broken=2))
    (37, 26)
    """
    likely = max(share, 1.0 / (records + 1) ** 2)
    return bits_against(likely, records, broken) - log2(max(tried, 1)) if likely < 1.0 else 0.0


def bits_against(chance: float, records: int, broken: int) -> float:
    """Return how unlikely so few exceptions are, in bits: Chernoff's bound, which is exact where there are none.

    >>> round(bits_against(0.5, 40, 0)), bits_against(0.9, 40, 10)
    (40, 0.0)
    """
    held = (records - broken) / records if records else 0.0
    if not broken:
        return -records * log2(chance)
    if held <= chance:
        return 0.0
    return records * (held * log2(held / chance) + (1 - held) * log2((1 - held) / (1 - chance)))


def poisson_bits(expected: float, found: int) -> float:
    """Return how unlikely it is, in bits, that chance gives so few repetitions where so many are expected.

    >>> round(poisson_bits(20, 0)), round(poisson_bits(20, 5)), poisson_bits(2, 5)
    (29, 12, 0.0)
    """
    if found >= expected:
        return 0.0
    ratio = found * log2(found / expected) if found else 0.0
    return (expected - found) * log2(e) + ratio


def share_in_order(smaller: Floats, larger: Floats) -> float:
    """Return the share of all pairs of a value of one variable and a value of another that are in order."""
    return float(np.searchsorted(np.sort(smaller), larger, side="right").mean() / len(smaller))


def share_equal(one: Floats, other: Floats) -> float:
    """Return the share of all pairs of values of two variables that are equal."""
    values, counts = np.unique(one, return_counts=True)
    among = np.searchsorted(values, other)
    among[among == len(values)] = 0
    return float(np.where(values[among] == other, counts[among], 0).mean() / len(one))
