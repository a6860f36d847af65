"""The transparency attack on one variable that was masked by groups of consecutive values.

J. Nin and V. Torra, Analysis of the univariate microaggregation disclosure risk, New Generation Computing 27, 177-194,
2009; V. Torra, Transparency and microaggregation, equation 1.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.measure.attack.transparency_reach import BLANK, Reach
from constraint_sdc.model.pair import Floats


def keeps_order(original: Floats, masked: Floats) -> bool:
    """Tell whether a lower value never became a higher one; of equal values some may become lower than others.

    >>> keeps_order(np.array([1.0, 2.0, 2.0, 9.0]), np.array([1.5, 1.5, 5.5, 5.5]))
    True
    """
    present = ~np.isnan(original)
    in_order = masked[present][np.lexsort((masked[present], original[present]))]
    return bool((in_order[1:] >= in_order[:-1]).all())


def slack(original: Floats, masked: Floats) -> float:
    """Return the farthest that a masked value lies outside the range of the values that became it.

    A mean never does, nor does a mean rounded to a grid on which the values lie.
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

    x can have become only the values from the last one below x - most to the first one above x + most. Proof: let it
    have become y, and suppose a masked value m with x + most < m < y. Whoever became m has a value of at most x; else
    the lower x had become the higher y, and order were not kept. So m is at most x + most: a contradiction. Below
    likewise. Nothing is said of groups, so equal values may be cut in two, and groups may share their value. In double,
    `most` is rounded up and x + most is rounded monotonically, so m <= x + most holds there too.

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
