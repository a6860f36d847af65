"""Records that would get their own values: a centre that only one record drew may lie on that very record."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.mask.fuzzy.memberships import drawn
from constraint_sdc.mask.fuzzy.nearness import nearness
from constraint_sdc.model.groups import Labels, Points

_STREAM = 2  # of the seed: the draw itself and `ensure_k` have others


def leave_own_centres(
    labels: Labels, points: Points, centres: Points, m2: float, is_own: npt.NDArray[np.bool_], seed: int
) -> Labels:
    """Return labels in which the records of `is_own` drew anew, among the centres that others drew.

    Each of them is alone at its centre, which then has nobody. If there is no other centre, they stay.
    """
    rest = np.setdiff1d(np.unique(labels), labels[is_own])
    rows = np.flatnonzero(is_own)
    if not len(rest) or not len(rows):
        return labels
    found = labels.copy()
    uniform = np.random.default_rng([seed, _STREAM]).random(len(rows))
    found[rows] = rest[drawn(nearness(points[rows], centres[rest], m2).memberships(), uniform)]
    return found
