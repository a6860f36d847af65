"""Moments up to the fourth: mean, standard deviation, skewness and kurtosis of every variable, before and after.

Changes are relative: those of the mean and of the standard deviation to the original standard deviation, that of the
skewness to the root of the original kurtosis (which it never exceeds), that of the kurtosis to the original kurtosis.
So no change depends on a unit, and no divisor is 0 for a variable that varies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import ClassVar

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Cell, Figure, Measured, MeasureTraits, ResultTable, Unit
from constraint_sdc.measures.utility.yardstick import (
    Yardstick,
    complete,
    finite,
    mean_of,
    not_measured,
    variables_of,
    yardstick,
)
from constraint_sdc.settings.reason import because


@dataclass(frozen=True, slots=True)
class FourMoments:
    """Mean, sample standard deviation (n - 1), skewness and kurtosis (3 for a normal variable); None: not defined."""

    mean: float | None
    deviation: float | None
    skewness: float | None
    kurtosis: float | None


@dataclass(frozen=True, slots=True)
class MomentChange:
    """One variable's moments in both files, and how much each changed, in percent."""

    before: FourMoments
    after: FourMoments
    change: FourMoments


def moment_changes(original: Points, masked: Points) -> tuple[MomentChange, ...]:
    """Return the changes of every variable of two n x d files, over the cells with a number before and after."""
    original, masked = complete(original, masked)
    is_known = np.isfinite(original)
    return tuple(_compare(original[is_known[:, j], j], masked[is_known[:, j], j]) for j in range(original.shape[1]))


def _compare(original: Floats, masked: Floats) -> MomentChange:
    unit, other = yardstick(original), yardstick(masked)
    before, after = _moments(unit, original), _moments(other, masked)
    if unit.spread:
        skewness, kurtosis = _shape_changes(before, after)
        change = FourMoments(_shift(unit, original, masked), _spread_change(unit, other), skewness, kurtosis)
    else:  # without a unit, only "no change" is defined
        nought = 0.0 if unit.count and np.array_equal(original, masked) else None
        change = FourMoments(nought, nought, None, None)
    return MomentChange(before, after, change)


def _moments(unit: Yardstick, values: Floats) -> FourMoments:
    if not unit.count:
        return FourMoments(None, None, None, None)
    if not unit.spread:
        return FourMoments(unit.mean, unit.sample_deviation, None, None)
    z = unit.of(values)
    return FourMoments(unit.mean, unit.sample_deviation, float((z**3).mean()), float((z**4).mean()))


def _shift(unit: Yardstick, original: Floats, masked: Floats) -> float | None:
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(100.0 * np.abs((unit.of(masked) - unit.of(original)).mean()))


def _spread_change(unit: Yardstick, other: Yardstick) -> float | None:
    with np.errstate(over="ignore"):
        ratio = np.ldexp(other.spread / unit.spread, other.exponent - unit.exponent)
    return finite(100.0 * abs(float(ratio) - 1.0))


def _shape_changes(before: FourMoments, after: FourMoments) -> tuple[float | None, float | None]:
    if before.skewness is None or before.kurtosis is None or after.skewness is None or after.kurtosis is None:
        return None, None
    skewness = abs(after.skewness - before.skewness) / float(np.sqrt(before.kurtosis))
    return 100.0 * skewness, 100.0 * abs(after.kurtosis - before.kurtosis) / before.kurtosis


class Moments:
    """Changes of the first four moments of the masked numeric variables."""

    name: ClassVar[str] = "moments"
    title: ClassVar[str] = "Moments"
    traits: ClassVar[MeasureTraits] = MeasureTraits("utility", unmasked=0.0)

    def measure(self, pair: Pair) -> Measured:
        """Return the mean change in percent, and that of each moment."""
        names = pair.numeric
        found = moment_changes(*pair.numbers(names))
        parts = (
            tuple(mean_of(four) for four in zip(*(astuple(one.change) for one in found), strict=True)) or (None,) * 4
        )
        total = mean_of(parts)
        figures = (
            Figure("change", "mean change of the four moments", total),
            *(Figure(name, label, part) for (name, label), part in zip(_LABELS, parts, strict=True)),
        )
        if total is None:
            why = because("none-varies-in-both") if names else because("no-masked-numeric")
            return not_measured(self.name, self.title, figures, why)
        undefined = [name for name, one in zip(names, found, strict=True) if None in astuple(one.change)]
        few = _few(pair)
        return Measured(
            self.name,
            self.title,
            figures,
            f"Mean, standard deviation, skewness and kurtosis of {variables_of(pair)} "
            f"changed by {total:.2f}% on average.",
            (
                _changes(names, found),
                _values(names, [None if name in few else one for name, one in zip(names, found, strict=True)]),
            ),
            (
                *((because("moments-undefined", variables=tuple(undefined)),) if undefined else ()),
                *((because("moments-hidden", variables=tuple(few)),) if few else ()),
            ),
        )


REGISTERED = {"moments": Moments()}


_LEAST_VALUES = 5  # four moments would reveal four values
_LABELS = (
    ("mean", "means, in standard deviations"),
    ("deviation", "standard deviations"),
    ("skewness", "skewness, of the root of the kurtosis"),
    ("kurtosis", "kurtosis"),
)


def _changes(names: tuple[str, ...], found: tuple[MomentChange, ...]) -> ResultTable:
    rows = tuple((name, *astuple(one.change)) for name, one in zip(names, found, strict=True))
    head = ("variable", "mean", "standard deviation", "skewness", "kurtosis")
    return ResultTable("changes", "Changes of moments by variable", head, (None, *[Unit.PERCENT] * 4), rows)


def _few(pair: Pair) -> list[str]:
    """Return the variables with too few values: mean and deviation of two values reveal both."""
    least = max(_LEAST_VALUES, pair.k or 0)
    return [n for n in pair.numeric if min(np.isfinite(v).sum() for v in (pair[n].original, pair[n].masked)) < least]


def _values(names: tuple[str, ...], found: Sequence[MomentChange | None]) -> ResultTable:
    rows = tuple(
        (name, *((None,) * 8 if one is None else _side_by_side(one))) for name, one in zip(names, found, strict=True)
    )
    head = ("variable", *(f"{moment} {when}" for moment in _SHORT for when in ("before", "after")))
    return ResultTable("values", "Moments before and after", head, (None, *[Unit.PLAIN] * 8), rows)


_SHORT = ("mean", "deviation", "skewness", "kurtosis")


def _side_by_side(one: MomentChange) -> tuple[Cell, ...]:
    return tuple(moment for two in zip(astuple(one.before), astuple(one.after), strict=True) for moment in two)
