"""Dates and durations: casts, arithmetic, comparisons and their parts, in XPath 2.0 and later."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Integers
from constraint_sdc.calendar import FIRST_DAY, LAST_DAY, day_parts, shifted_by_months
from constraint_sdc.evaluate.arithmetic import quotient
from constraint_sdc.evaluate.date_lexical import DATE_TYPES, DAY_SECONDS, READERS
from constraint_sdc.evaluate.expression import ArithmeticOp
from constraint_sdc.evaluate.value import (
    DateItem,
    DurationItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    TextItem,
    TimeItem,
    Value,
    at_most_one,
    both,
    either,
    map_each,
    some,
    within,
)

TimeFunction: TypeAlias = Callable[[tuple[Value, ...], bool], Value]

_MOST_PAIRS = 16
_DURATIONS = ("xs:dayTimeDuration", "xs:yearMonthDuration")
_FARTHEST = 10**9  # days or months: beyond, and with larger factors, Saxon computes


def is_about_time(*values: Value) -> bool:
    """Tell whether a date or a duration is among the items."""
    return any(isinstance(item, DateItem | DurationItem) for value in values for item in value.items)


# Casts.


def cast_time(item: Item, type_name: str) -> tuple[TimeItem, Maybe]:
    """Return an item as a type of dates or durations, in doubt where it is not in a plain form."""
    match item:
        case TextItem(reading):
            read = reading.times(type_name)
            return _time(type_name, read.numbers, item.present), some(~read.fits)
        case DateItem(own, number) if own == type_name:
            return item, None
        case DateItem("xs:dateTime", number) if type_name == "xs:date":
            return DateItem("xs:date", number // DAY_SECONDS, item.present), None
        case DateItem("xs:date", number) if type_name == "xs:dateTime":
            return DateItem("xs:dateTime", number * DAY_SECONDS, item.present), None
        case DurationItem(_, is_months) if type_name == _DURATIONS[is_months]:
            return item, None
    raise NotMine(f"{type_name}() of something that is not text")


def _time(type_name: str, numbers: Integers, present: Maybe) -> TimeItem:
    if type_name in DATE_TYPES:
        return DateItem(type_name, numbers, present)
    return DurationItem(numbers, type_name == "xs:yearMonthDuration", present)


def _constructor(type_name: str) -> tuple[int, int, TimeFunction]:
    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        _refuse_old(xpath1)
        return map_each(arguments[0], f"{type_name}()", lambda item: cast_time(item, type_name))

    return 1, 1, apply


def _refuse_old(xpath1: bool) -> None:
    if xpath1:
        raise NotMine("dates in XPath 1.0 mode")


# Arithmetic.


def time_arithmetic(op: ArithmeticOp, left: Value, right: Value) -> Value:
    """Return `left op right` where one of them is a date or a duration."""
    if len(left.items) * len(right.items) > _MOST_PAIRS:
        raise NotMine(f"an operand of {op} has too many alternatives")
    doubt = either(at_most_one(left, f"operator {op}"), at_most_one(right, f"operator {op}"))
    items = []
    for a in left.items:
        for b in right.items:
            item, own = _computed(op, a, b, both(a.present, b.present))
            items.append(item)
            doubt = either(doubt, within(own, item.present))
    return Value(tuple(items), doubt, has_void=left.may_be_void or right.may_be_void)


def _computed(op: ArithmeticOp, left: Item, right: Item, present: Maybe) -> tuple[Item, Maybe]:
    match op, left, right:
        case "-", DateItem("xs:date", a), DateItem("xs:date", b):
            return DurationItem((a - b) * DAY_SECONDS, False, present), None
        case "-", DateItem("xs:dateTime", a), DateItem("xs:dateTime", b):
            return DurationItem(a - b, False, present), None
        case "+" | "-", DateItem("xs:date" | "xs:dateTime"), DurationItem():
            return _shifted(left, right, 1 if op == "+" else -1, present)
        case "+", DurationItem(), DateItem("xs:date" | "xs:dateTime"):
            return _shifted(right, left, 1, present)
        case "+" | "-", DurationItem(a, one), DurationItem(b, other) if one == other:
            return _bounded(a + b if op == "+" else a - b, one, present)
        case "div", DurationItem(a, one), DurationItem(b, other) if one == other:
            ratio, doubt = quotient(a, b)
            return ExactItem(ratio, 6, present), doubt
        case "*", DurationItem(a, is_months), ExactItem(factor, 0):
            return _multiplied(a, factor, is_months, present)
        case "*", ExactItem(factor, 0), DurationItem(a, is_months):
            return _multiplied(a, factor, is_months, present)
    raise NotMine(f"operator {op} on this pair of dates, durations or numbers")


def _multiplied(amount: Integers, factor: Integers, is_months: bool, present: Maybe) -> tuple[Item, Maybe]:
    small = np.abs(factor) <= 10**4
    product, doubt = _bounded(amount * np.where(small, factor, 0), is_months, present)
    return product, either(doubt, some(~small))


def _bounded(amount: Integers, is_months: bool, present: Maybe) -> tuple[DurationItem, Maybe]:
    limit = _FARTHEST if is_months else _FARTHEST * DAY_SECONDS
    return DurationItem(amount, is_months, present), some(np.abs(amount) > limit)


def _shifted(start: DateItem, by: DurationItem, sign: int, present: Maybe) -> tuple[Item, Maybe]:
    if by.is_months:
        return _months_later(start, sign * by.amount, present)
    is_date = start.type == "xs:date"
    seconds = (start.number * DAY_SECONDS if is_date else start.number) + sign * by.amount
    days = seconds // DAY_SECONDS  # a part of a day counts from the beginning of the day
    inside = (days >= FIRST_DAY) & (days <= LAST_DAY)
    return DateItem(start.type, np.where(inside, days if is_date else seconds, 0), present), some(~inside)


def _months_later(start: DateItem, months: Integers, present: Maybe) -> tuple[Item, Maybe]:
    days, rest = np.divmod(start.number, 1 if start.type == "xs:date" else DAY_SECONDS)
    pairs = zip(*(array.tolist() for array in np.broadcast_arrays(days, months)), strict=True)
    found = [shifted_by_months(day, month) for day, month in pairs]
    number = np.array([day or 0 for day in found], np.int64)
    if start.type == "xs:dateTime":
        number = number * DAY_SECONDS + rest
    return DateItem(start.type, number, present), some(np.array([day is None for day in found], np.bool_))


# Parts of dates and durations.

_PART = {"year": 0, "month": 1, "day": 2}


def _part_of_date(part: str, type_name: str) -> tuple[int, int, TimeFunction]:
    name, place = f"{part}-from-{type_name.removeprefix('xs:')}()", _PART[part]

    def one(item: Item) -> tuple[Item, Maybe]:
        if not (isinstance(item, TextItem) and item.is_node) and not (
            isinstance(item, DateItem) and item.type == type_name
        ):
            raise NotMine(f"{name} of something that is not a {type_name} is a type error")
        time, doubt = cast_time(item, type_name)
        assert isinstance(time, DateItem)
        days = time.number // DAY_SECONDS if type_name == "xs:dateTime" else time.number
        parts = [day_parts(day)[place] for day in days.tolist()]
        return ExactItem(np.array(parts, np.int64), 0, item.present), doubt

    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        _refuse_old(xpath1)
        return map_each(arguments[0], name, one)

    return 1, 1, apply


def _part_of_duration(name: str, is_months: bool, unit: int, modulus: int | None) -> tuple[int, int, TimeFunction]:
    def one(item: Item) -> tuple[Item, Maybe]:
        if not isinstance(item, DurationItem):
            raise NotMine(f"{name}() of something that is not a duration")
        if item.is_months != is_months:
            return ExactItem(np.zeros(1, np.int64), 0, item.present), None
        size = np.abs(item.amount) // unit
        if modulus is not None:
            size = size % modulus
        return ExactItem(np.sign(item.amount) * size, 0, item.present), None

    def apply(arguments: tuple[Value, ...], xpath1: bool) -> Value:
        _refuse_old(xpath1)
        return map_each(arguments[0], f"{name}()", one)

    return 1, 1, apply


TIME_FUNCTIONS: dict[str, tuple[int, int, TimeFunction]] = {
    **{type_name: _constructor(type_name) for type_name in READERS},
    **{
        f"{part}-from-{type_name.removeprefix('xs:')}": _part_of_date(part, type_name)
        for part in _PART
        for type_name in ("xs:date", "xs:dateTime")
    },
    "days-from-duration": _part_of_duration("days-from-duration", False, DAY_SECONDS, None),
    "hours-from-duration": _part_of_duration("hours-from-duration", False, 3600, 24),
    "minutes-from-duration": _part_of_duration("minutes-from-duration", False, 60, 60),
    "years-from-duration": _part_of_duration("years-from-duration", True, 12, None),
    "months-from-duration": _part_of_duration("months-from-duration", True, 1, 12),
}
