"""General and value comparisons, in XPath 2.0 and later and in XPath 1.0 compatibility mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.data.text import Text, equal, order
from constraint_sdc.evaluate.arithmetic import as_floats
from constraint_sdc.evaluate.conversion import cast_boolean, effective_boolean, number, rescaled
from constraint_sdc.evaluate.dates import cast_time
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.ranges import compare_ranges
from constraint_sdc.evaluate.value import (
    DateItem,
    DoubleItem,
    DurationItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    RangeItem,
    TextItem,
    TimeItem,
    TruthItem,
    Value,
    at_most_one,
    both,
    either,
    some,
    truth,
    within,
)

# `V1 = ('A', 'B', ...)`: a code list is one search in a sorted set, not a comparison for each code.

_SHORTEST = 8


def is_listed(item: Item, codes: Value) -> Flags | None:
    """Tell where an item, if present, equals one of many constants; None where the two are not of that kind.

    Texts are compared as strings, numbers as doubles (as always, unless both sides are exact).
    """
    if len(codes.items) < _SHORTEST or any(code.present is not None for code in codes.items):
        return None
    if isinstance(item, TextItem) and all(isinstance(code, TextItem) for code in codes.items):
        return _text_is_listed(item, [code.reading.text for code in codes.items if isinstance(code, TextItem)])
    if isinstance(item, TextItem | DoubleItem):
        return _number_is_listed(item, codes)
    return None


def _text_is_listed(item: TextItem, codes: list[Text]) -> Flags | None:
    if any(len(code) != 1 for code in codes):
        return None
    text, present = item.reading.text.broadcast(item.present)
    return Domain.of_text(Text.of_strings(code.strings[0] for code in codes)).contains_text(text, present)


def _number_is_listed(item: TextItem | DoubleItem, codes: Value) -> Flags | None:
    constants = [as_floats(code) for code in codes.items if isinstance(code, ExactItem | DoubleItem)]
    if len(constants) < len(codes.items) or any(len(values) != 1 or np.signbit(values[0]) for values in constants):
        return None
    values, _ = number(item)
    return np.isin(values, np.concatenate(constants))


_MOST_PAIRS = 1000
_OPERATIONS: dict[CompareOp, Callable[[Any, Any], Flags]] = {
    "=": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def compare_general(op: CompareOp, left: Value, right: Value, *, xpath1: bool) -> Value:
    """Return whether some pair of items compares so; never empty."""
    if xpath1 and (_is_boolean(left) or _is_boolean(right)):
        return _compare_as_booleans(op, left, right)
    if xpath1 and any(isinstance(item, TruthItem) for item in left.items + right.items):
        raise NotMine("an XPath 1.0 comparison with something that is sometimes a boolean")
    listed = _compare_with_codes(op, left, right, xpath1)
    if listed is not None:
        return listed
    if len(left.items) * len(right.items) > _MOST_PAIRS:
        raise NotMine(f"operator {op} compares too many pairs")
    pair = _pair_in_xpath1 if xpath1 else _pair
    result, doubt = np.zeros(1, np.bool_), either(left.doubt, right.doubt)
    for a in left.items:
        for b in right.items:
            holds, own = pair(op, a, b)
            present = both(a.present, b.present)
            result = result | (holds if present is None else holds & present)
            # Saxon may convert one operand, and fail, before it finds that the other is empty.
            doubt = either(doubt, within(own, a.present if isinstance(a, TextItem) else b.present))
    return Value((truth(result),), doubt)


def _compare_with_codes(op: CompareOp, left: Value, right: Value, xpath1: bool) -> Value | None:
    if op != "=" or len(left.items) != 1:
        return None
    (item,) = left.items
    holds = is_listed(item, right)
    if holds is None:
        return None
    # All codes are of one family, so the first of them shows how all compare with the item.
    _, own = (_pair_in_xpath1 if xpath1 else _pair)(op, item, _zero_like(right.items[0]))
    result = holds if item.present is None else holds & item.present
    return Value((truth(result),), either(left.doubt, right.doubt, within(own, item.present)))


def _zero_like(code: Item) -> Item:
    return code if isinstance(code, TextItem) else DoubleItem(np.zeros(1))


def compare_values(op: CompareOp, left: Value, right: Value) -> Value:
    """Return a value comparison such as `left eq right`: empty where an operand is; nodes always compare as strings."""
    doubt = either(at_most_one(left, "a value comparison"), at_most_one(right, "a value comparison"))
    items = []
    for a in left.items:
        for b in right.items:
            holds, own = _pair(op, _as_string(a), _as_string(b))
            present = both(a.present, b.present)
            items.append(truth(holds, present))
            doubt = either(doubt, within(own, present))
    return Value(tuple(items), doubt, has_void=left.may_be_void or right.may_be_void)


def compare_items(op: CompareOp, left: Item, right: Item) -> tuple[Flags, Maybe]:
    """Compare two items as value comparisons do."""
    return _pair(op, _as_string(left), _as_string(right))


def _as_string(item: Item) -> Item:
    return TextItem(item.reading, False, item.present) if isinstance(item, TextItem) else item


def _pair(op: CompareOp, left: Item, right: Item) -> tuple[Flags, Maybe]:
    if isinstance(left, RangeItem) or isinstance(right, RangeItem):
        return compare_ranges(op, left, right)
    match left, right:
        case TextItem(ours), TextItem(theirs):
            return _compare_texts(op, ours, theirs), None
        case ExactItem(), ExactItem():
            scale = max(left.scale, right.scale)
            a, doubt_a = rescaled(left, scale)
            b, doubt_b = rescaled(right, scale)
            return _OPERATIONS[op](a, b), either(doubt_a, doubt_b)
        # A decimal is compared with a double as a double: 9007199254740993 = 9007199254740992e0 holds.
        case ExactItem() | DoubleItem(), ExactItem() | DoubleItem():
            return _OPERATIONS[op](as_floats(left), as_floats(right)), None
        case TruthItem(ours_true), TruthItem(theirs_true):
            return _OPERATIONS[op](ours_true, theirs_true), None
        case TextItem(_, True), ExactItem() | DoubleItem():
            values, numbers = left.reading.doubles.values, as_floats(right)
            return _OPERATIONS[op](values, numbers), _untyped_doubt(left.reading, numbers)
        case ExactItem() | DoubleItem(), TextItem(_, True):
            values, numbers = right.reading.doubles.values, as_floats(left)
            return _OPERATIONS[op](numbers, values), _untyped_doubt(right.reading, numbers)
        case TextItem(_, True), TruthItem(mask):
            values_true, doubt = cast_boolean(left)
            return _OPERATIONS[op](values_true, mask), doubt
        case TruthItem(mask), TextItem(_, True):
            values_true, doubt = cast_boolean(right)
            return _OPERATIONS[op](mask, values_true), doubt
        case DateItem(type=one), DateItem(type=other) if one == other:
            return _compare_dates(op, left, right), None
        case TextItem(_, True), DateItem(type=type_name):
            date, doubt = cast_time(left, type_name)
            return _compare_dates(op, date, right), doubt
        case DateItem(type=type_name), TextItem(_, True):
            date, doubt = cast_time(right, type_name)
            return _compare_dates(op, left, date), doubt
        case DurationItem(a, one_months), DurationItem(b, other_months) if one_months == other_months:
            return _OPERATIONS[op](a, b), None
    raise NotMine(f"comparing {_type_name(left)} with {_type_name(right)} is a type error")


def _compare_dates(op: CompareOp, left: TimeItem, right: TimeItem) -> Flags:
    assert isinstance(left, DateItem)
    assert isinstance(right, DateItem)
    if op not in ("=", "!=") and left.type not in ("xs:date", "xs:dateTime"):
        raise NotMine(f"{left.type} has no order")
    return _OPERATIONS[op](left.number, right.number)


def _untyped_doubt(reading: Reading, numbers: Floats) -> Maybe:
    """Return the doubt about an untyped value that is compared with a number in XPath 2.0.

    A text that is not a number is an error. Saxon orders an untyped NaN above every number and mostly distinguishes -0
    from 0: neither follows XPath, so Saxon judges these.
    """
    values = reading.doubles.values
    doubt = some(np.isnan(values))
    zero = values == 0
    if zero.any():
        doubt = either(doubt, some(zero & (numbers == 0) & (np.signbit(values) | np.signbit(numbers))))
    return doubt


def _pair_in_xpath1(op: CompareOp, left: Item, right: Item) -> tuple[Flags, Maybe]:
    if isinstance(left, TextItem) and isinstance(right, TextItem) and op in ("=", "!="):
        return _compare_texts(op, left.reading, right.reading), None
    ours, doubt_ours = number(left)
    theirs, doubt_theirs = number(right)
    result = _OPERATIONS[op](ours, theirs)
    if isinstance(left, ExactItem) and isinstance(right, ExactItem):
        # By the standard 9007199254740993 = 9007199254740992 holds in XPath 1.0, as doubles. Saxon agrees on literals,
        # but compares computed decimals exactly.
        exactly, doubt = _pair(op, left, right)
        return result, either(doubt, some(exactly != result))
    return result, either(doubt_ours, doubt_theirs)


def _is_boolean(value: Value) -> bool:
    return len(value.items) == 1 and isinstance(value.items[0], TruthItem) and value.items[0].present is None


def _compare_as_booleans(op: CompareOp, left: Value, right: Value) -> Value:
    """Compare effective boolean values: what XPath 1.0 does as soon as one operand is a boolean."""
    ours, doubt_ours = effective_boolean(left)
    theirs, doubt_theirs = effective_boolean(right)
    return Value((truth(_OPERATIONS[op](ours, theirs)),), either(doubt_ours, doubt_theirs))


def _compare_texts(op: CompareOp, left: Reading, right: Reading) -> Flags:
    if op == "=":
        return equal(left.text, right.text)
    if op == "!=":
        return ~equal(left.text, right.text)
    sides: npt.NDArray[np.int8] = order(left.text, right.text)
    return _OPERATIONS[op](sides, 0)


def _type_name(item: Item) -> str:
    match item:
        case TextItem(_, is_node):
            return "an untyped value" if is_node else "a string"
        case TruthItem():
            return "a boolean"
        case ExactItem() | DoubleItem() | RangeItem():
            return "a number"
        case DateItem() | DurationItem():
            return "a date or duration"
