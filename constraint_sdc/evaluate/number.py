"""The value of a numeric expression on every record, bit for bit as XPath computes it.

It derives a rule's dependent variable: one side of the rule's own comparison, in the rule's own arithmetic.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags
from constraint_sdc.evaluate.conversion import number, numeric, rescaled
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Expression, Outside
from constraint_sdc.evaluate.truth import evaluate_value
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    NumberItem,
    Records,
    TextItem,
    Value,
    either,
    how_many,
    within,
)

_T = TypeVar("_T", np.float64, np.int64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """One number for each record: `doubles`, or exactly `mantissa / 10**scale` (xs:integer and xs:decimal).

    One of the two is None. Where `unsure`, the record has no number (a missing operand) or only Saxon can compute it,
    and the arrays are undefined. NaN and infinities are numbers that XPath computes: they are not unsure.
    """

    doubles: npt.NDArray[np.float64] | None
    mantissa: npt.NDArray[np.int64] | None
    scale: int
    unsure: Flags


def evaluate_number(
    expression: Expression, records: Records, *, xpath1: bool, domains: Mapping[Outside, Domain]
) -> Numbers | None:
    """Return the expression's number on each record; a variable alone is read as a double.

    None for an expression that the evaluator does not support, that is a string, a boolean or a sequence, or that is
    exact on some records and a double on others.
    """
    try:
        value = evaluate_value(expression, records, xpath1=xpath1, domains=domains)
        if value.certain > 1 or not value.items:
            return None
        items, doubt = _number_items(value, xpath1)
    except NotMine:
        return None
    shape = (records.count,)
    unsure = how_many(value.items) != 1
    if all(isinstance(item, DoubleItem) for item in items):
        doubles = _merged([(item.values, item.present) for item in items if isinstance(item, DoubleItem)])
        return Numbers(np.broadcast_to(doubles, shape).copy(), None, 0, _spread(unsure, doubt, shape))
    exact = [item for item in items if isinstance(item, ExactItem)]
    if len(exact) < len(items):
        return None
    scale = max(item.scale for item in exact)
    parts = []
    for item in exact:
        mantissa, own = rescaled(item, scale)
        parts.append((mantissa, item.present))
        doubt = either(doubt, within(own, item.present))
    return Numbers(None, np.broadcast_to(_merged(parts), shape).copy(), scale, _spread(unsure, doubt, shape))


def _number_items(value: Value, xpath1: bool) -> tuple[list[NumberItem], Maybe]:
    items, doubt = [], value.doubt
    for item in value.items:
        converted, own = _first_version(item) if xpath1 else numeric(item, "a number")
        items.append(converted)
        doubt = either(doubt, within(own, item.present))
    return items, doubt


def _first_version(item: Item) -> tuple[NumberItem, Maybe]:
    if isinstance(item, TextItem) and item.is_node:
        values, doubt = number(item)
        return DoubleItem(values, item.present), doubt
    return numeric(item, "a number")


def _merged(parts: list[tuple[npt.NDArray[_T], Maybe]]) -> npt.NDArray[_T]:
    """Return each record's own alternative."""
    result, _ = parts[0]
    for values, present in parts[1:]:
        result = values if present is None else np.where(present, values, result)
    return result


def _spread(unsure: Flags, doubt: Maybe, shape: tuple[int]) -> Flags:
    return np.broadcast_to(unsure if doubt is None else unsure | doubt, shape).copy()
