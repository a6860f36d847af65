"""`castable as`: whether a cast would succeed, without the doubts of doing it."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.conversion import cast_boolean
from constraint_sdc.evaluate.text import Mask
from constraint_sdc.evaluate.value import (
    DoubleItem,
    Item,
    Maybe,
    NotMine,
    TextItem,
    Value,
    either,
    how_many,
    truth,
    within,
)


def castable(value: Value, type_name: str, optional: bool) -> Value:
    """Return whether each record's value is one item that the type takes (or none, when optional)."""
    if type_name not in _TYPES:
        raise NotMine(f"castable as {type_name}")
    result, doubt = np.zeros(1, np.bool_), value.doubt
    for item in value.items:
        legal, own = _is_legal(item, type_name)
        result = result | (legal if item.present is None else legal & item.present)
        doubt = either(doubt, within(own, item.present))
    count = how_many(value.items)
    result = result & (count == 1)
    return Value((truth(result | (count == 0) if optional else result),), doubt)


_TYPES = ("xs:string", "xs:boolean", "xs:integer", "xs:decimal", "xs:double", "xs:float")


def _is_legal(item: Item, type_name: str) -> tuple[Mask, Maybe]:
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
        case DoubleItem(values), "xs:integer" | "xs:decimal":
            return np.isfinite(values), None
    return np.ones(1, np.bool_), None
