"""The groups that already have a representative, and the step that found it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from constraint_sdc.arrays import Floats, Points, Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import Series
from constraint_sdc.exact.block_judge import BlockJudge
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.plan.plan import ExactStep

# The cost of a representative: its squared standardised distance from the operators' values.


class Costs:
    """Costs against `targets` (g x d): the operators' values, NaN where there is none to average.

    `limit[g]` is the cost of the group's nearest member plus a step of the grid: a representative that costs more is no
    better than an actual record.
    """

    def __init__(self, series: Sequence[Series], groups: Groups, targets: Points) -> None:
        self._targets = targets
        self._deviations = np.array([one.deviation for one in series])
        values = np.array([one.values for one in series]).T
        members = self.of(values[groups.order], groups.label[groups.order])
        steps = [float(one.grid.step or 0) / one.deviation for one in series]
        self.limit: Floats = np.minimum.reduceat(members, groups.starts) + sum(step**2 for step in steps) + 1e-9

    def of(self, values: Points, groups: Rows) -> Floats:
        """Return the cost of values (c x d), each row for its group; cells without a number cost nothing."""
        gaps = values / self._deviations - self._targets[groups] / self._deviations
        cost: Floats = np.nansum(gaps**2, axis=1)
        return cost


@dataclass(slots=True)
class Settlement:
    """`best` has a candidate per group; those of groups in `left` do not satisfy the rules yet."""

    judge: BlockJudge
    costs: Costs
    best: Candidates
    left: Rows
    step: dict[int, ExactStep] = field(default_factory=dict)
    _dear: dict[int, tuple[float, Candidates, ExactStep]] = field(default_factory=dict)

    @property
    def _copies_everything(self) -> bool:
        """Tell whether the plan takes every variable of the block from one record."""
        variables = self.judge.design.plan.variables
        return all(variable.traits.copies_a_record for variable in variables)

    def settle(self, proposed: Candidates, step: ExactStep) -> None:
        """Keep the cheapest proposal of each group that passes.

        A proposal that costs more than an actual record is kept as a fallback.
        """
        passing = proposed.take(np.flatnonzero(self.judge.passing(proposed)))
        costs = self.costs.of(passing.values, passing.group)
        is_dear = costs > self.costs.limit[passing.group]
        for place in np.flatnonzero(is_dear).tolist():
            self._remember(float(costs[place]), passing.take(np.array([place])), step)
        order = np.flatnonzero(~is_dear)[np.argsort(costs[~is_dear], kind="stable")]
        groups, first = np.unique(passing.group[order], return_index=True)
        self._keep(groups, passing.take(order[first]), step)

    def settle_at_last(self, proposed: Candidates, step: ExactStep = ExactStep.MEDOID) -> None:
        """Keep the first proposal of each group that passes, or its fallback if that costs no more."""
        passing = proposed.take(np.flatnonzero(self.judge.passing(proposed)))
        groups, first = np.unique(passing.group, return_index=True)
        first_ones = passing.take(first)
        costs = self.costs.of(first_ones.values, groups)
        for place, group in enumerate(groups.tolist()):
            if group in self._dear and self._dear[group][0] <= costs[place]:
                self.settle_by_waiting(group)
            else:
                self._keep(np.array([group]), first_ones.take(np.array([place])), step)

    def settle_by_waiting(self, group: int) -> bool:
        """Keep the fallback of a group; tell whether there is one."""
        if group not in self._dear:
            return False
        _, waiting, step = self._dear[group]
        self._keep(np.array([group]), waiting, step)
        return True

    def _remember(self, cost: float, candidate: Candidates, step: ExactStep) -> None:
        group = int(candidate.group[0])
        if group not in self._dear or cost < self._dear[group][0]:
            self._dear[group] = cost, candidate, step

    def _keep(self, groups: Rows, candidates: Candidates, step: ExactStep) -> None:
        self.best.put(groups, candidates)
        is_record = candidates.are_records() & (step is ExactStep.ANCHORED or self._copies_everything)
        for group, whole in zip(groups.tolist(), is_record.tolist(), strict=True):
            self.step[group] = ExactStep.MEDOID if whole else step
        self.left = np.setdiff1d(self.left, groups)
