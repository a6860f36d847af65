"""Which pairs may exchange values: those after which every rule that held holds for both records.

Rules are evaluated by their own expressions on the texts to be written. A rule that cannot be evaluated here allows a
pair only if both records agree in everything else that it reads: each then has, after the swap, the values that the
other had before, and the two verdicts are exchanged. They must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Flags, Rows
from constraint_sdc.data.table import Column, Table
from constraint_sdc.judge.rule_set import Evaluate
from constraint_sdc.plan.design import BlockDesign

_MOST_KNOWN = 50_000_000  # pairs of a record and a text whose verdicts are cached


def text_codes(column: Column) -> Rows:
    """Return a number for every record, the same for the same text and state."""
    codes: dict[tuple[int, str | None], int] = {}
    cells = zip(column.state.tolist(), column.texts(), strict=True)
    return np.array([codes.setdefault(cell, len(codes)) for cell in cells], np.int64)


@dataclass
class SwapRules:
    """The rules of one parameter after swaps of other parameters, and possibly of some of its own values.

    `sources` has the record whose value of each parameter a record has now; `held` which records satisfied a rule
    before masking.
    """

    design: BlockDesign
    table: Table
    held: Mapping[str, Flags]
    evaluate: Evaluate
    sources: Mapping[str, Rows]
    codes_of: Callable[[str], Rows]
    _verdicts: Flags | None = field(default=None, init=False)
    _is_known: Flags | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """Return the parameter."""
        return self.design.series[0].name

    def allowed(self, rows: Rows, others: Rows) -> Flags:
        """Tell which pairs may exchange their values of the parameter."""
        if not self.design.rules:
            return np.ones(len(rows), np.bool_)
        # Both sides of all pairs at once: record `who` with the value that record `whose` has now.
        who, whose = np.concatenate((rows, others)), np.concatenate((others, rows))
        holds = self._all_hold(who, whose)
        for rule in self.design.unevaluated:
            holds &= self._exchanged(rule, who, whose)
        return holds[: len(rows)] & holds[len(rows) :]

    @cached_property
    def _own_codes(self) -> Rows:
        """Return the present text of every record, as a number."""
        return self.codes_of(self.name)[self.sources[self.name]]

    def _all_hold(self, who: Rows, whose: Rows) -> Flags:
        """Tell where all rules that can be evaluated hold; evaluated once for each record and text."""
        texts = int(self._own_codes.max()) + 1
        keys, first, place = np.unique(who * texts + self._own_codes[whose], return_index=True, return_inverse=True)
        who, whose, place = who[first], whose[first], place.reshape(-1)
        if self.table.records * texts > _MOST_KNOWN:
            return self._judged(who, whose)[place]
        if self._verdicts is None or self._is_known is None:
            self._verdicts = np.zeros(self.table.records * texts, np.bool_)
            self._is_known = np.zeros(self.table.records * texts, np.bool_)
        new = np.flatnonzero(~self._is_known[keys])
        if len(new):
            self._verdicts[keys[new]] = self._judged(who[new], whose[new])
            self._is_known[keys[new]] = True
        found: Flags = self._verdicts[keys][place]
        return found

    def _judged(self, who: Rows, whose: Rows) -> Flags:
        found = self.evaluate(self._columns(who, whose), len(who))
        holds = np.ones(len(who), np.bool_)
        for rule in self.design.rules:
            if rule.id not in self.design.unevaluated:
                holds &= ~self.held[rule.id][who] | found[rule.id]
        return holds

    def _columns(self, who: Rows, whose: Rows) -> dict[str, Column]:
        """Return the texts to be written for records `who` with the parameter's values of `whose`."""
        columns = {name: self._now(name, who) for name in self.design.others}
        columns[self.name] = self._now(self.name, whose)
        return columns

    def _now(self, name: str, rows: Rows) -> Column:
        return self.table.columns[name].take(self.sources[name][rows] if name in self.sources else rows)

    def _exchanged(self, rule: str, who: Rows, whose: Rows) -> Flags:
        """Tell where a rule that is not evaluated only exchanges its verdicts, and these are the same."""
        same: Flags = self.held[rule][who] == self.held[rule][whose]
        for name in self.design.reads[rule]:
            if name != self.name:
                codes = self.codes_of(name)
                codes = codes[self.sources[name]] if name in self.sources else codes
                same &= codes[who] == codes[whose]
        return same
