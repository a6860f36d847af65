"""The transparency attack on blocks of several variables whose groups got their mean.

Compare J. Nin, J. Herranz and V. Torra, On the disclosure risk of multivariate microaggregation, Data and Knowledge
Engineering 67, 399-412, 2008; the bound here is weaker, holds for every partition, and is never wrong.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.measure.attack.transparency_reach import BLANK, FARTHEST, Reach
from constraint_sdc.model.groups import Labels
from constraint_sdc.model.pair import Floats
from constraint_sdc.partition.tree import safe_scale


def mean_error(original: Floats, masked: Floats, label: Labels) -> float:
    """Return the farthest that a masked value lies from the mean of the class that shares it; blanks are left out."""
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
    ones). If c is off the mean by up to `error`, both ends move out by s * error. Groups that happen to have the same
    mean count as one: the sum is still right. What rounding in double takes away from this is measured, and given back.

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
    """Move the ends out by what the true records lie outside of them: the rounding of long sums."""
    outside = np.where(blank, 0.0, np.maximum(low - x, x - high)).max(initial=0.0)
    margin = np.nextafter(outside, np.inf)
    low, high = np.maximum(low - margin, -FARTHEST), np.minimum(high + margin, FARTHEST)
    point = np.where(blank, BLANK, x)
    return Reach(point, point, np.where(blank, BLANK, low), np.where(blank, BLANK, high))
