"""Dependents computed by the rules' own expressions, over all candidates at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.number import Numbers, evaluate_number
from constraint_sdc.evaluate.records import Records
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.model.design import Derivation
from constraint_sdc.model.expression import Outside, variables_of
from constraint_sdc.model.grid import Grid
from constraint_sdc.model.groups import Groups, Rows
from constraint_sdc.model.table import Column, Table


@dataclass(frozen=True, slots=True)
class Deriver:
    """Computes derivations; unmasked variables are read from the first record of the candidate's group."""

    groups: Groups
    table: Table
    others: tuple[str, ...]
    domains: Mapping[Outside, Domain]
    is_xpath1: bool

    def derive(self, candidates: Candidates, derivations: Sequence[Derivation]) -> None:
        """Set each derived variable in turn; one that has no number for a candidate stays as it was."""
        place = {series.name: j for j, series in enumerate(candidates.series)}
        everyone = np.arange(len(candidates))
        for derivation in derivations:
            columns = self._columns(candidates, variables_of(derivation.expression))
            records = Records(columns, len(candidates))
            found = evaluate_number(derivation.expression, records, xpath1=self.is_xpath1, domains=self.domains)
            if found is not None:
                _set(candidates, place[derivation.variable], everyone[~found.unsure], found)

    def _columns(self, candidates: Candidates, names: Sequence[str]) -> dict[str, Column]:
        columns = {name: column for name, column in candidates.columns().items() if name in names}
        first = self.groups.order[self.groups.starts[candidates.group]]
        for name in self.others:
            if name in names and name in self.table.columns:
                columns[name] = self.table.columns[name].take(first)
        return columns


def _set(candidates: Candidates, variable: int, rows: Rows, numbers: Numbers) -> None:
    if numbers.doubles is not None:
        candidates.set_numbers(variable, rows, numbers.doubles[rows])
        return
    assert numbers.mantissa is not None
    decimals = candidates.series[variable].grid.decimals
    for row in rows.tolist():
        mantissa, scale = int(numbers.mantissa[row]), numbers.scale
        goal = scale if decimals is None else decimals
        on_grid = mantissa * 10 ** (goal - scale) if goal >= scale else _half_even(mantissa, 10 ** (scale - goal))
        candidates.values[row, variable] = on_grid / 10**goal
        grid = candidates.series[variable].grid if decimals is not None else Grid(scale)
        text = grid.text(on_grid)
        candidates.set_texts(variable, np.array([row]), [text])


def _half_even(mantissa: int, divisor: int) -> int:
    whole, rest = divmod(mantissa, divisor)
    return whole + (2 * rest > divisor or (2 * rest == divisor and whole % 2 == 1))
