"""Which groups have their representative already, which one, and by which step."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from constraint_sdc.exact.block_judge import BlockJudge
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.costs import Costs
from constraint_sdc.model.groups import Rows
from constraint_sdc.model.plan import Step
from constraint_sdc.model.policy import OperatorName


@dataclass(slots=True)
class Settlement:
    """`best` has a candidate per group; those of groups in `left` do not satisfy the rules yet."""

    judge: BlockJudge
    costs: Costs
    best: Candidates
    left: Rows
    step: dict[int, Step] = field(default_factory=dict)
    _dear: dict[int, tuple[float, Candidates, Step]] = field(default_factory=dict)

    @property
    def _copies_everything(self) -> bool:
        """Tell whether the plan takes every variable of the block from one record."""
        variables = self.judge.design.plan.variables
        return all(variable.operator is OperatorName.MEDOID for variable in variables)

    def settle(self, proposed: Candidates, step: Step) -> None:
        """Keep the cheapest proposal of each group that passes.

        One that costs more than an actual record waits: something better may come.
        """
        passing = proposed.take(np.flatnonzero(self.judge.passing(proposed)))
        costs = self.costs.of(passing.values, passing.group)
        is_dear = costs > self.costs.limit[passing.group]
        for place in np.flatnonzero(is_dear).tolist():
            self._remember(float(costs[place]), passing.take(np.array([place])), step)
        order = np.flatnonzero(~is_dear)[np.argsort(costs[~is_dear], kind="stable")]
        groups, first = np.unique(passing.group[order], return_index=True)
        self._keep(groups, passing.take(order[first]), step)

    def settle_at_last(self, proposed: Candidates, step: Step = Step.MEDOID) -> None:
        """Keep the first proposal of each group that passes, or what waited and turned out to be no dearer."""
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
        """Keep what waited for a group; tell whether there is anything."""
        if group not in self._dear:
            return False
        _, waiting, step = self._dear[group]
        self._keep(np.array([group]), waiting, step)
        return True

    def _remember(self, cost: float, candidate: Candidates, step: Step) -> None:
        group = int(candidate.group[0])
        if group not in self._dear or cost < self._dear[group][0]:
            self._dear[group] = cost, candidate, step

    def _keep(self, groups: Rows, candidates: Candidates, step: Step) -> None:
        self.best.put(groups, candidates)
        is_record = candidates.are_records() & (step is Step.ANCHORED or self._copies_everything)
        for group, whole in zip(groups.tolist(), is_record.tolist(), strict=True):
            self.step[group] = Step.MEDOID if whole else step
        self.left = np.setdiff1d(self.left, groups)
