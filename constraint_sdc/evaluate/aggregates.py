"""sum, avg, min and max over the numbers of one record.

A record with a double among its items gets a double; one with only integers and decimals gets an exact number. Which
of the two depends on what is present, so a result may have both alternatives, each with its mask.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers
from constraint_sdc.evaluate.arithmetic import add_numbers, as_floats
from constraint_sdc.evaluate.comparison import compare_items
from constraint_sdc.evaluate.conversion import exact_to_double, numeric, rescaled
from constraint_sdc.evaluate.value import (
    DateItem,
    DoubleItem,
    DurationItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    NumberItem,
    RangeItem,
    TextItem,
    TruthItem,
    Value,
    any_present,
    both,
    either,
    exactly_one,
    how_many,
    truth,
    within,
)

_NOBODY: Flags = np.zeros(1, np.bool_)


def total(value: Value) -> Value:
    """Return the sum, added in writing order; the integer 0 without items."""
    numbers, doubt = _numbers("sum()", value)
    exact = ExactItem(np.zeros(1, np.int64), 0)
    double, is_double, has_begun = np.zeros(1), _NOBODY, _NOBODY
    for number in numbers:
        here = np.ones(1, np.bool_) if number.present is None else number.present
        values = as_floats(number)
        if isinstance(number, ExactItem):
            double = np.where(is_double & here, double + values, double)
            part = ExactItem(np.where(here & ~is_double, number.mantissa, 0), number.scale)
            exact, own = _plus(exact, part)
            doubt = either(doubt, own)
        else:
            before = np.where(is_double, double, exact_to_double(exact.mantissa, exact.scale))
            # Not started from 0: the sum of -0 alone is -0.
            double = np.where(here, np.where(has_begun, before + values, values), double)
            is_double = is_double | here
        has_begun = has_begun | here
    return Value(_alternatives(numbers, double, exact, None), doubt)


def average(value: Value) -> Value:
    """Return the sum of doubles divided by their count; empty without items."""
    numbers, _ = _numbers("avg()", value)
    if not all(isinstance(number, DoubleItem) for number in numbers):
        raise NotMine("avg() of integers or decimals")
    if not numbers:
        return Value((), value.doubt)
    added = total(value)
    sums = added.items[0]
    if not isinstance(sums, DoubleItem):
        raise AssertionError("a sum of doubles is a double")
    return Value((DoubleItem(sums.values / np.maximum(how_many(value.items), 1), sums.present),), added.doubt)


def lowest(value: Value) -> Value:
    """Return the smallest number; NaN if any is."""
    return _extreme("min()", value, -1)


def highest(value: Value) -> Value:
    """Return the largest number; NaN if any is."""
    return _extreme("max()", value, 1)


def _numbers(what: str, value: Value) -> tuple[list[NumberItem], Maybe]:
    numbers, doubt = [], value.doubt
    for item in value.items:
        number, own = numeric(item, what)
        numbers.append(number)
        doubt = either(doubt, within(own, item.present))
    return numbers, doubt


def _plus(left: ExactItem, right: ExactItem) -> tuple[ExactItem, Maybe]:
    result, doubt = add_numbers(left, right)
    if not isinstance(result, ExactItem):
        raise AssertionError("a sum of exact numbers is exact")
    return result, doubt


def _alternatives(
    numbers: list[NumberItem], double: Floats, exact: ExactItem, present: Maybe
) -> tuple[NumberItem, ...]:
    """Return the double where a record has one among its items, else the exact result where `present`."""
    doubles = tuple(number for number in numbers if isinstance(number, DoubleItem))
    has_double = any_present(doubles)
    if has_double is None:
        return (DoubleItem(double),)
    others = ExactItem(exact.mantissa, exact.scale, both(~has_double if doubles else None, present))
    return (DoubleItem(double, has_double), others) if doubles else (others,)


def _extreme(what: str, value: Value, side: int) -> Value:
    numbers, doubt = _numbers(what, value)
    if not numbers:
        return Value((), doubt)
    exact = [number for number in numbers if isinstance(number, ExactItem)]
    scale = max((number.scale for number in exact), default=0)
    mantissa, begun = np.zeros(1, np.int64), _NOBODY
    for number in exact:
        candidate, own = rescaled(number, scale)
        doubt = either(doubt, within(own, number.present))
        mantissa, begun = _better(mantissa, candidate, begun, number.present, side)
    double = _extreme_double(numbers, side)
    return Value(_alternatives(numbers, double, ExactItem(mantissa, scale), any_present(value.items)), doubt)


def _better(best: Integers, candidate: Integers, begun: Flags, present: Maybe, side: int) -> tuple[Integers, Flags]:
    here = np.ones(1, np.bool_) if present is None else present
    wins = here & (~begun | (candidate > best if side > 0 else candidate < best))
    return np.where(wins, candidate, best), begun | here


def _extreme_double(numbers: list[NumberItem], side: int) -> Floats:
    best, begun = np.zeros(1), _NOBODY
    for number in numbers:
        values = as_floats(number)
        here = np.ones(1, np.bool_) if number.present is None else number.present
        # The first of 0 and -0 stays, and a NaN stays.
        better = (values > best if side > 0 else values < best) | np.isnan(values)
        best, begun = np.where(here & (~begun | (better & ~np.isnan(best))), values, best), begun | here
    return best


# The number of items of a record, and the position of one of them: exists, empty, count, index-of, exactly-one.


def exists(value: Value, *, negated: bool = False) -> Value:
    """Tell where there is an item, or (negated) none."""
    present = any_present(value.items)
    result = np.ones(1, np.bool_) if present is None else present
    return Value((truth(~result if negated else result),), value.doubt)


def count(value: Value) -> Value:
    """Return how many items there are."""
    return Value((ExactItem(how_many(value.items), 0),), value.doubt)


def the_one(value: Value) -> Value:
    """Return the one item; none or several are an error."""
    return Value(value.items, exactly_one(value, "exactly-one()"))


def index_of(values: Value, sought: Value) -> Value:
    """Return the positions, from 1, of the items equal to the sought one; incomparable items are not equal."""
    doubt = either(values.doubt, exactly_one(sought, "index-of()"))
    if len(sought.items) != 1:
        raise NotMine("index-of() looks for something that has several alternatives")
    (wanted,) = sought.items
    items: list[Item] = []
    place = np.zeros(1, np.int64)
    for item in values.items:
        place = place + (1 if item.present is None else item.present)
        found, own = compare_items("=", item, wanted) if _are_comparable(item, wanted) else (_NOWHERE, None)
        items.append(ExactItem(place, 0, both(item.present, found)))
        doubt = either(doubt, own)
    return Value(tuple(items), doubt)


_NOWHERE: Flags = np.zeros(1, np.bool_)


def _are_comparable(left: Item, right: Item) -> bool:
    if any(isinstance(item, RangeItem | DateItem | DurationItem) for item in (left, right)):
        raise NotMine("index-of() of dates, durations, or numbers with bounds only")
    families = (TextItem, TruthItem, (ExactItem, DoubleItem))
    return any(isinstance(left, family) and isinstance(right, family) for family in families)
