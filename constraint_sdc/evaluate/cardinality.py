"""How many items a record has, and where one of them stands: exists, empty, count, index-of, exactly-one."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.comparison import compare_items
from constraint_sdc.evaluate.text import Mask
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    NotMine,
    TextItem,
    TruthItem,
    Value,
    any_present,
    both,
    either,
    exactly_one,
    how_many,
    truth,
)


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
    """Return the places, from 1, of the items equal to the sought one; what cannot be compared is not equal."""
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


_NOWHERE: Mask = np.zeros(1, np.bool_)


def _are_comparable(left: Item, right: Item) -> bool:
    families = (TextItem, TruthItem, (ExactItem, DoubleItem))
    return any(isinstance(left, family) and isinstance(right, family) for family in families)
