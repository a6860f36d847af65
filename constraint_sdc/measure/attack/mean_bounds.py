"""What a group's mean tells about each of its members, once the others are known to lie in bounds.

If s records have the mean c, then x = s * c less the sum of the others. Without bounds on the others that tells
nothing, unless there are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.measure.attack.rounded_bounds import EPSILON, Bounds
from constraint_sdc.model.groups import Labels
from constraint_sdc.model.pair import Codes, Floats, Mask


@dataclass(frozen=True)
class ClassMeans:
    """A variable that is released as the mean of its class: the records that share a released row.

    `released` is each record's released value. The true mean of every class lies within `slack` of it: measured, not
    assumed, so it holds whatever rounding and repair did to the means. Only `usable` records are spoken of.
    """

    name: str
    label: Labels
    released: Floats
    usable: Mask
    slack: float

    def narrow(self, bounds: Bounds) -> Bounds:
        """Return bounds of every record's value from those of the others in its class."""
        return -self._highest(-self.released, -bounds[1]), self._highest(self.released, bounds[0])

    @np.errstate(all="ignore")
    def _highest(self, released: Floats, low: Floats) -> Floats:
        """Return the class's sum less the lowest sum of the others, with a margin for all that is rounded here."""
        is_known = np.isfinite(low)
        known = np.where(is_known, low, 0.0)
        size = _class_sum(self.label, np.ones(len(low)))
        others_unknown = _class_sum(self.label, (~is_known).astype(np.float64)) - ~is_known
        most = size * (released + self.slack)
        scale = size * (np.abs(released) + self.slack) + _class_sum(self.label, np.abs(known))
        found = most - (_class_sum(self.label, known) - known) + (size + 4) * EPSILON * scale
        return np.where(self.usable & (others_unknown == 0) & np.isfinite(found), found, np.inf)


def class_means(name: str, label: Labels, original: Floats, released: Floats) -> ClassMeans | None:
    """Return what a variable's class means tell; None when no class is filled throughout, or sums overflow."""
    is_blank = ~(np.isfinite(original) & np.isfinite(released))
    usable = _class_sum(label, is_blank.astype(np.float64)) == 0
    if not usable.any():
        return None
    slack = _slack(label, np.where(usable, original, 0.0), np.where(usable, released, 0.0))
    return ClassMeans(name, label, released, usable, slack) if np.isfinite(slack) else None


@np.errstate(all="ignore")
def _slack(label: Labels, original: Floats, released: Floats) -> float:
    """Return how far a class's mean may lie from its released value: what is measured, and what measuring rounds."""
    size = _class_sum(label, np.ones(len(label)))
    mean = _class_sum(label, original / size)
    rounded = (size + 4) * EPSILON * _class_sum(label, np.abs(original) / size)
    apart = np.where(size == 1, np.abs(original - released), np.abs(mean - released) + rounded)
    return float(apart.max())


def _class_sum(label: Labels, values: Floats) -> Floats:
    """Return for each record the sum over its class."""
    return np.bincount(label, values).astype(np.float64)[label]


def shared_rows(codes: Sequence[Codes]) -> Labels:
    """Return a label for each record, the same for records that agree in all codes."""
    label = np.zeros(len(codes[0]), np.int64)
    for column in codes:
        _, own = np.unique(column, return_inverse=True)
        _, label = np.unique(label * (own.max(initial=0) + 1) + own, return_inverse=True)
    return label.astype(np.int64)
