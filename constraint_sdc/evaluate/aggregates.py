"""count, exists, sum, avg, min and max over the items of one record."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.arithmetic import add_numbers, as_floats
from constraint_sdc.evaluate.conversion import numeric, rescaled
from constraint_sdc.evaluate.lexical import Floats
from constraint_sdc.evaluate.text import Mask
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    NumberItem,
    Value,
    any_present,
    either,
    how_many,
    truth,
    within,
)


def exists(value: Value, *, negated: bool = False) -> Value:
    """Tell where there is an item, or (negated) none."""
    present = any_present(value.items)
    result = np.ones(1, np.bool_) if present is None else present
    return Value((truth(~result if negated else result),), value.doubt)


def count(value: Value) -> Value:
    """Return how many items there are."""
    return Value((ExactItem(how_many(value.items), 0, True),), value.doubt)


def total(value: Value) -> Value:
    """Return sum(value): from the first item on, in writing order; the integer 0 without any."""
    numbers, doubt = _numbers("sum()", value)
    present = any_present(value.items)
    zero = ExactItem(np.zeros(1, np.int64), 0, True, None if present is None else ~present)
    if not numbers:
        return Value((zero,), doubt)
    result, own = _added(numbers, present)
    items: tuple[Item, ...] = (result,) if present is None else (result, zero)
    return Value(items, either(doubt, within(own, present)))


def average(value: Value) -> Value:
    """Return avg(value) of doubles: the sum divided by the count; empty without items."""
    numbers, doubt = _numbers("avg()", value)
    if not all(isinstance(number, DoubleItem) for number in numbers):
        raise NotMine("avg() of integers or decimals")
    if not numbers:
        return Value((), doubt)
    present = any_present(value.items)
    result, _ = _added(numbers, present)
    return Value((DoubleItem(as_floats(result) / np.maximum(how_many(value.items), 1), present),), doubt)


def lowest(value: Value) -> Value:
    """Return min(value) of numbers; NaN if any is."""
    return _extreme("min()", value, -1)


def highest(value: Value) -> Value:
    """Return max(value) of numbers; NaN if any is."""
    return _extreme("max()", value, 1)


def _numbers(what: str, value: Value) -> tuple[list[NumberItem], Maybe]:
    numbers, doubt = [], value.doubt
    for item in value.items:
        number, own = numeric(item, what)
        numbers.append(number)
        doubt = either(doubt, within(own, item.present))
    return numbers, doubt


def _added(numbers: list[NumberItem], present: Maybe) -> tuple[NumberItem, Maybe]:
    if all(isinstance(number, DoubleItem) for number in numbers):
        return _added_doubles([(as_floats(n), n.present) for n in numbers], present), None
    if all(isinstance(number, ExactItem) for number in numbers):
        numbers = [_zero_unless_present(number) for number in numbers]
    elif any(number.present is not None for number in numbers):
        raise NotMine("sum() of doubles and exact numbers of which some may be missing")
    result, doubt = numbers[0], None
    for number in numbers[1:]:
        result, own = add_numbers(result, number)
        doubt = either(doubt, own)
    if isinstance(result, ExactItem):
        return ExactItem(result.mantissa, result.scale, result.is_integer, present), doubt
    return DoubleItem(result.values, present), doubt


def _zero_unless_present(number: NumberItem) -> NumberItem:
    if isinstance(number, DoubleItem) or number.present is None:
        return number
    return ExactItem(np.where(number.present, number.mantissa, 0), number.scale, number.is_integer)


def _added_doubles(parts: list[tuple[Floats, Maybe]], present: Maybe) -> DoubleItem:
    # Not started from 0: the sum of -0 alone is -0.
    result, first = parts[0]
    started: Mask = np.ones(1, np.bool_) if first is None else first
    for values, here in parts[1:]:
        added = np.where(started, result + values, values)
        result = added if here is None else np.where(here, added, result)
        started = started | (True if here is None else here)
    return DoubleItem(result, present)


def _extreme(what: str, value: Value, side: int) -> Value:
    numbers, doubt = _numbers(what, value)
    if not numbers:
        return Value((), doubt)
    present = any_present(value.items)
    if all(isinstance(number, DoubleItem) for number in numbers):
        return Value((_extreme_double(numbers, present, side),), doubt)
    if not all(isinstance(number, ExactItem) and number.present is None for number in numbers):
        raise NotMine(f"{what} of doubles and exact numbers, or of exact numbers of which some may be missing")
    exact = [number for number in numbers if isinstance(number, ExactItem)]
    scale = max(number.scale for number in exact)
    result, doubt_here = rescaled(exact[0], scale)
    for number in exact[1:]:
        mantissa, own = rescaled(number, scale)
        result = np.maximum(result, mantissa) if side > 0 else np.minimum(result, mantissa)
        doubt_here = either(doubt_here, own)
    return Value((ExactItem(result, scale, all(n.is_integer for n in exact)),), either(doubt, doubt_here))


def _extreme_double(numbers: list[NumberItem], present: Maybe, side: int) -> DoubleItem:
    # NumPy's maximum and minimum hand NaN on as XPath does; an absent item must not count.
    neutral = -np.inf * side
    result = np.full(1, neutral)
    for number in numbers:
        values = as_floats(number)
        values = values if number.present is None else np.where(number.present, values, neutral)
        result = np.maximum(result, values) if side > 0 else np.minimum(result, values)
    return DoubleItem(result, present)
