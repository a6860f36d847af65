"""`castable as`: whether a cast would succeed, without the doubts about its result."""

from __future__ import annotations

import re
from datetime import date

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.evaluate.conversion import cast_boolean
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.value import (
    DoubleItem,
    Item,
    Maybe,
    NotMine,
    TextItem,
    Value,
    either,
    how_many,
    some,
    truth,
    within,
)

_ATOMIC = ("xs:string", "xs:boolean", "xs:integer", "xs:decimal", "xs:double", "xs:float")
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
_DATE_LIKE = re.compile(r"[-+:Z0-9]*")


def castable(value: Value, type_name: str, optional: bool) -> Value:
    """Return whether each record's value is one item that can be cast to the type (or none, when optional)."""
    if type_name not in (*_ATOMIC, *_RANGES, "xs:date"):
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
        case TextItem(reading), "xs:date":
            return _dates(reading)
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


def _dates(reading: Reading) -> tuple[Flags, Maybe]:
    """Decide plain dates of the years 1 to 9999; Saxon judges time zones and other years."""
    trimmed = [string.strip(" \t\r\n") for string in reading.text.strings]
    plain = np.array([_PLAIN_DATE.fullmatch(string) is not None for string in trimmed], np.bool_)
    legal = np.array([_is_date(string) for string in trimmed], np.bool_)
    similar = np.array([_DATE_LIKE.fullmatch(string) is not None for string in trimmed], np.bool_)
    return legal, some((similar & ~plain) | np.array([s.startswith("0000") for s in trimmed], np.bool_))


def _is_date(string: str) -> bool:
    if _PLAIN_DATE.fullmatch(string) is None:
        return False
    try:
        date.fromisoformat(string)
    except ValueError:
        return False
    return True
