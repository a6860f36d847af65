"""Items read as another type: number(), casts, effective boolean values and the string function."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import assert_never

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.date_lexical import might_be_date
from constraint_sdc.evaluate.lexical import Decimals, Reading
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
    either,
    how_many,
    some,
    truth,
    within,
)

_POWERS = np.array([float(f"1e{k}") for k in range(23)])
_LARGEST = (1 << 63) - 1
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_XML_SPACE = " \t\r\n"


def number(item: Item) -> tuple[Floats, Maybe]:
    """Return the item as a double, NaN for anything that is not a number: the XPath function of this name."""
    match item:
        case TextItem(reading):
            return reading.doubles.values, reading.doubles.strange
        case TruthItem(mask):
            return mask.astype(np.float64), None
        case ExactItem():
            return exact_to_double(item.mantissa, item.scale), None
        case DoubleItem(values):
            return values, None
        case RangeItem(low):
            return low, _unsettled(item)
        case DateItem() | DurationItem():
            return np.full(1, np.nan), None
        case _:
            assert_never(item)


def _unsettled(item: RangeItem) -> Maybe:
    """Return where a number is in doubt because only its bounds are known."""
    return some(~is_settled(item.low, item.high))


def is_settled(low: Floats, high: Floats) -> Flags:
    """Tell where two ends are one number, the sign of zero included, or both NaN."""
    same: Flags = np.equal(low, high) & np.equal(np.signbit(low), np.signbit(high))
    return same | (np.isnan(low) & np.isnan(high))


def first_number(value: Value) -> tuple[Floats, Maybe]:
    """Return number() of each record's first item, NaN without one: every XPath 1.0 operand."""
    result, doubt = np.full(1, np.nan), value.doubt
    for item in reversed(value.items):
        values, own = number(item)
        result = values if item.present is None else np.where(item.present, values, result)
        doubt = either(doubt, within(own, item.present))
    return result, doubt


def exact_to_double(mantissa: Integers, scale: int) -> Floats:
    """Return `mantissa / 10^scale` correctly rounded."""
    values = mantissa.astype(np.float64)
    if scale:
        values /= _POWERS[scale]
        for row in np.flatnonzero(np.abs(mantissa) > 1 << 53).tolist():
            values[row] = float(f"{mantissa[row]}e-{scale}")
    return values


def rescaled(item: ExactItem, scale: int) -> tuple[Integers, Maybe]:
    """Return the mantissa for a finer scale, in doubt where it would overflow."""
    if scale == item.scale:
        return item.mantissa, None
    factor = 10 ** (scale - item.scale)
    limit = _LARGEST // factor
    if limit == 0:
        return item.mantissa * 0, some(item.mantissa != 0)
    return item.mantissa * np.int64(factor), some(np.abs(item.mantissa) > limit)


def numeric(item: Item, what: str) -> tuple[NumberItem, Maybe]:
    """Return an XPath 2.0 operand of arithmetic: an untyped node is cast to xs:double, in doubt where it cannot be."""
    match item:
        case TextItem(reading, True):
            return DoubleItem(reading.doubles.values, item.present), some(~reading.doubles.valid)
        case TextItem():
            raise NotMine(f"{what} of a string is a type error")
        case TruthItem():
            raise NotMine(f"{what} of a boolean is a type error")
        case RangeItem(low):
            return DoubleItem(low, item.present), _unsettled(item)
        case DateItem() | DurationItem():
            raise NotMine(f"{what} of a date or duration")
        case _:
            return item, None


def cast_double(item: Item) -> tuple[Floats, Maybe]:
    """Return xs:double(item)."""
    if isinstance(item, TextItem):
        return item.reading.doubles.values, some(~item.reading.doubles.valid)
    if isinstance(item, DateItem | DurationItem):
        raise NotMine("a cast of a date or duration to a number is a type error")
    return number(item)


def cast_boolean(item: Item) -> tuple[Flags, Maybe]:
    """Return xs:boolean(item)."""
    match item:
        case TextItem(reading):
            read = [_BOOLEANS.get(string.strip(_XML_SPACE)) for string in reading.text.strings]
            known = np.array([value is not None for value in read], np.bool_)
            return np.array([bool(value) for value in read], np.bool_), some(~known)
        case RangeItem():
            return effective_truth(item), _unsettled(item)
        case _:
            return effective_truth(item), None


def cast_exact(item: Item, to_integer: bool) -> tuple[ExactItem, Maybe]:
    """Return xs:integer(item) or xs:decimal(item)."""
    match item:
        case TextItem(reading):
            read: Decimals = reading.integers if to_integer else reading.decimals
            return ExactItem(read.mantissa, read.scale, item.present), some(~read.fits)
        case TruthItem(mask):
            return ExactItem(mask.astype(np.int64), 0, item.present), None
        case ExactItem(mantissa, scale):
            if not to_integer:
                return ExactItem(mantissa, scale, item.present), None
            factor = np.int64(10**scale)
            return ExactItem((mantissa - np.fmod(mantissa, factor)) // factor, 0, item.present), None
        case DoubleItem(values):
            # A double with a fraction has up to 1,074 decimals as xs:decimal; only whole numbers are supported.
            whole = np.trunc(values)
            fits = (np.abs(values) < 2.0**62) & ((whole == values) | to_integer)
            return ExactItem(np.where(fits, whole, 0).astype(np.int64), 0, item.present), some(~fits)
        case RangeItem(low):
            exact, doubt = cast_exact(DoubleItem(low, item.present), to_integer)
            return exact, either(doubt, _unsettled(item))
        case DateItem() | DurationItem():
            raise NotMine("a cast of a date or duration to a number is a type error")
        case _:
            assert_never(item)


def effective_truth(item: Item) -> Flags:
    """Return the effective boolean value of a single item."""
    match item:
        case TextItem(reading, is_node):
            return np.ones(1, np.bool_) if is_node else np.greater(reading.text.length, 0)
        case TruthItem(mask):
            return mask
        case ExactItem(mantissa):
            return np.not_equal(mantissa, 0)
        case DoubleItem(values):
            return np.not_equal(values, 0) & ~np.isnan(values)
        case RangeItem(low):
            return np.not_equal(low, 0) & ~np.isnan(low)
        case DateItem() | DurationItem():
            raise NotMine("the effective boolean value of a date or duration is an error")
        case _:
            assert_never(item)


def effective_boolean(value: Value) -> tuple[Flags, Maybe]:
    """Return the effective boolean value of a sequence: a first node is true, two atomic items are an error."""
    if value.certain > 1 and not all(map(_is_node, value.items)):
        raise NotMine("the effective boolean value of a sequence of several atomic values is an error")
    result, doubt = np.zeros(1, np.bool_), value.doubt
    earlier = np.zeros(1, np.bool_)  # records with an item already
    atomic_first = np.zeros(1, np.bool_)
    for item in value.items:
        here = np.ones(1, np.bool_) if item.present is None else item.present
        own = _unsettled(item) if isinstance(item, RangeItem) else None
        doubt = either(doubt, some(atomic_first & here), within(own, item.present))
        first = here & ~earlier
        result = result | (first & effective_truth(item))
        earlier = earlier | here
        if not _is_node(item):
            atomic_first = atomic_first | first
    return result, doubt


def _is_node(item: Item) -> bool:
    return isinstance(item, TextItem) and item.is_node


def as_text(item: Item) -> tuple[Reading, Maybe]:
    """Return the item as the string function writes it."""
    match item:
        case TextItem(reading):
            return reading, None
        case TruthItem(mask):
            return Reading(Text.of_strings("true" if value else "false" for value in mask.tolist())), None
        case ExactItem(mantissa, scale):
            return Reading(Text.of_strings(_decimal_text(value, scale) for value in mantissa.tolist())), None
        case DoubleItem(values):
            written = [_double_text(value) for value in values.tolist()]
            unknown = np.array([string is None for string in written], np.bool_)
            return Reading(Text.of_strings(string or "" for string in written)), some(unknown)
        case DateItem("xs:date", numbers):
            return Reading(Text.of_strings(map(DateNotation.ISO_DAY.text, numbers.tolist()))), None
        case RangeItem(low):
            written_low, doubt = as_text(DoubleItem(low))
            return written_low, either(doubt, _unsettled(item))
        case DateItem() | DurationItem():
            raise NotMine("the text of a duration, or of a date of another type than xs:date")
        case _:
            assert_never(item)


def _decimal_text(mantissa: int, scale: int) -> str:
    if not scale:
        return str(mantissa)
    written = f"{Decimal(mantissa).scaleb(-scale):f}".rstrip("0").rstrip(".")
    return "0" if written in ("-0", "") else written


def _double_text(value: float) -> str | None:
    """Write a double as XPath does, or None where two shortest forms could exist or an exponent is written.

    A double with a decimal form of at most 15 digits has no other form as short.
    """
    if value != value:
        return "NaN"
    if value in (np.inf, -np.inf):
        return "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0" if np.signbit(value) else "0"
    if not 1e-6 <= abs(value) < 1e6:
        return None
    written = f"{Decimal(repr(value)):f}"
    digits = written.replace("-", "").replace(".", "").strip("0")
    return None if len(digits) > 15 else written.removesuffix(".0")


def string_or_empty(value: Value) -> tuple[Reading, Maybe]:
    """Return the text of each record's first item, '' where it has none."""
    if len(value.items) == 1:
        item = value.items[0]
        reading, own = as_text(item)
        if item.present is None:
            return reading, either(value.doubt, own)
        blank = reading.text.blank_unless(item.present)
        return (reading if blank is reading.text else Reading(blank)), either(value.doubt, within(own, item.present))
    result, doubt = Text.of_strings([""]), value.doubt
    for item in reversed(value.items):
        reading, own = as_text(item)
        doubt = either(doubt, within(own, item.present))
        result = reading.text if item.present is None else reading.text.where(item.present, result)
    return Reading(result), doubt


# `castable as`: whether a cast would succeed, without the doubts about its result.

_ATOMIC = ("xs:string", "xs:boolean", "xs:integer", "xs:decimal", "xs:double", "xs:float")
_DATED = ("xs:date", "xs:dateTime", "xs:gYearMonth")
_FAR = 1 << 63
_RANGES = {
    "xs:nonNegativeInteger": (0, _FAR),
    "xs:positiveInteger": (1, _FAR),
    "xs:nonPositiveInteger": (-_FAR, 0),
    "xs:negativeInteger": (-_FAR, -1),
    "xs:int": (-(1 << 31), (1 << 31) - 1),
    "xs:short": (-(1 << 15), (1 << 15) - 1),
    "xs:byte": (-(1 << 7), (1 << 7) - 1),
    "xs:unsignedInt": (0, (1 << 32) - 1),
    "xs:unsignedShort": (0, (1 << 16) - 1),
    "xs:unsignedByte": (0, (1 << 8) - 1),
}
_PLAIN_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def castable(value: Value, type_name: str, optional: bool) -> Value:
    """Return whether each record's value is one item that can be cast to the type (or none, when optional)."""
    if type_name not in (*_ATOMIC, *_RANGES, *_DATED):
        raise NotMine(f"castable as {type_name}")
    result, doubt = np.zeros(1, np.bool_), value.doubt
    for item in value.items:
        legal, own = _is_legal(item, type_name)
        result = result | (legal if item.present is None else legal & item.present)
        doubt = either(doubt, within(own, item.present))
    count = how_many(value.items)
    result = result & (count == 1)
    return Value((truth(result | (count == 0) if optional else result),), doubt)


def _is_legal(item: Item, type_name: str) -> tuple[Flags, Maybe]:
    match item, type_name:
        case TextItem(reading), "xs:double" | "xs:float":
            return reading.doubles.valid, reading.doubles.strange
        case TextItem(reading), "xs:decimal":
            return reading.decimals.valid, None
        case TextItem(reading), "xs:integer":
            return reading.integers.valid, None
        case TextItem(reading), "xs:boolean":
            illegal = cast_boolean(item)[1]
            return np.ones(len(reading.text), np.bool_) if illegal is None else ~illegal, None
        case RangeItem(low), _:
            legal, doubt = _is_legal(DoubleItem(low), type_name)
            return legal, either(doubt, _unsettled(item))
        case DateItem() | DurationItem(), _:
            raise NotMine(f"castable as {type_name} of a date or duration")
        case TextItem(reading), _ if type_name in _DATED:
            return _dates(reading, type_name)
        case TextItem(reading), _ if type_name in _RANGES:
            return _ranged(reading, *_RANGES[type_name])
        case DoubleItem(values), "xs:integer" | "xs:decimal":
            return np.isfinite(values), None
    if type_name not in _ATOMIC:
        raise NotMine(f"castable as {type_name} of something that is not text")
    return np.ones(1, np.bool_), None


def _ranged(reading: Reading, least: int, most: int) -> tuple[Flags, Maybe]:
    read = reading.integers
    inside = (read.mantissa >= max(least, 1 - _FAR)) & (read.mantissa <= min(most, _FAR - 1))
    return read.fits & inside, some(read.valid & ~read.fits)


def _dates(reading: Reading, type_name: str) -> tuple[Flags, Maybe]:
    """Decide plain dates of the years 1 to 9999; Saxon judges time zones and other years."""
    fits = reading.times(type_name).fits
    open_ones = might_be_date(reading.text) & ~fits
    if type_name == "xs:date" and open_ones.any():
        trimmed = [string.strip(_XML_SPACE) for string in reading.text.strings]
        plain = [_PLAIN_DATE.fullmatch(string) is not None and string[:4] != "0000" for string in trimmed]
        open_ones = open_ones & ~np.array(plain, np.bool_)
    return fits, some(open_ones)
