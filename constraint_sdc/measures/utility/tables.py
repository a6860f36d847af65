"""Tables of categories before and after masking: J. Domingo-Ferrer and V. Torra, 2001, contingency-table loss.

Analysts of categories count. So the one-way and two-way tables of both files are compared, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Codes, Counts
from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import counted, mean_of, not_measured
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

MOST_PAIRS = 66
"""The most two-way tables: those of twelve variables."""


@dataclass(frozen=True, slots=True)
class TableDistance:
    """How far one table moved, in per cent: 0 if no count changed, 100 if no cell is filled in both files.

    `moved` is the share of records that would have to change their cell to undo it, half the sum of absolute
    differences. `chi_square` is Cramer's V: the root of chi-square of both tables as samples, over its largest value.
    """

    names: tuple[str, ...]
    cells: int
    moved: float
    chi_square: float


def table_distance(names: tuple[str, ...], before: Counts, after: Counts) -> TableDistance:
    """Return the distance of two tables of the same cells and the same number of records, at least one.

    >>> table_distance(("Sex",), np.array([6, 4]), np.array([5, 5])).moved
    10.0
    """
    records, apart, together = int(before.sum()), np.abs(before - after), before + after
    filled = together > 0
    square = float((apart[filled] ** 2 / together[filled]).sum())
    moved = 100.0 * float(apart.sum()) / (2 * records)
    return TableDistance(names, int(filled.sum()), moved, 100.0 * float(np.sqrt(square / (2 * records))))


def counts_of(variables: Sequence[Compared]) -> tuple[Counts, Counts]:
    """Return how often each combination of values occurs before and after; blank is a value."""
    both = [np.concatenate((v.original_code, v.masked_code)) for v in variables]
    label = combined(both)
    cells, half = int(label.max(initial=-1)) + 1, len(label) // 2
    return np.bincount(label[:half], minlength=cells), np.bincount(label[half:], minlength=cells)


def combined(columns: Sequence[Codes]) -> Codes:
    """Number the combinations of codes without a gap."""
    label = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, code = np.unique(column, return_inverse=True)
        _, label = np.unique(label * (code.max(initial=0) + 1) + code, return_inverse=True)
    return label.astype(np.int64)


def categories_of(pair: Pair) -> list[Compared]:
    """Return the variables of both files that are categories, masked or not."""
    return [v for v in pair.variables if v.scale is not Scale.NUMERIC]


def changed_pairs(variables: Sequence[Compared]) -> list[tuple[Compared, Compared]]:
    """Return the pairs of categories of which at least one is masked."""
    return [(a, b) for a, b in combinations(variables, 2) if a.is_masked or b.is_masked]


class TableLoss:
    """The distance of one-way and two-way tables of categories, absolute and by chi-square."""

    name: ClassVar[str] = "tables"
    title: ClassVar[str] = "Tables of categories"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the mean distances over the tables that masking can have changed."""
        variables = categories_of(pair)
        masked = [v for v in variables if v.is_masked]
        if not masked or not len(pair):
            return not_measured(self.name, self.title, _figures((), ()), _why_not(masked))
        pairs = changed_pairs(variables)
        one = tuple(table_distance((v.name,), *counts_of((v,))) for v in masked)
        two = tuple(table_distance((a.name, b.name), *counts_of((a, b))) for a, b in pairs[:MOST_PAIRS])
        notes = tuple(left_out_pairs(len(pairs), MOST_PAIRS))
        return Measured(self.name, self.title, _figures(one, two), _says(one, two), (_table((*one, *two)),), notes)


REGISTERED = {"tables": TableLoss()}


def _why_not(masked: Sequence[Compared]) -> Reason:
    return because("no-records") if masked else because("no-masked-category")


def left_out_pairs(pairs: int, most: int) -> Iterator[Reason]:
    """Yield that not all pairs of categories were looked at, if so."""
    if pairs > most:
        yield because("first-pairs-only", pairs=pairs, most=most)


def _figures(one: Sequence[TableDistance], two: Sequence[TableDistance]) -> tuple[Figure, ...]:
    return (
        Figure("one-way", "records moved between cells of one-way tables", mean_of(d.moved for d in one)),
        Figure("two-way", "records moved between cells of two-way tables", mean_of(d.moved for d in two)),
        Figure("one-way-chi-square", "chi-square distance of one-way tables", mean_of(d.chi_square for d in one)),
        Figure("two-way-chi-square", "chi-square distance of two-way tables", mean_of(d.chi_square for d in two)),
        Figure("tables", "tables compared", len(one) + len(two), Unit.COUNT),
    )


def _says(one: Sequence[TableDistance], two: Sequence[TableDistance]) -> str:
    moved, tables = mean_of(d.moved for d in one), counted(len(one), "one-way table")
    said = f"{moved:.2f}% of the records changed their cell in {tables}"
    return (
        f"{said}, {mean_of(d.moved for d in two):.2f}% in {counted(len(two), 'two-way table')}." if two else f"{said}."
    )


def _table(found: Sequence[TableDistance]) -> ResultTable:
    head = ("variables", "cells", "records moved", "chi-square distance")
    units = (None, Unit.COUNT, Unit.PERCENT, Unit.PERCENT)
    rows = tuple((" x ".join(d.names), d.cells, d.moved, d.chi_square) for d in found)
    return ResultTable("margins", "One-way and two-way tables", head, units, rows)
