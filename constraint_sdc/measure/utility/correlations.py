"""Correlations: the Pearson correlation of every pair of variables, before and after."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from constraint_sdc.measure.utility.second_moments import second_moments
from constraint_sdc.measure.utility.wording import counted, mean_of, not_measured
from constraint_sdc.measure.utility.yardstick import complete, finite, yardstick
from constraint_sdc.model.assessment import Figure, Measured, ResultTable, Unit
from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Floats, Pair


@dataclass(frozen=True, slots=True)
class CorrelationChanges:
    """An entry per pair of variables (1, 2), (1, 3), ..., (2, 3), ...; None where a correlation is not defined."""

    before: tuple[float | None, ...]
    after: tuple[float | None, ...]

    @property
    def differences(self) -> tuple[float | None, ...]:
        """Return after - before; None where one of them is not defined."""
        pairs = zip(self.before, self.after, strict=True)
        return tuple(None if b is None or a is None else a - b for b, a in pairs)

    @property
    def mean_difference(self) -> float | None:
        """Return the mean absolute difference of the pairs that are defined in both files."""
        return mean_of(None if d is None else abs(d) for d in self.differences)


def correlation_changes(original: Points, masked: Points) -> CorrelationChanges:
    """Return the correlations of two n x d files, each over the records with all four numbers."""
    original, masked = complete(original, masked)
    before, after = (second_moments(_standardised(file)).correlation for file in (original, masked))
    return CorrelationChanges(tuple(map(finite, before.tolist())), tuple(map(finite, after.tolist())))


def _standardised(values: Points) -> Points:
    """Return every variable in its own standard deviations: correlations stay, and nothing overflows."""
    columns: list[Floats] = [yardstick(column).of(column) for column in values.T]
    return np.column_stack(columns) if columns else values


class Correlations:
    """Changes of the correlations among the masked numeric variables."""

    name: ClassVar[str] = "correlations"
    title: ClassVar[str] = "Correlations"

    def measure(self, pair: Pair) -> Measured:
        """Return the mean absolute difference and the largest."""
        names = pair.numeric
        pairs = tuple(combinations(names, 2))
        found = correlation_changes(*pair.numbers(names))
        known = [(abs(d), two) for d, two in zip(found.differences, pairs, strict=True) if d is not None]
        largest, (one, other) = max(known, key=lambda entry: entry[0], default=(None, ("", "")))
        figures = (
            Figure("mean-difference", "mean absolute difference", found.mean_difference, Unit.PLAIN),
            Figure("largest-difference", "largest absolute difference", largest, Unit.PLAIN),
        )
        if found.mean_difference is None:
            why = "no two masked numeric variables vary together in both files"
            return not_measured(self.name, self.title, figures, why)
        return Measured(
            self.name,
            self.title,
            figures,
            f"The correlations of {counted(len(known), 'pair')} of variables changed by {found.mean_difference:.4f} on "
            f"average, at most by {largest:.4f} (between {one} and {other}).",
            (_table(pairs, found),),
            _notes(len(pairs) - len(known)),
        )


def _notes(missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    return (f"Left out: {counted(missing, 'pair')} of which a variable does not vary in one of the files.",)


def _table(pairs: tuple[tuple[str, str], ...], found: CorrelationChanges) -> ResultTable:
    numbers = zip(found.before, found.after, found.differences, strict=True)
    rows = tuple((*two, *three) for two, three in zip(pairs, numbers, strict=True))
    head = ("variable", "other variable", "before", "after", "difference")
    return ResultTable("by-pair", "Correlations by pair", head, (None, None, *[Unit.PLAIN] * 3), rows)
