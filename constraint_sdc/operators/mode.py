"""The mode: the most frequent value, for codes without an order."""

from __future__ import annotations

import numpy as np

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


class Mode:
    """Each variable's most frequent value in the group; among equally frequent ones the smallest (of codes: the least).

    Proof sketch. The value is a member's own, so whatever all members satisfy about this one variable holds, provided
    that the member's text is copied. Modes of two variables may come from different members: of (1, 2), (1, 3), (0, 1),
    (5, 1) the modes are (1, 1), although V1 differs from V2 in every member.
    """

    name = "mode"
    traits = OperatorTraits(scales=tuple(Scale), copies="value")

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Everything about one variable is preserved, nothing across variables is."""
        return judge(formula, _atom_verdict, picks_member=True)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the modes, one row per group.

        >>> Mode().representatives(np.array([[7.0], [3.0], [7.0], [1.0]]), Groups(np.zeros(4, int))).tolist()
        [[7.0]]
        """
        return chosen_values(self.choose, values, groups, weights)

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return, for every group, the first member in the file that has the mode, to copy its text.

        `values` are one variable's numbers or codes; different texts of one number (`1` and `1.0`) have different
        codes.
        """
        members = SortedMembers.of(values, groups)
        run_groups = groups.label[members.rows[members.run_starts]]
        # The sort is stable: among runs of equal weight, the run of the smallest value stays first.
        count = members.run_sizes if weights is None else members.run_weights(weights, groups)
        best_first = np.lexsort((-count, run_groups)).astype(np.int64)
        is_best = np.diff(run_groups[best_first], prepend=-1) > 0
        return members.first_of_run(best_first[is_best])


REGISTERED = {"mode": Mode()}


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    del atom
    return NotCovered(because("modes-of-several"))
