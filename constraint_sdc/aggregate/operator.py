"""What every operator does: it makes one value out of a group's values, and says which constraints survive that."""

from __future__ import annotations

from typing import Protocol

from constraint_sdc.model.cloud import Weights
from constraint_sdc.model.constraint import Formula
from constraint_sdc.model.groups import Groups, Points
from constraint_sdc.model.operator_verdict import OperatorVerdict
from constraint_sdc.model.policy import OperatorName


class Operator(Protocol):
    """One way to represent a group.

    An operator is applied only where every member has the value: records are stratified by their pattern of missing
    values first. So `if_missing` of an atom never matters to a verdict, and presence is always preserved.
    """

    @property
    def name(self) -> OperatorName:
        """Return the name in recipes and plans."""
        ...

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Tell whether a formula that every member satisfies holds for the representative.

        All of the formula's variables are aggregated by this operator, over the same group. Across variables,
        `Preserved` speaks of comparisons that write each variable once.
        """
        ...

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return one row per group, from `values` of n records x d variables without NaN.

        `weights` are how much each record counts, positive; without them all count alike.
        """
        ...
