"""When a combination of values that some record has is no sign of this record: much of what is possible occurs.

Of region and years of age nearly every combination is somebody's in a file of some hundred persons. A masked record has
one of them by chance, and to avoid them all would change ages by decades. Of region and wage in cents hardly any is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.data.windows import windows
from constraint_sdc.settings.chance import USUAL, Chance

_MOST_DECIMALS = 9
_EXACT = float(2**53)  # beyond, neighbouring integers are no longer different doubles


def grid_points(values: Floats) -> float:
    """Return how many numbers lie from the least to the greatest value, on the coarsest decimal grid that has all.

    Infinitely many if more than nine decimals or digits beyond 2^53 are needed; 0 without values.

    >>> grid_points(np.array([18.0, 20.0])), grid_points(np.array([0.5, 2.25])), grid_points(np.array([1 / 3, 1.0]))
    (3.0, 176.0, inf)
    """
    if not len(values):
        return 0.0
    largest = np.max([np.abs(values[part]).max() for part in windows(len(values))])
    for decimals in range(_MOST_DECIMALS + 1):
        scale = float(10**decimals)
        if not largest < _EXACT / scale:
            break
        ends = _ends(values, scale)
        if ends is not None:
            return ends[1] - ends[0] + 1.0
    return math.inf


def _ends(values: Floats, scale: float) -> tuple[float, float] | None:
    """Return the least and the greatest of the values in steps of a grid, None if one is not on it."""
    low, high = math.inf, -math.inf
    for part in windows(len(values)):
        whole = np.rint(values[part] * scale)
        if not np.array_equal(whole / scale, values[part]):
            return None
        low, high = min(low, float(whole.min())), max(high, float(whole.max()))
    return low, high


def is_crowded(occurring: int, possible: Iterable[float], chance: Chance = USUAL) -> bool:
    """Tell whether so many occurring combinations are so large a share of the possible ones that equal ones are chance.

    `possible` has the number of possible values of every variable.

    >>> is_crowded(180, (4, 63)), is_crowded(400, (4, 100_000)), is_crowded(180, (4, 63), Chance(0.8))
    (True, False, False)
    """
    return occurring >= chance.crowded * math.prod(possible)
