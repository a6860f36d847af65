"""The check of candidates by the rules' own expressions: every rule of a block, for every record of the group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.table import Table
from constraint_sdc.exact.candidates import NOT_COPIED, Candidates
from constraint_sdc.judge.rule_set import Evaluate
from constraint_sdc.plan.design import BlockDesign


@dataclass(frozen=True, slots=True)
class BlockJudge:
    """A rule must hold for every record that satisfied it before; `held` has these records by rule.

    A rule that cannot be evaluated here holds if its variables are copied together from a record that satisfied it.
    """

    design: BlockDesign
    groups: Groups
    table: Table
    held: Mapping[str, Flags]
    evaluate: Evaluate

    def passing(self, candidates: Candidates) -> Flags:
        """Tell which candidates may represent their groups."""
        return np.asarray(self.verdicts(candidates).all(axis=1), np.bool_)

    def verdicts(self, candidates: Candidates) -> Flags:
        """Tell which rules (columns) a candidate satisfies, for every record of its group."""
        if not len(candidates) or not self.design.rules:
            return np.ones((len(candidates), len(self.design.rules)), np.bool_)
        return self._each(candidates) if self.design.others else self._alike(candidates)

    def _alike(self, candidates: Candidates) -> Flags:
        """Judge rules that read masked variables only: the verdict is the same for all records of a group."""
        found = self.evaluate(candidates.columns(), len(candidates))
        holds = np.zeros((len(candidates), len(self.design.rules)), np.bool_)
        for place, rule in enumerate(self.design.rules):
            held = self._held_by_any(rule.id)[candidates.group]
            holds[:, place] = ~held | self._copied(rule.id, candidates) | found.get(rule.id, np.False_)
        return holds

    def _held_by_any(self, rule: str) -> Flags:
        return np.logical_or.reduceat(self.held[rule][self.groups.order], self.groups.starts)

    def _each(self, candidates: Candidates) -> Flags:
        """Judge every candidate on every record of its group, with that record's own unmasked values."""
        sizes = self.groups.sizes[candidates.group]
        which = np.repeat(np.arange(len(candidates)), sizes)
        starts = np.cumsum(sizes) - sizes
        within = np.arange(len(which)) - np.repeat(starts, sizes)
        records = self.groups.order[self.groups.starts[candidates.group][which] + within]
        columns = {name: column.take(which) for name, column in candidates.columns().items()}
        for name in self.design.others:
            if name in self.table.columns:
                columns[name] = self.table.columns[name].take(records)
        found = self.evaluate(columns, len(which))
        holds = np.zeros((len(candidates), len(self.design.rules)), np.bool_)
        for place, rule in enumerate(self.design.rules):
            each = ~self.held[rule.id][records] | found.get(rule.id, np.False_)
            each |= self._copied(rule.id, candidates)[which] & self._same_others(rule.id, candidates, which, records)
            holds[:, place] = np.logical_and.reduceat(each, starts)
        return holds

    def _copied(self, rule: str, candidates: Candidates) -> Flags:
        """Tell where all variables of the rule come from one record that satisfied it."""
        names = self.variables(rule)
        mine = [j for j, series in enumerate(candidates.series) if series.name in names]
        if not mine:
            return np.zeros(len(candidates), np.bool_)
        sources = candidates.source[:, mine]
        is_one: Flags = (sources == sources[:, :1]).all(axis=1) & (sources[:, 0] != NOT_COPIED)
        return is_one & self.held[rule][np.where(is_one, sources[:, 0], 0)]

    def variables(self, rule: str) -> frozenset[str]:
        """Return the variables that a rule reads."""
        return frozenset(next(plan.variables for plan in self.design.plan.rules if plan.rule == rule))

    def _same_others(
        self, rule: str, candidates: Candidates, which: npt.NDArray[np.int64], records: npt.NDArray[np.int64]
    ) -> Flags:
        """Tell where a rule's unmasked values equal those of the record that its masked values were copied from."""
        names = self.variables(rule)
        mine = [j for j, series in enumerate(candidates.series) if series.name in names]
        sources = np.maximum(candidates.source[:, mine].max(axis=1, initial=0), 0)[which]
        same = np.ones(len(which), np.bool_)
        for name in self.design.others:
            column = self.table.columns.get(name)
            if column is not None and name in names:
                texts = np.array(column.texts(), dtype=object)
                same &= texts[sources] == texts[records]
        return same
