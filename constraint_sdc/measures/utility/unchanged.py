"""Unchanged cells: the share of masked cells that keep their value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.data.pair import Compared, Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import counted, not_measured
from constraint_sdc.settings.reason import because


@dataclass(frozen=True, slots=True)
class UnchangedShares:
    """Shares in percent, None if there are no cells. `cells` counts those with a value in at least one file."""

    share: float | None
    records: float | None
    cells: int
    by_variable: tuple[float | None, ...]


def unchanged_shares(variables: Sequence[Compared]) -> UnchangedShares:
    """Return the shares of unchanged cells and of unchanged records.

    A cell that is blank in both files is left out: there was nothing to mask. A value that became blank has changed.
    """
    filled = [np.isfinite(v.original) | np.isfinite(v.masked) for v in variables]
    same = [v.unchanged & is_filled for v, is_filled in zip(variables, filled, strict=True)]
    cells = [int(is_filled.sum()) for is_filled in filled]
    kept = [int(is_same.sum()) for is_same in same]
    by_variable = tuple(map(_percent, kept, cells))
    if not sum(cells):
        return UnchangedShares(None, None, 0, by_variable)
    has_cells = np.logical_or.reduce(filled)
    is_kept = np.logical_and.reduce([s | ~f for s, f in zip(same, filled, strict=True)]) & has_cells
    records = _percent(int(is_kept.sum()), int(has_cells.sum()))
    return UnchangedShares(_percent(sum(kept), sum(cells)), records, sum(cells), by_variable)


def _percent(part: int, whole: int) -> float | None:
    return 100.0 * part / whole if whole else None


class Unchanged:
    """The share of unchanged cells, over the masked variables of any scale."""

    name: ClassVar[str] = "unchanged"
    title: ClassVar[str] = "Unchanged cells"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=100.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the shares in percent, and the number of cells that they are of."""
        variables = [v for v in pair.variables if v.is_masked]
        found = unchanged_shares(variables)
        figures = (
            Figure("unchanged", "cells with the value they had", found.share),
            Figure("records", "records with all the values they had", found.records),
            Figure("cells", "masked cells", found.cells, Unit.COUNT),
        )
        if found.share is None:
            why = because("masked-without-values") if variables else because("nothing-masked")
            return not_measured(self.name, self.title, figures, why)
        blank = [v.name for v, share in zip(variables, found.by_variable, strict=True) if share is None]
        return Measured(
            self.name,
            self.title,
            figures,
            f"{found.share:.2f}% of {counted(found.cells, 'masked cell')} still have the original value, "
            f"and {found.records:.2f}% of the records have all of theirs.",
            (_table(variables, found),),
            (because("without-value", variables=tuple(blank)),) if blank else (),
        )


REGISTERED = {"unchanged": Unchanged()}


def _table(variables: Sequence[Compared], found: UnchangedShares) -> ResultTable:
    rows = tuple((v.name, share) for v, share in zip(variables, found.by_variable, strict=True))
    head = ("variable", "unchanged")
    return ResultTable("by-variable", "Unchanged cells by variable", head, (None, Unit.PERCENT), rows)
