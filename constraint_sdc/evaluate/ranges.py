"""math:exp, math:log and powers: doubles of which only bounds are known, because libraries differ in the last bits.

Java promises results within one unit in the last place (ulp) of the exact ones, and so does the C library that Python
calls, but for log10, where it is two. Saxon's result therefore lies within four ulps of Python's. Rounding is monotone,
so `+ - * div` and rounding of both ends bound Saxon's result of the same operation. Where both ends agree in what is
asked, the answer is certain; else Saxon decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.evaluate.arithmetic import as_floats
from constraint_sdc.evaluate.conversion import first_number, is_settled, numeric
from constraint_sdc.evaluate.expression import ArithmeticOp, CompareOp
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    RangeItem,
    TextItem,
    Value,
    at_most_one,
    both,
    either,
    exactly_one,
    map_each,
    some,
    within,
)

_ULPS = 4
_MOST_PAIRS = 16
_HUGE, _TINY = 1e300, 1e-300  # beyond, results may overflow in one library and not in the other


def is_about_ranges(*values: Value) -> bool:
    """Tell whether a double of which only bounds are known is among the items."""
    return any(isinstance(item, RangeItem) for value in values for item in value.items)


def _around(results: Floats, is_exact: Flags, present: Maybe, *, settles: bool = False) -> RangeItem:
    """Return bounds around computed results; an exact one is its own bounds."""
    margin = _ULPS * np.spacing(np.abs(np.where(np.isfinite(results), results, 0.0)))
    low, high = results - margin, results + margin
    # Only exponentials and powers come near the ends of the range, and they are not negative.
    low = np.where(results > _HUGE, _HUGE, low)
    high = np.where(results > _HUGE, np.inf, np.where(np.abs(results) < _TINY, _TINY, high))
    low = np.where(np.abs(results) < _TINY, 0.0, low)
    fixed = is_exact | np.isnan(results)
    return RangeItem(np.where(fixed, results, low), np.where(fixed, results, high), present, settles)


def _mapped(function: Callable[[float], float], values: Floats) -> Floats:
    def one(value: float) -> float:
        try:
            return function(value)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return np.array([one(value) for value in values.tolist()], np.float64)


def _exp(values: Floats, present: Maybe) -> RangeItem:
    return _around(_mapped(math.exp, values), (values == 0) | ~np.isfinite(values), present)


def _exp10(values: Floats, present: Maybe) -> RangeItem:
    return _around(_mapped(lambda x: math.pow(10.0, x), values), ~np.isfinite(values), present)


def _log(values: Floats, present: Maybe) -> RangeItem:
    results = np.where(values == 0, -np.inf, _mapped(math.log, values))
    return _around(results, (values <= 0) | (values == 1) | ~np.isfinite(values), present)


def _log10(values: Floats, present: Maybe) -> RangeItem:
    results = np.where(values == 0, -np.inf, _mapped(math.log10, values))
    return _around(results, (values <= 0) | (values == 1) | ~np.isfinite(values), present)


def _sqrt(values: Floats, present: Maybe) -> DoubleItem:
    return DoubleItem(np.sqrt(values), present)  # correctly rounded everywhere, by IEEE 754


_FUNCTIONS: dict[str, Callable[[Floats, Maybe], Item]] = {
    "math:exp": _exp,
    "math:exp10": _exp10,
    "math:log": _log,
    "math:log10": _log10,
    "math:sqrt": _sqrt,
}


def _function(name: str) -> tuple[int, int, Callable[[tuple[Value, ...], bool], Value]]:
    compute = _FUNCTIONS[name]

    def one(item: Item) -> tuple[Item, Maybe]:
        number, doubt = numeric(item, f"{name}()")
        return compute(as_floats(number), number.present), doubt

    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        if xpath1:
            raise NotMine(f"{name}() in XPath 1.0 mode")
        return map_each(arguments[0], f"{name}()", one)

    return 1, 1, apply


MATH_FUNCTIONS = {name: _function(name) for name in _FUNCTIONS}


# math:pow: exact for whole numbers with a result that a double holds, for an exponent of 0 or 1, else within bounds.

_EXACT = 2.0**53
_HIGHEST = 53


def power(base: Value, exponent: Value, *, xpath1: bool) -> Value:
    """Return base to the power of exponent; a base that is not positive takes a whole exponent, else Saxon decides."""
    if xpath1:
        values, doubt = first_number(base)
        exponents, doubt_exponent = first_number(exponent)
        item, own = _power(values, exponents, None)
        return Value((item,), either(doubt, doubt_exponent, own))
    values, doubt, present = _operand(base)
    exponents, doubt_exponent, _ = _operand(exponent)
    item, own = _power(values, exponents, present)
    missing = exactly_one(exponent, "the exponent of math:pow()")
    return Value((item,), either(doubt, doubt_exponent, within(own, present), missing))


def _operand(value: Value) -> tuple[Floats, Maybe, Maybe]:
    if len(value.items) != 1:
        raise NotMine("math:pow() of a sequence")
    number, doubt = numeric(value.items[0], "math:pow()")
    return as_floats(number), either(value.doubt, within(doubt, number.present)), number.present


def _power(base: Floats, exponent: Floats, present: Maybe) -> tuple[RangeItem, Maybe]:
    whole, is_whole = _whole_power(base, exponent)
    legal = np.isfinite(base) & np.isfinite(exponent) & (base > 0)
    pairs = zip(*(array.tolist() for array in np.broadcast_arrays(base, exponent)), strict=True)
    results = np.array([_pow(a, b) if a > 0 else 0.0 for a, b in pairs], np.float64)
    is_exact = is_whole | (legal & ((exponent == 0) | (exponent == 1)))
    # A constant exponent is known before any record is read.
    is_constant = len(exponent) == 1 and float(exponent[0]).is_integer() and 0 <= exponent[0] <= _HIGHEST
    item = _around(np.where(is_whole, whole, results), is_exact, present, settles=is_constant)
    return item, some(~(legal | is_whole))


def _pow(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf


def _whole_power(base: Floats, exponent: Floats) -> tuple[Floats, Flags]:
    legal = (base == np.trunc(base)) & (exponent == np.trunc(exponent)) & (exponent >= 0) & (exponent <= _HIGHEST)
    times = np.where(legal, exponent, 0)
    result = np.ones(1)
    # Every partial product is exact as long as the last one is; the power function of the C library need not be.
    for step in range(int(times.max(initial=0))):
        result = np.where(times > step, result * base, result)
    return result, legal & (np.abs(result) <= _EXACT)


# Arithmetic, comparison and rounding of bounds.


def bounds_of(item: Item, what: str) -> tuple[Floats, Floats, Maybe]:
    """Return the ends of a number; those of one that is known are equal."""
    if isinstance(item, RangeItem):
        return item.low, item.high, None
    number, doubt = numeric(item, what)
    values = as_floats(number)
    return values, values, doubt


def range_arithmetic(op: ArithmeticOp, left: Value, right: Value) -> Value:
    """Return `left op right` in XPath 2.0, where of one of them only bounds are known."""
    if len(left.items) * len(right.items) > _MOST_PAIRS:
        raise NotMine(f"an operand of {op} has too many alternatives")
    doubt = either(at_most_one(left, f"operator {op}"), at_most_one(right, f"operator {op}"))
    items = []
    for a in left.items:
        for b in right.items:
            item, own = _computed(op, a, b)
            items.append(item)
            doubt = either(doubt, own)
    return Value(tuple(items), doubt, has_void=left.may_be_void or right.may_be_void)


def _computed(op: ArithmeticOp, left: Item, right: Item) -> tuple[RangeItem, Maybe]:
    what = f"operator {op}"
    (a, b, doubt_left), (c, d, doubt_right) = bounds_of(left, what), bounds_of(right, what)
    compute: dict[ArithmeticOp, Any] = {"+": np.add, "-": np.subtract, "*": np.multiply, "div": np.divide}
    ends = np.broadcast_arrays(*(compute[op](x, y) for x in (a, b) for y in (c, d)))
    is_known = is_settled(a, b) & is_settled(c, d)
    is_nan = np.isnan(a) | np.isnan(c)
    # Away from 0 * INF and from a divisor of zero, each operation is monotone in both operands.
    unclear = np.isnan(sum(ends))
    if op == "*":
        unclear = unclear | (_has_zero(a, b) & np.isinf(np.abs(c) + np.abs(d)))
        unclear = unclear | (_has_zero(c, d) & np.isinf(np.abs(a) + np.abs(b)))
    elif op == "div":
        unclear = unclear | _has_zero(c, d)
    low = np.where(is_known, ends[0], np.where(is_nan, np.nan, np.minimum.reduce(ends)))
    high = np.where(is_known, ends[0], np.where(is_nan, np.nan, np.maximum.reduce(ends)))
    # An operand that is not a number is an error, even where the other operand is missing.
    doubt = either(within(doubt_left, left.present), within(doubt_right, right.present))
    present = both(left.present, right.present)
    settles = all(item.settles for item in (left, right) if isinstance(item, RangeItem))
    return RangeItem(low, high, present, settles), either(doubt, within(some(unclear & ~is_known & ~is_nan), present))


def _has_zero(low: Floats, high: Floats) -> Flags:
    return np.less_equal(low, 0) & np.greater_equal(high, 0)


def mapped_range(item: RangeItem, function: Callable[[Floats], Floats]) -> RangeItem:
    """Return a rounding, which never decreases, of both ends."""
    return RangeItem(function(item.low), function(item.high), item.present, settles=True)


def absolute_range(item: RangeItem) -> RangeItem:
    """Return the bounds of the absolute value."""
    ends = np.abs(item.low), np.abs(item.high)
    crosses = (item.low < 0) & (item.high > 0)
    return RangeItem(np.where(crosses, 0.0, np.minimum(*ends)), np.maximum(*ends), item.present, item.settles)


def compare_ranges(op: CompareOp, left: Item, right: Item) -> tuple[Flags, Maybe]:
    """Compare numbers of which only bounds are known, in doubt where the bounds overlap."""
    if any(isinstance(item, TextItem) and not item.is_node for item in (left, right)):
        raise NotMine("comparing a number with a string is a type error")
    if not all(isinstance(item, RangeItem | ExactItem | DoubleItem | TextItem) for item in (left, right)):
        raise NotMine("comparing a number with something else is a type error")
    if op in ("=", "!=") and any(isinstance(item, RangeItem) and not item.settles for item in (left, right)):
        raise NotMine("an equality in the last bits of an exponential, a logarithm or a power")
    (a, b, doubt_left), (c, d, doubt_right) = bounds_of(left, "a comparison"), bounds_of(right, "a comparison")
    # Saxon orders an untyped NaN above every number, and tells an untyped -0 from 0.
    untyped = [item.reading.doubles.values for item in (left, right) if isinstance(item, TextItem)]
    doubt = either(doubt_left, doubt_right, *(some(np.isnan(values) | (values == 0)) for values in untyped))
    is_nan = np.isnan(a) | np.isnan(c)
    below, above = b < c, a > d
    same = np.equal(a, b) & np.equal(c, d) & np.equal(a, c)
    answer = {"=": same, "!=": ~same, "<": below, "<=": below | same, ">": above, ">=": above | same}[op]
    # Bounds that touch leave only one order open.
    open_ends = ~(below | above | same | is_nan)
    return np.where(is_nan, op == "!=", answer), either(doubt, some(open_ends))
