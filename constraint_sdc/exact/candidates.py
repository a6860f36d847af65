"""Candidates for representatives: one row per candidate, one cell per variable, as the text that would be written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Rows
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.series import EXACT_MANTISSA, Grid, Series
from constraint_sdc.data.table import Column, State, Table, column_of
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside, variables_of
from constraint_sdc.evaluate.truth import Numbers, evaluate_number
from constraint_sdc.evaluate.value import Records
from constraint_sdc.plan.design import Derivation

NOT_COPIED = -1


@dataclass(slots=True)
class Candidates:
    """`group[c]` is the group that candidate c represents.

    `values` (c x d) are the numbers, `texts` (c x d) the texts to write, `states` the `State` codes. `source` is the
    record from which a cell is copied unchanged, or NOT_COPIED.
    """

    series: Sequence[Series]
    group: Rows
    values: npt.NDArray[np.float64]
    texts: npt.NDArray[Any]
    states: npt.NDArray[np.uint8]
    source: Rows

    @classmethod
    def blank(cls, series: Sequence[Series], group: Rows) -> Candidates:
        """Return empty candidates for these groups."""
        shape = (len(group), len(series))
        return cls(
            series,
            group,
            np.full(shape, np.nan),
            np.full(shape, "", dtype=object),
            np.full(shape, State.VALUE, np.uint8),
            np.full(shape, NOT_COPIED, np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """Return all candidates of several parts, one part after the other."""
        return cls(
            parts[0].series,
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.texts for part in parts]),
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.source for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.group)

    def take(self, rows: Rows) -> Candidates:
        """Return a copy of some candidates; a row may occur several times."""
        return Candidates(
            self.series,
            self.group[rows],
            self.values[rows],
            self.texts[rows],
            self.states[rows],
            self.source[rows],
        )

    def put(self, rows: Rows, better: Candidates) -> None:
        """Replace the candidates in these rows."""
        self.values[rows] = better.values
        self.texts[rows] = better.texts
        self.states[rows] = better.states
        self.source[rows] = better.source

    def copy_cells(self, variable: int, rows: Rows, records: Rows) -> None:
        """Copy a variable from actual records: text, state and number as in the file."""
        series = self.series[variable]
        column = series.column
        self.values[rows, variable] = series.values[records]
        self.states[rows, variable] = column.state[records]
        self.source[rows, variable] = records
        self.texts[rows, variable] = _objects(_texts_of(column, records))
        if series.grid.decimals is not None:
            # Only a grid set by the recipe can be coarser than the values: then they are rounded, not copied.
            steps = series.values[records] * series.grid.scale
            off = np.isfinite(steps) & (np.abs(steps - np.rint(steps)) > 1e-6 * np.maximum(np.abs(steps), 1.0))
            self.set_numbers(variable, rows[off], series.values[records][off])

    def copy_records(self, records: Rows) -> None:
        """Copy every variable of candidate c from record `records[c]`."""
        rows = np.arange(len(self))
        for variable in range(len(self.series)):
            self.copy_cells(variable, rows, records)

    def set_numbers(self, variable: int, rows: Rows, numbers: npt.NDArray[np.float64]) -> None:
        """Round numbers to the variable's grid and write them.

        Cells with a number that is not finite, or beyond the calendar of a grid of days, do not change.
        """
        grid = self.series[variable].grid
        low, high = grid.limits
        finite = np.isfinite(numbers) & (np.rint(numbers) >= low) & (np.rint(numbers) <= high)
        rows, numbers = rows[finite], numbers[finite]
        if grid.decimals is None:
            mantissas = numbers + 0.0
            self.values[rows, variable] = mantissas
        else:
            mantissas = np.rint(numbers * grid.scale) + 0.0
            self.values[rows, variable] = mantissas / grid.scale
        self.set_texts(variable, rows, grid.texts(mantissas))

    def set_texts(self, variable: int, rows: Rows, texts: Sequence[str]) -> None:
        """Write the texts of numbers that `values` already has."""
        self.texts[rows, variable] = _objects(texts)
        self.states[rows, variable] = State.VALUE
        self.source[rows, variable] = NOT_COPIED

    def are_records(self) -> npt.NDArray[np.bool_]:
        """Tell which candidates are complete copies of one record."""
        is_one = (self.source == self.source[:, :1]).all(axis=1) & (self.source[:, 0] != NOT_COPIED)
        return np.asarray(is_one, np.bool_)

    def columns(self, names: Collection[str] | None = None) -> Mapping[str, Column]:
        """Return the candidates as columns of text, as in a file: all variables, or those with these names."""
        return {
            series.name: column_of(series.name, self.texts[:, j].tolist(), (self.states[:, j] == State.NIL).tolist())
            for j, series in enumerate(self.series)
            if names is None or series.name in names
        }


def _texts_of(column: Column, records: Rows) -> list[str | None]:
    """Return the texts of some records; unlike `Column.texts`, without a copy of the whole column."""
    raw = column.buffer.data
    spans = zip(column.start[records].tolist(), column.stop[records].tolist(), strict=True)
    texts: list[str | None] = [str(raw[start:stop], "utf-8") for start, stop in spans]
    for place in np.flatnonzero(column.state[records] == State.ABSENT).tolist():
        texts[place] = None
    return texts


def _objects(texts: Sequence[str | None]) -> npt.NDArray[Any]:
    found = np.empty(len(texts), dtype=object)
    found[:] = texts
    return found


# Derived variables, computed by the rules' own expressions for all candidates at once.


@dataclass(frozen=True, slots=True)
class Deriver:
    """Computes derivations; unmasked variables are read from the first record of the candidate's group."""

    groups: Groups
    table: Table
    others: tuple[str, ...]
    domains: Mapping[Outside, Domain]
    is_xpath1: bool

    def derive(self, candidates: Candidates, derivations: Sequence[Derivation]) -> None:
        """Set each derived variable in turn; a result that is not a number leaves the cell unchanged."""
        place = {series.name: j for j, series in enumerate(candidates.series)}
        everyone = np.arange(len(candidates))
        for derivation in derivations:
            columns = self._columns(candidates, variables_of(derivation.expression))
            records = Records(columns, len(candidates))
            found = evaluate_number(
                derivation.expression, records, xpath1=self.is_xpath1, domains=self.domains, guesses=True
            )
            if found is not None:
                set_found(candidates, place[derivation.variable], everyone[~found.unsure], found)

    def _columns(self, candidates: Candidates, names: Sequence[str]) -> dict[str, Column]:
        columns = dict(candidates.columns(names))
        first = self.groups.order[self.groups.starts[candidates.group]]
        for name in self.others:
            if name in names and name in self.table.columns:
                columns[name] = self.table.columns[name].take(first)
        return columns


def set_found(candidates: Candidates, variable: int, rows: Rows, numbers: Numbers) -> None:
    """Write the numbers of these candidates, rounded to the variable's grid; a number is no date, and a date no number.

    Cells that would get the other of the two do not change.
    """
    notation = candidates.series[variable].grid.notation
    if (numbers.is_date or notation is not None) and not (numbers.is_date and notation is DateNotation.ISO_DAY):
        return
    if numbers.doubles is not None:
        candidates.set_numbers(variable, rows, numbers.doubles[rows])
        return
    assert numbers.mantissa is not None
    decimals = candidates.series[variable].grid.decimals
    if decimals is not None and _set_small(
        candidates, variable, rows, numbers.mantissa[rows], decimals - numbers.scale
    ):
        return
    for row in rows.tolist():
        mantissa, scale = int(numbers.mantissa[row]), numbers.scale
        goal = scale if decimals is None else decimals
        on_grid = mantissa * 10 ** (goal - scale) if goal >= scale else _half_even(mantissa, 10 ** (scale - goal))
        candidates.values[row, variable] = on_grid / 10**goal
        grid = candidates.series[variable].grid if decimals is not None else Grid(scale)
        text = grid.text(on_grid)
        candidates.set_texts(variable, np.array([row]), [text])


def _set_small(candidates: Candidates, variable: int, rows: Rows, mantissas: npt.NDArray[np.int64], shift: int) -> bool:
    """Write numbers whose mantissas are doubles, all at once; `shift` decimals are missing. Tell whether they are."""
    factor = 10 ** abs(shift)
    most = max(int(mantissas.max(initial=1)), -int(mantissas.min(initial=-1)))
    if max(factor, most * (factor if shift > 0 else 1)) >= EXACT_MANTISSA:
        return False
    if shift >= 0:
        on_grid = mantissas * factor
    else:
        whole, rest = np.divmod(mantissas, factor)
        on_grid = whole + ((2 * rest > factor) | ((2 * rest == factor) & (whole % 2 == 1)))
    grid = candidates.series[variable].grid
    steps = on_grid.astype(np.float64)
    candidates.values[rows, variable] = steps / grid.scale
    candidates.set_texts(variable, rows, grid.texts(steps))
    return True


def _half_even(mantissa: int, divisor: int) -> int:
    whole, rest = divmod(mantissa, divisor)
    return whole + (2 * rest > divisor or (2 * rest == divisor and whole % 2 == 1))
