"""The supported XPath functions: one table from name to the number of arguments and the function."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from math import isfinite
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Integers
from constraint_sdc.evaluate.aggregates import average, count, exists, highest, index_of, lowest, the_one, total
from constraint_sdc.evaluate.conversion import (
    as_text,
    cast_boolean,
    cast_double,
    cast_exact,
    effective_boolean,
    first_number,
    numeric,
    string_or_empty,
)
from constraint_sdc.evaluate.dates import TIME_FUNCTIONS
from constraint_sdc.evaluate.ranges import MATH_FUNCTIONS, absolute_range, mapped_range, power
from constraint_sdc.evaluate.strings import STRING_FUNCTIONS
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    RangeItem,
    TextItem,
    TruthItem,
    Value,
    at_most_one,
    map_each,
    truth,
)

# abs, floor, ceiling and round of one number.

_MOST_PLACES = 9
_ALL_DIGITS = Context(prec=1200)  # no double has more digits


def absolute(value: Value, *, xpath1: bool) -> Value:
    """Return the absolute value."""
    return _apply("abs()", value, np.abs, _exact_absolute, xpath1)


def floor(value: Value, *, xpath1: bool) -> Value:
    """Return the largest whole number not above."""
    return _apply("floor()", value, np.floor, _exact_floor, xpath1)


def ceiling(value: Value, *, xpath1: bool) -> Value:
    """Return the smallest whole number not below: negative zero for -0.5e0."""
    return _apply("ceiling()", value, np.ceil, _exact_ceiling, xpath1)


def rounded(value: Value, *, xpath1: bool) -> Value:
    """Return the nearest whole number: halves are rounded up, and values from -0.5 to 0 become negative zero."""
    return _apply("round()", value, round_half_up, _exact_round, xpath1)


def rounded_to(value: Value, places: int, *, xpath1: bool) -> Value:
    """Return the nearest number with this many decimals: a double by its exact binary value, halves up."""
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
    # values - below is exact except just below zero, where both answers are zero.
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
        if isinstance(item, RangeItem):
            return absolute_range(item) if what == "abs()" else mapped_range(item, on_doubles), None
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


Function: TypeAlias = Callable[[tuple[Value, ...], bool], Value]


def call(name: str, arguments: tuple[Value, ...], *, xpath1: bool) -> Value:
    """Return the value of a function call."""
    if name not in FUNCTIONS:
        raise NotMine(f"function {name}()")
    least, most, function = FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        raise NotMine(f"function {name}() with {len(arguments)} arguments")
    return function(arguments, xpath1)


def _number(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    (value,) = arguments
    doubt = value.doubt if xpath1 else at_most_one(value, "number()")
    values, doubt = first_number(Value(value.items, doubt))
    return Value((DoubleItem(values),), doubt)


def _string(arguments: tuple[Value, ...], xpath1: bool) -> Value:
    (value,) = arguments
    many = value.doubt if xpath1 else at_most_one(value, "string()")
    reading, doubt = string_or_empty(Value(value.items, many))
    return Value((TextItem(reading, False),), doubt)


def _boolean(arguments: tuple[Value, ...], _: bool) -> Value:
    holds, doubt = effective_boolean(arguments[0])
    return Value((truth(holds),), doubt)


def _not(arguments: tuple[Value, ...], _: bool) -> Value:
    holds, doubt = effective_boolean(arguments[0])
    return Value((truth(~holds),), doubt)


def _cast(name: str, one: Callable[[Item], tuple[Item, Maybe]]) -> Function:
    # A cast takes one item in XPath 1.0 mode too: its operand is never cut to the first item.
    return lambda arguments, _: map_each(arguments[0], name, one)


def _to_double(item: Item) -> tuple[Item, Maybe]:
    values, doubt = cast_double(item)
    return DoubleItem(values, item.present), doubt


def _to_boolean(item: Item) -> tuple[Item, Maybe]:
    values, doubt = cast_boolean(item)
    return TruthItem(values, item.present), doubt


def _to_string(item: Item) -> tuple[Item, Maybe]:
    reading, doubt = as_text(item)
    return TextItem(reading, False, item.present), doubt


FUNCTIONS: dict[str, tuple[int, int, Function]] = {
    "number": (1, 1, _number),
    "string": (1, 1, _string),
    "boolean": (1, 1, _boolean),
    "not": (1, 1, _not),
    "true": (0, 0, lambda _, __: Value((truth(np.ones(1, np.bool_)),))),
    "false": (0, 0, lambda _, __: Value((truth(np.zeros(1, np.bool_)),))),
    "exists": (1, 1, lambda arguments, _: exists(arguments[0])),
    "empty": (1, 1, lambda arguments, _: exists(arguments[0], negated=True)),
    "count": (1, 1, lambda arguments, _: count(arguments[0])),
    "exactly-one": (1, 1, lambda arguments, _: the_one(arguments[0])),
    "index-of": (2, 2, lambda arguments, _: index_of(*arguments)),
    "sum": (1, 1, lambda arguments, _: total(arguments[0])),
    "avg": (1, 1, lambda arguments, _: average(arguments[0])),
    "min": (1, 1, lambda arguments, _: lowest(arguments[0])),
    "max": (1, 1, lambda arguments, _: highest(arguments[0])),
    "abs": (1, 1, lambda arguments, xpath1: absolute(arguments[0], xpath1=xpath1)),
    "floor": (1, 1, lambda arguments, xpath1: floor(arguments[0], xpath1=xpath1)),
    "ceiling": (1, 1, lambda arguments, xpath1: ceiling(arguments[0], xpath1=xpath1)),
    "round": (1, 1, lambda arguments, xpath1: rounded(arguments[0], xpath1=xpath1)),
    "math:pow": (2, 2, lambda arguments, xpath1: power(*arguments, xpath1=xpath1)),
    "xs:double": (1, 1, _cast("xs:double()", _to_double)),
    "xs:boolean": (1, 1, _cast("xs:boolean()", _to_boolean)),
    "xs:string": (1, 1, _cast("xs:string()", _to_string)),
    "xs:integer": (1, 1, _cast("xs:integer()", lambda item: cast_exact(item, to_integer=True))),
    "xs:decimal": (1, 1, _cast("xs:decimal()", lambda item: cast_exact(item, to_integer=False))),
    **STRING_FUNCTIONS,
    **MATH_FUNCTIONS,
    **TIME_FUNCTIONS,
}
