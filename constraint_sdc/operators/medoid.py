"""The medoid: the actual record nearest to the group's mean. It preserves every rule, but publishes a real record."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.constraint import Formula
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.arithmetic_mean import group_means
from constraint_sdc.operators.operator import OperatorTraits, OperatorVerdict, Preserved
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale


class Medoid:
    """The member closest to the group's mean, all of whose values are taken together.

    Proof sketch. The representative is a member, every member satisfies the rule, and a record-local rule reads nothing
    else. This holds for opaque rules, for disjunctions and for `!=`, on two conditions that the plan ensures: all
    variables of the rule are in the block, and the rule reads only its own record.

    It has the least cost of all members: the squared distances from member x to the others add up to the group's SSE
    plus m times the squared distance from x to the mean.
    """

    name = "medoid"
    traits = OperatorTraits(scales=tuple(Scale), copies="record")

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Everything record-local is preserved."""
        del formula
        return Preserved(because("actual-record"))

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the medoids' rows, one per group, by distances in the values as given; see `choose`."""
        return values[self.choose(values, groups, weights)]

    def choose(self, points: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return the medoid of every group by distances in `points` (standardised); ties go to the first record.

        >>> Medoid().choose(np.array([[0.0], [9.0], [5.0], [1.0]]), Groups(np.array([0, 0, 0, 1]))).tolist()
        [2, 3]
        """
        distances = _from_mean(points, groups, weights)
        nearest = np.repeat(np.minimum.reduceat(distances, groups.starts), groups.sizes)
        candidates: Rows = groups.order[distances == nearest]
        is_first = np.diff(groups.label[candidates], prepend=-1) > 0
        return candidates[is_first]


REGISTERED = {"medoid": Medoid()}


def _from_mean(points: Points, groups: Groups, weights: Weights | None) -> Points:
    """Return each member's squared distance to its group's mean, in the order of `groups.order`."""
    with np.errstate(over="ignore"):
        deviations = points[groups.order] - np.repeat(group_means(points, groups, weights), groups.sizes, axis=0)
        squares: Points = np.square(deviations).sum(axis=1)
    return squares
