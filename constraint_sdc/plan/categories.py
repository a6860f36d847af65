"""Categories in a plan: how closely two such variables go together, and that they are few enough for distances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from constraint_sdc.errors import UsageError
from constraint_sdc.model.policy import Scale
from constraint_sdc.model.series import Series

_MOST_CELLS = 200_000_000  # numbers in memory, one column for each category


def association(series: Sequence[Series]) -> npt.NDArray[np.float64]:
    """Return Cramér's V of every two variables, from 0 to 1; what the categories are called has no influence.

    A blank is a category of its own. H. Cramér, Mathematical Methods of Statistics, 1946, section 21.9.
    """
    codes = [np.unique(np.where(s.is_blank, -s.blank - 1.0, s.values), return_inverse=True)[1].ravel() for s in series]
    found = np.eye(len(codes))
    for i, one in enumerate(codes):
        for j in range(i):
            found[i, j] = found[j, i] = _cramers_v(one, codes[j])
    return found


def _cramers_v(one: npt.NDArray[np.intp], other: npt.NDArray[np.intp]) -> float:
    rows, columns = np.bincount(one), np.bincount(other)
    freedom = min(len(rows), len(columns)) - 1
    if freedom < 1:
        return 0.0
    cells, count = np.unique(one * len(columns) + other, return_counts=True)
    expected = rows[cells // len(columns)].astype(np.float64) * columns[cells % len(columns)]
    squared = float((count.astype(np.float64) ** 2 / expected).sum()) - 1.0
    return float(np.sqrt(min(max(squared / freedom, 0.0), 1.0)))


def refuse_too_many_categories(series: Sequence[Series], records: int) -> None:
    """Refuse a nominal variable of which every record has a value of its own, more or less, in a large file."""
    columns = {one.name: _columns(one) for one in series}
    if records * sum(columns.values()) > _MOST_CELLS:
        worst = max(columns, key=lambda name: columns[name])
        hint = "leave it out, or convert it to fewer categories first"
        raise UsageError(f"{worst} has {columns[worst]:,} categories, too many for {records:,} records", hint=hint)


def _columns(series: Series) -> int:
    return int(np.nanmax(series.values, initial=0.0)) + 1 if series.scale is Scale.NOMINAL else 1
