"""Correlations: the Pearson correlation of every pair of variables, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import complete, counted, finite, mean_of, not_measured, yardstick
from constraint_sdc.settings.reason import Reason, because

# Covariances and Pearson correlations of all pairs of variables, each over the records that have both.

_ROUNDING = 1e-12  # relative to the largest number: a smaller spread counts as 0


@dataclass(frozen=True)
class Together:
    """One variable beside all that come after it, a column each: centred values, 0 where one of the two is blank.

    `both` is 1 where neither is blank; it is None, and `u` a single column, if no cell of the file is blank. `count` is
    the number of records that have both. `spread_u` and `spread_v` are standard deviations (they divide by n), 0 where
    the values differ by no more than rounding.
    """

    u: Points
    v: Points
    both: Points | None
    count: Floats
    spread_u: Floats
    spread_v: Floats

    def mean(self, values: Points) -> Floats:
        """Return the mean of every column over the records that have both variables; 0 where none has."""
        sums: Floats = (values if self.both is None else values * self.both).sum(axis=0)
        return sums / np.maximum(self.count, 1.0)


@dataclass(frozen=True)
class SecondMoments:
    """Of d variables the d (d - 1) / 2 pairs (1, 2), (1, 3), ..., (2, 3), ...; NaN where not defined.

    A covariance (n - 1) needs two records, a correlation two variables that vary among the records that have both.
    """

    covariance: Floats
    correlation: Floats


def each_together(values: Points) -> Iterator[Together]:
    """Yield every variable of an n x d file except the last, with those after it; NaN is a blank.

    Variables come one at a time, so that no n x d x d array is needed.
    """
    present = np.isfinite(values)
    filled = np.where(present, values, 0.0)
    first = 0
    if present.all():
        yield from _without_blanks(filled)
        first = max(values.shape[1] - 2, 0)
    for j in range(first, values.shape[1] - 1):
        yield _together(filled[:, j : j + 1], filled[:, j + 1 :], present[:, j : j + 1] & present[:, j + 1 :])


def second_moments(values: Points) -> SecondMoments:
    """Return the covariance and the correlation of every pair of variables of an n x d file; NaN is a blank."""
    found = [_moments(together) for together in each_together(values)]
    covariance = np.concatenate([np.zeros(0), *(covariance for covariance, _ in found)])
    correlation = np.concatenate([np.zeros(0), *(correlation for _, correlation in found)])
    return SecondMoments(covariance, correlation)


def _without_blanks(values: Points) -> Iterator[Together]:
    """Yield every variable except the last two: all are centred once, over the records that every pair shares.

    The last pair is left to the general way, because a single column is summed in another order than several.
    """
    if values.shape[1] < 3:
        return
    count = np.full(values.shape[1], float(len(values)))
    centred, spread = _centred(values, None, count)
    for j in range(values.shape[1] - 2):
        yield Together(
            centred[:, j : j + 1], centred[:, j + 1 :], None, count[j + 1 :], spread[j : j + 1], spread[j + 1 :]
        )


def _together(u: Points, v: Points, is_both: np.ndarray) -> Together:
    both = is_both.astype(np.float64)
    count = both.sum(axis=0)
    u, u_spread = _centred(u * both, both, count)
    v, v_spread = _centred(v * both, both, count)
    return Together(u, v, both, count, u_spread, v_spread)


def _centred(values: Points, both: Points | None, count: Floats) -> tuple[Points, Floats]:
    n = np.maximum(count, 1.0)
    centred = values - values.sum(axis=0) / n
    if both is not None:
        centred *= both
    spread = np.sqrt((centred**2).sum(axis=0) / n)
    largest = np.abs(values).max(axis=0, initial=0.0)
    return centred, np.where(spread > _ROUNDING * largest, spread, 0.0)


def _moments(together: Together) -> tuple[Floats, Floats]:
    product = together.mean(together.u * together.v)
    count = together.count
    covariance = np.where(count > 1, product * count / np.maximum(count - 1.0, 1.0), np.nan)
    spreads = together.spread_u * together.spread_v
    correlation = np.clip(product / np.where(spreads > 0, spreads, 1.0), -1.0, 1.0)
    return covariance, np.where(spreads > 0, correlation, np.nan)


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
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

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
            return not_measured(self.name, self.title, figures, because("no-two-vary"))
        return Measured(
            self.name,
            self.title,
            figures,
            f"The correlations of {counted(len(known), 'pair')} of variables changed by {found.mean_difference:.4f} on "
            f"average, at most by {largest:.4f} (between {one} and {other}).",
            (_table(pairs, found),),
            _notes(len(pairs) - len(known)),
        )


REGISTERED = {"correlations": Correlations()}


def _notes(missing: int) -> tuple[Reason, ...]:
    return (because("pairs-left-out", pairs=missing),) if missing else ()


def _table(pairs: tuple[tuple[str, str], ...], found: CorrelationChanges) -> ResultTable:
    numbers = zip(found.before, found.after, found.differences, strict=True)
    rows = tuple((*two, *three) for two, three in zip(pairs, numbers, strict=True))
    head = ("variable", "other variable", "before", "after", "difference")
    return ResultTable("by-pair", "Correlations by pair", head, (None, None, *[Unit.PLAIN] * 3), rows)
