"""`castable as`: whether a cast would succeed, without the doubts of doing it."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.conversion import cast_boolean
from constraint_sdc.evaluate.text import Mask
from constraint_sdc.evaluate.value import DoubleItem, Item, NotMine, TextItem, Value, how_many, truth


def castable(value: Value, type_name: str, optional: bool) -> Value:
    """Return whether each record's value is one item that the type takes (or none, when optional)."""
    if type_name not in _TYPES:
        raise NotMine(f"castable as {type_name}")
    result = np.zeros(1, np.bool_)
    for item in value.items:
        legal = _is_legal(item, type_name)
        result = result | (legal if item.present is None else legal & item.present)
    count = how_many(value.items)
    result = result & (count == 1)
    return Value((truth(result | (count == 0) if optional else result),), value.doubt)


_TYPES = ("xs:string", "xs:boolean", "xs:integer", "xs:decimal", "xs:double", "xs:float")


def _is_legal(item: Item, type_name: str) -> Mask:
    match item:
        case TextItem(reading):
            match type_name:
                case "xs:double" | "xs:float":
                    return reading.doubles.valid
                case "xs:decimal":
                    return reading.decimals.valid
                case "xs:integer":
                    return reading.integers.valid
                case "xs:boolean":
                    doubt = cast_boolean(item)[1]
                    return np.ones(len(reading.text), np.bool_) if doubt is None else ~doubt
        case DoubleItem(values) if type_name in ("xs:integer", "xs:decimal"):
            return np.isfinite(values)
    return np.ones(1, np.bool_)
