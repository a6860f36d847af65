"""The convex median: the lower median after frequencies are raised so that they have no dip between two peaks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.constraint import Formula
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.operator import (
    NotCovered,
    OperatorTraits,
    OperatorVerdict,
    SortedMembers,
    ValueAtom,
    chosen_values,
    judge,
)
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale


class ConvexMedian:
    """Each variable's lower median by raised frequencies: a value between two frequent values counts as much as they.

    The raised frequency of a value is the lesser of two maxima: that of all frequencies up to the value, and that of
    all from it on. Values are those that occur in the group.

    Proof sketch. The value is a member's own, so whatever all members satisfy about this one variable holds, provided
    that the member's text is copied. The rank depends on all frequencies of the variable, so that two variables may
    have different ranks: of (0, 0), (0, 0), (0, 0), (2, 3), (3, 3), (3, 3) the convex medians are (2, 0), although V1
    is at most V2 in every member.
    """

    name = "convex median"
    traits = OperatorTraits(scales=(Scale.NUMERIC, Scale.ORDINAL), copies="value")

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Everything about one variable is preserved, nothing across variables is."""
        return judge(formula, _atom_verdict, picks_member=True)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the convex medians, one row per group; here the lower median is 1.

        >>> values = np.array([[1.0], [1.0], [1.0], [2.0], [3.0], [3.0]])
        >>> ConvexMedian().representatives(values, Groups(np.zeros(6, int))).tolist()
        [[2.0]]
        """
        return chosen_values(self.choose, values, groups, weights)

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return, for every group, the first member in the file that has the convex median, to copy its text."""
        members = SortedMembers.of(values, groups)
        run_groups = groups.label[members.rows[members.run_starts]]
        count = members.run_sizes if weights is None else members.run_weights(weights, groups)
        below = np.cumsum(_raised(count, run_groups))
        ends = np.flatnonzero(np.diff(run_groups, append=len(groups)))
        before = np.append(0, below[ends[:-1]])
        middle = before + (below[ends] - before + 1) // 2
        return members.first_of_run(np.searchsorted(below, middle))


REGISTERED = {"convex median": ConvexMedian()}


def _raised(count: npt.NDArray[np.int64], run_groups: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the raised frequency of every run; runs are sorted by group, then by value."""
    frequencies, order = np.unique(count, return_inverse=True)
    up_to = _running_maximum(order, run_groups, len(frequencies))
    from_it = _running_maximum(order[::-1], run_groups.max() - run_groups[::-1], len(frequencies))[::-1]
    raised: npt.NDArray[np.int64] = frequencies[np.minimum(up_to, from_it)]
    return raised


def _running_maximum(
    order: npt.NDArray[np.int64], run_groups: npt.NDArray[np.int64], limit: int
) -> npt.NDArray[np.int64]:
    """Return the largest of the numbers below `limit` so far in each group; groups are in ascending order."""
    offset = run_groups * limit  # lifts every group above those before it
    largest: npt.NDArray[np.int64] = np.maximum.accumulate(order + offset) - offset
    return largest


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    del atom
    return NotCovered(because("convex-medians-of-several"))
