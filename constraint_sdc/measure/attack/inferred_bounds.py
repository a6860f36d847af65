"""Intervals in numbers: how many masked values are given away, bounded or nearly known. No single record is told."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from constraint_sdc.measure.attack.intervals import Intervals
from constraint_sdc.measure.attack.intruder_bounds import deviation
from constraint_sdc.measure.attack.rounded_bounds import Bounds
from constraint_sdc.model.pair import Compared, Floats, Mask

_EXACT = 1e-9
_NEAR = 0.1


@dataclass(frozen=True, slots=True)
class VariableInferred:
    """One variable's intervals. `width` is their median in standard deviations of the original.

    It is None where half of them have no end, or nothing varies. The rest are shares of the cells, 0 to 1: with an end
    on both sides, no wider than a tenth of a deviation, known exactly, with a masked value that the interval excludes.
    """

    name: str
    cells: int
    width: float | None
    bounded: float
    near: float
    pinned: float
    impossible: float
    rules: tuple[str, ...]


def summarise(variable: Compared, intervals: Intervals, filled: Mask) -> VariableInferred:
    """Return one variable's intervals in numbers, over the cells that are filled in both files."""
    low, high = (end[filled] for end in intervals.of(variable.name))
    masked, original = variable.masked[filled], variable.original[filled]
    width, unit, exact = _width((low, high)), deviation(original), _exact((low, high), original)
    margin = _EXACT * _size(original)
    return VariableInferred(
        variable.name,
        len(original),
        _median(width, unit),
        float((np.isfinite(low) & np.isfinite(high)).mean()),
        float((exact | (width <= _NEAR * unit)).mean()),
        float(exact.mean()),
        float(((masked < low - margin) | (masked > high + margin)).mean()),
        intervals.narrowed_by[variable.name],
    )


def pinned(variable: Compared, intervals: Intervals, filled: Mask) -> Mask:
    """Tell which filled cells are known exactly: one number is left, but for the last digits of a double."""
    low, high = (end[filled] for end in intervals.of(variable.name))
    return _exact((low, high), variable.original[filled])


def _exact(bounds: Bounds, original: Floats) -> Mask:
    largest = np.maximum(np.abs(bounds[0]), np.abs(bounds[1]))
    digits = 4 * np.spacing(np.where(np.isfinite(largest), largest, 0.0))
    is_one: Mask = _width(bounds) <= np.maximum(_EXACT * _size(original), digits)
    return is_one


def _size(original: Floats) -> float:
    """Return the unit in which a difference is small: the deviation; of a constant its own size."""
    return deviation(original) or float(np.abs(original).max(initial=0.0)) or 1.0


@np.errstate(over="ignore")
def _width(bounds: Bounds) -> Floats:
    return np.subtract(bounds[1], bounds[0])


@np.errstate(over="ignore")
def _median(width: Floats, unit: float) -> float | None:
    middle = float(np.median(width))
    return middle / unit if unit > 0 and math.isfinite(middle) and math.isfinite(middle / unit) else None
