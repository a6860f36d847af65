"""How far an original value may lie from a masked one and still agree with it: four metrics for one variable.

W. E. Winkler, Single-ranking micro-aggregation and re-identification, U.S. Bureau of the Census, Statistics #2002-08.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from constraint_sdc.model.pair import Codes, Floats

Metric: TypeAlias = Literal["half-distance", "neighbours", "nearest", "within"]
METRICS: tuple[Metric, ...] = get_args(Metric)

WITHIN = 0.03
"""What `within` allows, as a share of the masked value: how far the better fields of a corresponding file are off."""


def agreeing_range(metric: Metric, masked: Floats, values: Floats, count: int) -> tuple[Codes, Codes] | None:
    """Return for every masked value where the original values that agree start and stop in `values` (stop excluded).

    `masked` has the released values of a variable, NaN for blanks, which agree with nothing. `values` are the original
    ones, sorted, without blanks. `count` is for `nearest`. None if the variable tells nothing: it has no values, or no
    two masked ones whose distance could be a measure.
    """
    present = ~np.isnan(masked)
    released, place = np.unique(masked[present], return_inverse=True)
    if len(values) == 0 or len(released) == 0 or (metric in ("half-distance", "neighbours") and len(released) < 2):
        return None
    low, high = _ends(metric, released, values, count)
    start, stop = np.zeros(len(masked), np.int64), np.zeros(len(masked), np.int64)
    start[present] = np.searchsorted(values, low, "left")[place]
    stop[present] = np.searchsorted(values, high, "right")[place]
    return start, stop


def _ends(metric: Metric, released: Floats, values: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest number that agree with each of the sorted, distinct masked values."""
    match metric:
        case "half-distance":
            return _half_distance(released)
        case "neighbours":
            return _neighbours(released)
        case "nearest":
            return _nearest(released, values, count)
        case "within":
            return _around(released, WITHIN * np.abs(released))


def _half_distance(released: Floats) -> tuple[Floats, Floats]:
    """Half the way to the predecessor or the successor, whichever is nearer; the first and the last have one only."""
    gaps = np.diff(released / 2)  # differences of halves do not overflow
    return _around(released, np.minimum(np.concatenate(([np.inf], gaps)), np.concatenate((gaps, [np.inf]))))


def _neighbours(released: Floats) -> tuple[Floats, Floats]:
    """From the predecessor to the successor; nothing limits the outer side of the first and of the last.

    If masking kept the order, and no mean left the range of its group, the true value is always there: were it beyond
    the successor, the successor's group would lie beyond it too, and the successor with it.
    """
    return np.concatenate(([-np.inf], released[:-1])), np.concatenate((released[1:], [np.inf]))


def _nearest(released: Floats, values: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the ends of the `count` values nearest to each masked one; those at the same distance are all there."""
    count = max(1, min(count, len(values)))
    first = np.clip(np.searchsorted(values, released) - count, 0, len(values) - count)
    last = np.clip(np.searchsorted(values, released), 0, len(values) - count)
    halves = values / 2
    while (first < last).any():
        middle = (first + last) // 2
        is_late = released / 2 - halves[middle] > halves[np.minimum(middle + count, len(values) - 1)] - released / 2
        is_open = first < last
        first, last = np.where(is_open & is_late, middle + 1, first), np.where(is_open & ~is_late, middle, last)
    halved = np.maximum(np.abs(released / 2 - halves[first]), np.abs(halves[first + count - 1] - released / 2))
    with np.errstate(over="ignore"):
        low, high = _around(released, 2 * halved)
    return np.minimum(low, values[first]), np.maximum(high, values[first + count - 1])


def _around(centre: Floats, radius: Floats) -> tuple[Floats, Floats]:
    with np.errstate(over="ignore"):
        return centre - radius, centre + radius
