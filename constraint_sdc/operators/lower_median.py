"""The lower median: an order statistic, so it is a value that occurs, lies between the extremes, and is monotone."""

from __future__ import annotations

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.constraint import Formula, LinearAtom
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.operator import (
    NotCovered,
    OperatorTraits,
    OperatorVerdict,
    Preserved,
    ValueAtom,
    chosen_values,
    judge,
)
from constraint_sdc.operators.order_statistic import members_of_rank
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale


class LowerMedian:
    """Each variable's ceil(m / 2)-th smallest of the group's m values, a record of weight w counting w times.

    Proof sketch. About one variable: the value is a member's own, so whatever all members satisfy holds, provided that
    the member's text is copied. Across two, let f be computed from x and y, never decreasing in x and never increasing
    in y (V1 - c * V2 with c > 0), and let f(x, y) <= c for all m members. With r the rank of the median, at least
    m - r + 1 members have x >= x_(r) and at least r have y <= y_(r): together more than m, so one member has both, and
    f(x_(r), y_(r)) <= f(x, y) <= c by its monotonicity. The reverse argument gives >=, both give =, and strict signs
    stay strict. Only the monotonicity of f is used, and every operation in double or decimal is monotone in each
    operand: the claim is exact to the digit for a comparison that writes each variable once. If f grows with both (V1 +
    V2 <= c), the member with both properties need not exist.
    """

    name = "lower median"
    traits = OperatorTraits(scales=(Scale.NUMERIC, Scale.ORDINAL), copies="value", is_order_statistic=True)

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Everything about one variable, and V1 op c * V2 + d with c > 0 (not `!=`), is preserved."""
        return judge(formula, _atom_verdict, picks_member=True)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the lower medians, one row per group.

        >>> import numpy as np
        >>> LowerMedian().representatives(np.array([[4.0], [1.0], [3.0], [2.0]]), Groups(np.zeros(4, int))).tolist()
        [[2.0]]
        """
        return chosen_values(self.choose, values, groups, weights)

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return, for every group, the first member in the file that has the median value, to copy its text.

        `values` are one variable's numbers, or codes in its order; verdicts across variables are about numbers.
        """
        return members_of_rank(values, groups, weights, 1, 2)


REGISTERED = {"lower median": LowerMedian()}


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    if not isinstance(atom, LinearAtom):
        return NotCovered(because("medians-of-several"))
    if len(atom.terms) != 2 or (atom.terms[0][1] > 0) == (atom.terms[1][1] > 0):
        return NotCovered(because("medians-of-sum"))
    if atom.op == "!=":
        return NotCovered(because("medians-may-agree"))
    return Preserved(because("order-statistics"))
