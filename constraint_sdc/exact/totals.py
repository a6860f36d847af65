"""Totals computed for every record by the rule's own expression, as the texts that are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.table import Column
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.evaluate.truth import evaluate_number
from constraint_sdc.evaluate.value import Records
from constraint_sdc.exact.candidates import Candidates, set_found
from constraint_sdc.plan.design import Total
from constraint_sdc.plan.read_series import make_series
from constraint_sdc.plan.totals import as_doubles
from constraint_sdc.settings.words import Scale, VariableWish


@dataclass(frozen=True, slots=True)
class TotalValues:
    """One total over all records: its texts and numbers, and the records in which its expression gives a number.

    The other records are blank as the total is blank in the original. `lacking` counts them if it is blank nowhere.
    """

    column: Column
    values: Floats
    is_number: Flags
    lacking: int


def compute_totals(
    totals: Sequence[Total],
    columns: Mapping[str, Column],
    count: int,
    domains: Mapping[Outside, Domain],
    *,
    is_xpath1: bool,
) -> dict[str, TotalValues]:
    """Return every total; `columns` are all variables after masking, and a total may be a part of a later one.

    The number is rounded to the grid of the total. Whether the rule then holds is for the caller to evaluate.
    """
    known, found = dict(columns), dict[str, TotalValues]()
    for total in totals:
        parts = {part: known[part] for part in total.parts}
        found[total.name] = _computed(total, parts, count, domains, is_xpath1)
        known[total.name] = found[total.name].column
    return found


def _computed(
    total: Total, parts: Mapping[str, Column], count: int, domains: Mapping[Outside, Domain], is_xpath1: bool
) -> TotalValues:
    numbers = evaluate_number(total.expression, Records(parts, count), xpath1=is_xpath1, domains=domains)
    is_number = np.zeros(count, np.bool_)
    if numbers is not None:
        is_number = ~numbers.unsure & np.isfinite(as_doubles(numbers))
        for part, column in parts.items():
            as_read = make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), total.codes[part])
            is_number &= ~as_read.is_blank
    cells = Candidates.blank((total.series,), np.arange(count))
    rest, blank = np.flatnonzero(~is_number), np.flatnonzero(total.series.is_blank)
    if numbers is not None:
        set_found(cells, 0, np.flatnonzero(is_number), numbers)
    if len(rest) and len(blank):
        cells.copy_cells(0, rest, np.full(len(rest), blank[0]))
    lacking = 0 if len(blank) else len(rest)
    return TotalValues(cells.columns()[total.name], cells.values[:, 0], is_number, lacking)
