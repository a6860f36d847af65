"""The value of an expression on many records at once: a sequence of items, each of one type known beforehand.

The types of a value never depend on the data. An item that only some records have carries a mask, `present`; None
means that every record has it. `doubt` marks the records whose value Saxon must compute: XPath would raise an error
there, or a number leaves the exact range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers
from constraint_sdc.data.table import Chunk, Column
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.lexical import Reading

Maybe: TypeAlias = Flags | None


class NotMine(Exception):  # noqa: N818 - a refusal is an answer, not a fault
    """The evaluator does not support this expression; the message is the reason."""


@dataclass(frozen=True, slots=True)
class TextItem:
    """An untyped node (`is_node`) or an xs:string."""

    reading: Reading
    is_node: bool
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class TruthItem:
    """An xs:boolean."""

    truth: Flags
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class ExactItem:
    """An xs:integer or xs:decimal: `mantissa / 10^scale`, with |mantissa| < 2^63.

    The two need not be distinguished: every supported operation gives the same value for both.
    """

    mantissa: Integers
    scale: int
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class DoubleItem:
    """An xs:double."""

    values: Floats
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class DateItem:
    """An xs:date, xs:dateTime, xs:gYearMonth or xs:gYear without time zone, as days, seconds, months or years."""

    type: str
    number: Integers
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class DurationItem:
    """An xs:dayTimeDuration in seconds or, with `is_months`, an xs:yearMonthDuration in months."""

    amount: Integers
    is_months: bool
    present: Maybe = None


@dataclass(frozen=True, slots=True)
class RangeItem:
    """An xs:double of which only bounds are known, ends included; NaN has NaN at both ends.

    With `settles`, the ends agree on ordinary numbers, because a rounding or a whole power made them.
    """

    low: Floats
    high: Floats
    present: Maybe = None
    settles: bool = False


NumberItem: TypeAlias = ExactItem | DoubleItem
TimeItem: TypeAlias = DateItem | DurationItem
Item: TypeAlias = TextItem | TruthItem | NumberItem | RangeItem | TimeItem


@dataclass(frozen=True, slots=True)
class Value:
    """A sequence of items, and the records in doubt.

    Saxon reports a branch with too many or too few items at compile time, taken or not. So `crowd` is the largest
    number of items that some branch of the expression always has, if that is more than the number of items without a
    mask, and `has_void` is true if some branch is always empty.
    """

    items: tuple[Item, ...]
    doubt: Maybe = None
    crowd: int = 0
    has_void: bool = False

    @property
    def certain(self) -> int:
        """The number of items that some branch always has."""
        return max(self.crowd, sum(item.present is None for item in self.items))

    @property
    def may_be_void(self) -> bool:
        """Whether some branch is always empty."""
        return self.has_void or not self.items


def both(left: Maybe, right: Maybe) -> Maybe:
    """Conjunction of presence masks, where None is everywhere."""
    if left is None:
        return right
    return left if right is None else left & right


def either(*doubts: Maybe) -> Maybe:
    """Disjunction of doubt masks, where None is nowhere."""
    result: Maybe = None
    for doubt in doubts:
        if doubt is not None and (result is None or result is not doubt):
            result = doubt if result is None else result | doubt
    return result


def within(doubt: Maybe, present: Maybe) -> Maybe:
    """Keep a doubt only where its item is present."""
    return doubt if doubt is None or present is None else doubt & present


def some(mask: Flags) -> Maybe:
    """Return a doubt mask, or None when no record is in doubt."""
    return mask if mask.any() else None


def narrowed(item: Item, mask: Flags) -> Item:
    """Return the item on fewer records."""
    return replace(item, present=both(item.present, mask))


def chosen(holds: Flags, then: tuple[Item, ...], otherwise: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of one sequence where the mask is true and of the other elsewhere."""
    match then, otherwise:
        # Two alternatives of one type are one item, so that `if` may nest without the number of items growing.
        case (TruthItem(ours, None),), (TruthItem(theirs, None),):
            return (TruthItem(np.where(holds, ours, theirs)),)
        case (DoubleItem(left, None),), (DoubleItem(right, None),):
            return (DoubleItem(np.where(holds, left, right)),)
    return tuple(narrowed(i, holds) for i in then) + tuple(narrowed(i, ~holds) for i in otherwise)


def truth(mask: Flags, present: Maybe = None) -> TruthItem:
    """Return a boolean item."""
    return TruthItem(mask, present)


def text_item(text: Text, present: Maybe = None) -> TextItem:
    """Return a string item."""
    return TextItem(Reading(text), False, present)


def any_present(items: tuple[Item, ...]) -> Maybe:
    """Tell which records have at least one of the items (None: all of them)."""
    result = np.zeros(1, np.bool_)
    for item in items:
        if item.present is None:
            return None
        result = result | item.present
    return result


def how_many(items: tuple[Item, ...]) -> Integers:
    """Count the items of each record."""
    count = np.zeros(1, np.int64)
    for item in items:
        count = count + (1 if item.present is None else item.present)
    return count


def at_most_one(value: Value, what: str) -> Maybe:
    """Return the doubt about records with several items where XPath 2.0 takes one; refuse if all have several."""
    if len(value.items) < 2:
        return value.doubt
    if value.certain > 1:
        raise NotMine(f"{what} takes one item, not a sequence")
    return either(value.doubt, some(how_many(value.items) > 1))


def exactly_one(value: Value, what: str) -> Maybe:
    """Return the doubt about records without exactly one item; refuse if some branch never has one."""
    if value.may_be_void:
        raise NotMine(f"{what} takes one item, not an empty sequence")
    present = any_present(value.items)
    return either(at_most_one(value, what), None if present is None else some(~present))


def map_each(value: Value, what: str, function: Callable[[Item], tuple[Item, Maybe]]) -> Value:
    """Apply a function of at most one item; its doubt counts only where the item is present."""
    doubt = at_most_one(value, what)
    items = []
    for item in value.items:
        result, own = function(item)
        items.append(result)
        doubt = either(doubt, within(own, item.present))
    return Value(tuple(items), doubt, has_void=value.may_be_void)


# The records of a chunk with everything that was read from them, so that rules share the work of parsing.


class Records:
    """Columns of `count` records; each variable is read at most once, whatever the number of rules.

    `given` are variables that are no texts, such as sums.
    """

    def __init__(self, columns: Mapping[str, Column], count: int, given: Mapping[str, Item] | None = None) -> None:
        self._columns = columns
        self._items: dict[str, Item] = dict(given or {})
        self.count = count

    @classmethod
    def of(cls, chunk: Chunk) -> Records:
        """Return the records of a chunk."""
        return cls(chunk.columns, len(chunk))

    def item(self, name: str) -> Item:
        """Return a variable's node; a name that no record has is absent everywhere."""
        if name not in self._items:
            if name not in self._columns:
                return self._nowhere
            column = self._columns[name]
            self._items[name] = TextItem(Reading(Text.of_column(column)), True, column.present())
        return self._items[name]

    @cached_property
    def _nowhere(self) -> TextItem:
        zeros = np.zeros(self.count, np.int64)
        return TextItem(Reading(Text(np.zeros(8, np.uint8), zeros, zeros)), True, np.zeros(self.count, np.bool_))
