"""abs, floor, ceiling and round of one number."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from math import isfinite

import numpy as np

from constraint_sdc.evaluate.conversion import first_number, numeric
from constraint_sdc.evaluate.lexical import Floats, Integers
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, Item, Maybe, NotMine, Value, map_each

_MOST_PLACES = 9
_ALL_DIGITS = Context(prec=1200)  # no double has more digits


def absolute(value: Value, *, xpath1: bool) -> Value:
    """Return the size without the sign."""
    return _apply("abs()", value, np.abs, _exact_absolute, xpath1)


def floor(value: Value, *, xpath1: bool) -> Value:
    """Return the largest whole number not above."""
    return _apply("floor()", value, np.floor, _exact_floor, xpath1)


def ceiling(value: Value, *, xpath1: bool) -> Value:
    """Return the smallest whole number not below: negative zero for -0.5e0."""
    return _apply("ceiling()", value, np.ceil, _exact_ceiling, xpath1)


def rounded(value: Value, *, xpath1: bool) -> Value:
    """Return the nearest whole number: halves go up, and what lies between -0.5 and 0 becomes negative zero."""
    return _apply("round()", value, round_half_up, _exact_round, xpath1)


def rounded_to(value: Value, places: int, *, xpath1: bool) -> Value:
    """Return the nearest number with so many decimals: a double by its exact binary value, halves up."""
    if not 0 <= places <= _MOST_PLACES:
        raise NotMine(f"round() to {places} places")

    def on_doubles(values: Floats) -> Floats:
        return np.array([_round_double(number, places) for number in values.tolist()], np.float64)

    def on_exact(mantissa: Integers, scale: int) -> tuple[Integers, int]:
        if scale <= places:
            return mantissa, scale
        return _exact_round(mantissa, scale - places)[0], places

    return _apply("round()", value, on_doubles, on_exact, xpath1)


def _round_double(number: float, places: int) -> float:
    if not isfinite(number) or number == 0:
        return number
    half = ROUND_HALF_UP if number > 0 else ROUND_HALF_DOWN
    return float(Decimal(number).quantize(Decimal(1).scaleb(-places), half, _ALL_DIGITS))


def round_half_up(values: Floats) -> Floats:
    """Round doubles as XPath's round() does."""
    below = np.floor(values)
    # values - below is exact except next to zero from below, where both answers are zero.
    result = np.where(values - below >= 0.5, below + 1, below)
    return np.where(np.isfinite(values), np.copysign(result, values), values)


def _apply(
    what: str,
    value: Value,
    on_doubles: Callable[[Floats], Floats],
    on_exact: Callable[[Integers, int], tuple[Integers, int]],
    xpath1: bool,
) -> Value:
    if xpath1:
        values, doubt_values = first_number(value)
        return Value((DoubleItem(on_doubles(values)),), doubt_values)

    def one(item: Item) -> tuple[Item, Maybe]:
        number, doubt = numeric(item, what)
        if isinstance(number, DoubleItem):
            return DoubleItem(on_doubles(number.values), number.present), doubt
        mantissa, scale = on_exact(number.mantissa, number.scale)
        return ExactItem(mantissa, scale, number.present), doubt

    return map_each(value, what, one)


def _exact_absolute(mantissa: Integers, scale: int) -> tuple[Integers, int]:
    return np.abs(mantissa), scale


def _exact_floor(mantissa: Integers, scale: int) -> tuple[Integers, int]:
    return mantissa // np.int64(10**scale), 0


def _exact_ceiling(mantissa: Integers, scale: int) -> tuple[Integers, int]:
    return -(-mantissa // np.int64(10**scale)), 0


def _exact_round(mantissa: Integers, scale: int) -> tuple[Integers, int]:
    unit = np.int64(10**scale)
    whole = mantissa // unit
    # unit - rest cannot overflow, 2 * rest could at scale 18.
    rest = mantissa - whole * unit
    return whole + (rest >= unit - rest) * (scale > 0), 0
