"""The masked records that an original record can have become, by one variable or block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Labels
from constraint_sdc.partition.methods.tree import safe_scale

BLANK = -np.inf
"""The position of blanks: no interval of numbers reaches it."""

FARTHEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Reach:
    """Original x can have become masked record y only if x's interval and y's interval overlap; n numbers each.

    Ends belong to an interval. It is sound if every record's two intervals overlap: then the true masked record is in
    the set of every record, whatever other sound sets it is intersected with.
    """

    low_x: Floats
    high_x: Floats
    low_y: Floats
    high_y: Floats

    @property
    def is_sound(self) -> bool:
        """Tell whether every record can have become its true masked record."""
        return bool(((self.low_y <= self.high_x) & (self.high_y >= self.low_x)).all())

    @property
    def has_points(self) -> bool:
        """Tell whether the masked records are points: then those within reach are consecutive in their order."""
        return bool((self.low_y == self.high_y).all())


def reach_of_codes(original: Codes, masked: Codes) -> Reach:
    """Return the reach of equality: x can have become y only if both have the same code."""
    x, y = original.astype(np.float64), masked.astype(np.float64)
    return Reach(x, x, y, y)


def reach_of_blanks(blank: Flags) -> Reach:
    """Return the reach of masking that is only known to keep blanks blank and numbers numbers."""
    low, high = np.where(blank, BLANK, -FARTHEST), np.where(blank, BLANK, FARTHEST)
    return Reach(low, high, low, high)


# The transparency attack on blocks of several variables whose groups got their mean.
#
# Compare J. Nin, J. Herranz and V. Torra, On the disclosure risk of multivariate microaggregation, Data and Knowledge
# Engineering 67, 399-412, 2008; the bound here is weaker, holds for every partition, and is never wrong.


def mean_error(original: Floats, masked: Floats, label: Labels) -> float:
    """Return the largest distance of a masked value from the mean of the class that shares it, without blanks."""
    present = ~np.isnan(original)
    if not present.any():
        return 0.0
    scale = safe_scale(original[present])
    sums = np.bincount(label[present], original[present] * scale)
    mean = sums[label[present]] / np.bincount(label[present])[label[present]]
    with np.errstate(over="ignore"):
        return float(np.abs(masked[present] - mean / scale).max())


def reach_of_means(original: Floats, masked: Floats, label: Labels, error: float) -> Reach:
    """Return the reach of means: records of one `label` share the masked row, which is their mean within `error`.

    Let s records share the masked value c. Their values sum up to s * c, so x, if it is one of them, is s * c less the
    values of s - 1 others: at least s * c - (the s - 1 largest values of the file), at most s * c - (the s - 1 smallest
    ones). If c differs from the mean by up to `error`, both ends move outwards by s * error. Groups that happen to have
    the same mean count as one: the sum is still right. The ends are widened by the measured rounding error.

    Blanks must be the same in both arrays.
    """
    blank = np.isnan(original)
    scale = safe_scale(np.concatenate((original[~blank], masked[~blank])))
    x, c = np.where(blank, 0.0, original) * scale, np.where(blank, 0.0, masked) * scale
    sums = np.concatenate(([0.0], np.cumsum(np.sort(x[~blank]))))
    size = np.bincount(label)[label]
    others = np.minimum(size - 1, len(sums) - 1)
    with np.errstate(over="ignore"):
        low = size * (c - error * scale) - (sums[-1] - sums[len(sums) - 1 - others])
        high = size * (c + error * scale) - sums[others]
    return _widened(x, low, high, blank)


def _widened(x: Floats, low: Floats, high: Floats, blank: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Reach:
    """Move the ends outwards so that they include the true records despite the rounding of long sums."""
    outside = np.where(blank, 0.0, np.maximum(low - x, x - high)).max(initial=0.0)
    margin = np.nextafter(outside, np.inf)
    low, high = np.maximum(low - margin, -FARTHEST), np.minimum(high + margin, FARTHEST)
    point = np.where(blank, BLANK, x)
    return Reach(point, point, np.where(blank, BLANK, low), np.where(blank, BLANK, high))


# The transparency attack on one variable that was masked by groups of consecutive values.
#
# J. Nin and V. Torra, Analysis of the univariate microaggregation disclosure risk, New Generation Computing 27,
# 177-194, 2009; V. Torra, Transparency and microaggregation, equation 1.


def keeps_order(original: Floats, masked: Floats) -> bool:
    """Tell whether masking kept the order of different values; equal values may become different.

    >>> keeps_order(np.array([1.0, 2.0, 2.0, 9.0]), np.array([1.5, 1.5, 5.5, 5.5]))
    True
    """
    present = ~np.isnan(original)
    in_order = masked[present][np.lexsort((masked[present], original[present]))]
    return bool((in_order[1:] >= in_order[:-1]).all())


def slack(original: Floats, masked: Floats) -> float:
    """Return the largest distance of a masked value from the range of the values that became it.

    It is 0 for a mean, also for one rounded to a grid on which the values lie.
    """
    present = ~np.isnan(original)
    values, place = np.unique(masked[present], return_inverse=True)
    lowest, highest = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    np.minimum.at(lowest, place, original[present])
    np.maximum.at(highest, place, original[present])
    with np.errstate(over="ignore"):
        most = max((lowest - values).max(initial=0.0), (values - highest).max(initial=0.0))
    return float(np.nextafter(most, np.inf)) if most > 0 else 0.0


def reach_of_order(original: Floats, masked: Floats, most: float) -> Reach:
    """Return the reach of masking that keeps the order, with values at most `most` outside their groups' ranges.

    x can have become only the values from the last one below x - most to the first one above x + most. Proof: let x
    have become y, and suppose a masked value m with x + most < m < y. Every record that became m has a value of at most
    x: otherwise the lower x would have become the higher y, against the order. So m is at most x + most: a
    contradiction. The proof of the lower end is the same. It does not use groups, so equal values may be in different
    groups, and groups may share their value. In double, `most` is rounded up and x + most is rounded monotonically, so
    m <= x + most holds there too.

    Blanks must be the same in both arrays.
    """
    blank = np.isnan(original)
    values = np.unique(masked[~blank])
    with np.errstate(over="ignore"):
        below = np.searchsorted(values, np.where(blank, 0.0, original) - most, "left") - 1
        above = np.searchsorted(values, np.where(blank, 0.0, original) + most, "right")
    low, high = values[np.maximum(below, 0)], values[np.minimum(above, len(values) - 1)]
    become = np.where(blank, BLANK, masked)
    return Reach(np.where(blank, BLANK, low), np.where(blank, BLANK, high), become, become)
