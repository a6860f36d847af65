"""Order statistics: the value of one rank in the group, such as the minimum or a quartile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Points, Rows, Weights
from constraint_sdc.constraints.constraint import Formula, LinearAtom
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.operator import (
    NotCovered,
    OperatorTraits,
    OperatorVerdict,
    Preserved,
    SortedMembers,
    ValueAtom,
    chosen_values,
    judge,
    whole_weights,
)
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale


@dataclass(frozen=True)
class OrderStatistic:
    """Each variable's ceil(m * part / of)-th smallest of the group's m values, at least the smallest.

    A record of weight w counts w times, which does not move an extreme. The proof is that of `LowerMedian`: it uses
    nothing of the rank but that it is the same for both variables.
    """

    name: str
    part: int
    of: int
    traits: ClassVar[OperatorTraits] = OperatorTraits(
        scales=(Scale.NUMERIC, Scale.ORDINAL), copies="value", is_order_statistic=True
    )

    def verdict(self, formula: Formula) -> OperatorVerdict:
        """Everything about one variable, and V1 op c * V2 + d with c > 0 (not `!=`), is preserved."""
        return judge(formula, _atom_verdict, picks_member=True)

    def representatives(self, values: Points, groups: Groups, weights: Weights | None = None) -> Points:
        """Return the values of this rank, one row per group.

        >>> values = np.array([[4.0], [1.0], [3.0], [2.0]])
        >>> OrderStatistic("upper quartile", 3, 4).representatives(values, Groups(np.zeros(4, int))).tolist()
        [[3.0]]
        """
        return chosen_values(self.choose, values, groups, weights)

    def choose(self, values: Points, groups: Groups, weights: Weights | None = None) -> Rows:
        """Return, for every group, the first member in the file that has the value, to copy its text."""
        return members_of_rank(values, groups, weights, self.part, self.of)


def members_of_rank(values: Points, groups: Groups, weights: Weights | None, part: int, of: int) -> Rows:
    """Return, for every group, the first member in the file with the value of rank ceil(m * part / of), at least 1."""
    members = SortedMembers.of(values, groups)
    if weights is None:
        rank = np.maximum(-(-groups.sizes * part // of), 1)
        return members.first_of_run(members.run_at(groups.starts + rank - 1))
    below = np.cumsum(whole_weights(weights, groups)[members.rows])
    ends = groups.starts + groups.sizes - 1
    before = np.append(0, below[ends[:-1]])
    rank = np.maximum(-(-(below[ends] - before) * part // of), 1)
    return members.first_of_run(members.run_at(np.searchsorted(below, before + rank)))


def _atom_verdict(atom: ValueAtom) -> OperatorVerdict:
    if not isinstance(atom, LinearAtom):
        return NotCovered(because("ranks-of-several"))
    if len(atom.terms) != 2 or (atom.terms[0][1] > 0) == (atom.terms[1][1] > 0):
        return NotCovered(because("ranks-of-sum"))
    if atom.op == "!=":
        return NotCovered(because("ranks-may-agree"))
    return Preserved(because("order-statistics"))
