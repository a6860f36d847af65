"""`V1 = ('A', 'B', ...)`: a code list is one search in a sorted set, not a comparison for each code."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.arithmetic import as_floats
from constraint_sdc.evaluate.conversion import number
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.text import Mask, Text
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, Item, TextItem, Value

_SHORTEST = 8


def is_listed(item: Item, codes: Value) -> Mask | None:
    """Tell where an item, if present, equals one of many constants; None where the two are not of that kind.

    Texts meet as strings. Numbers meet as doubles, as all do unless both are exact.
    """
    if len(codes.items) < _SHORTEST or any(code.present is not None for code in codes.items):
        return None
    if isinstance(item, TextItem) and all(isinstance(code, TextItem) for code in codes.items):
        return _text_is_listed(item, [code.reading.text for code in codes.items if isinstance(code, TextItem)])
    if isinstance(item, TextItem | DoubleItem):
        return _number_is_listed(item, codes)
    return None


def _text_is_listed(item: TextItem, codes: list[Text]) -> Mask | None:
    if any(len(code) != 1 for code in codes):
        return None
    text, present = item.reading.text.broadcast(item.present)
    return Domain.of_text(Text.of_strings(code.strings[0] for code in codes)).contains_text(text, present)


def _number_is_listed(item: TextItem | DoubleItem, codes: Value) -> Mask | None:
    constants = [as_floats(code) for code in codes.items if isinstance(code, ExactItem | DoubleItem)]
    if len(constants) < len(codes.items) or any(len(values) != 1 or np.signbit(values[0]) for values in constants):
        return None
    values, _ = number(item)
    return np.isin(values, np.concatenate(constants))
