"""Which masked records an original record can have become, as far as one variable or block tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.model.pair import Codes, Floats, Mask

BLANK = -np.inf
"""Where blanks stand: no interval of numbers reaches there."""

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
        """Tell whether every record can have become what it became."""
        return bool(((self.low_y <= self.high_x) & (self.high_y >= self.low_x)).all())

    @property
    def has_points(self) -> bool:
        """Tell whether the masked records are points: then those within reach follow each other in their order."""
        return bool((self.low_y == self.high_y).all())


def reach_of_codes(original: Codes, masked: Codes) -> Reach:
    """Return the reach of equality: x can have become y only if both have the same code."""
    x, y = original.astype(np.float64), masked.astype(np.float64)
    return Reach(x, x, y, y)


def reach_of_blanks(blank: Mask) -> Reach:
    """Return the reach of masking that keeps blanks blank and numbers numbers, and tells nothing else."""
    low, high = np.where(blank, BLANK, -FARTHEST), np.where(blank, BLANK, FARTHEST)
    return Reach(low, high, low, high)
