"""The effective boolean value of an expression on every record of a chunk, as XPath defines it, or a reason why not.

`refuses` evaluates over an empty table: the types of a value never depend on the data, so an expression that is refused
there is refused on every file, and no other is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar, assert_never

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Flags, Integers
from constraint_sdc.data.table import Chunk
from constraint_sdc.data.text import Text
from constraint_sdc.evaluate.arithmetic import arithmetic, negate
from constraint_sdc.evaluate.comparison import compare_general, compare_values
from constraint_sdc.evaluate.conversion import castable, effective_boolean, number, numeric, rescaled
from constraint_sdc.evaluate.dates import is_about_time, time_arithmetic
from constraint_sdc.evaluate.domain import Domain, occurs, sought_outside
from constraint_sdc.evaluate.expression import (
    And,
    Arithmetic,
    ArithmeticOp,
    Call,
    Castable,
    Compare,
    Expression,
    If,
    Literal,
    Negate,
    Not,
    Or,
    Outside,
    Sequence,
    Variable,
)
from constraint_sdc.evaluate.functions import call, rounded_to
from constraint_sdc.evaluate.ranges import is_about_ranges, range_arithmetic
from constraint_sdc.evaluate.regex import matches
from constraint_sdc.evaluate.value import (
    DateItem,
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    NumberItem,
    RangeItem,
    Records,
    TextItem,
    TruthItem,
    Value,
    chosen,
    either,
    how_many,
    text_item,
    truth,
    within,
)

_DEEPEST = 100
_LARGEST = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """The effective boolean value for each record; where `unsure`, Saxon must judge and `truth` is undefined."""

    truth: Flags
    unsure: Flags


def refuses(expression: Expression, *, xpath1: bool) -> str | None:
    """Return why the evaluator does not support the expression, None when it does."""
    try:
        _truth(expression, Records({}, 0), xpath1=xpath1, domains=None)
    except NotMine as refusal:
        return str(refusal)
    return None


def evaluate_truth(
    expression: Expression, chunk: Chunk | Records, *, xpath1: bool, domains: Mapping[Outside, Domain]
) -> Verdict:
    """Return the effective boolean value on each record; raise ValueError for an expression that `refuses` names.

    Pass the same `Records` for several rules, so that their common variables are read once.
    """
    records = Records.of(chunk) if isinstance(chunk, Chunk) else chunk
    try:
        result, doubt = _truth(expression, records, xpath1=xpath1, domains=domains)
    except NotMine as refusal:
        raise ValueError(str(refusal)) from refusal
    unsure = np.zeros(1, np.bool_) if doubt is None else doubt
    shape = (records.count,)
    return Verdict(np.broadcast_to(result, shape).copy(), np.broadcast_to(unsure, shape).copy())


def evaluate_value(
    expression: Expression, records: Records, *, xpath1: bool, domains: Mapping[Outside, Domain]
) -> Value:
    """Return an expression's value on each record; raise NotMine for one that the evaluator does not support."""
    with np.errstate(all="ignore"):
        return _Evaluation(records, xpath1, domains).value(expression)


def _truth(
    expression: Expression, records: Records, *, xpath1: bool, domains: Mapping[Outside, Domain] | None
) -> tuple[Flags, Maybe]:
    with np.errstate(all="ignore"):
        return _Evaluation(records, xpath1, domains).truth(expression)


class _Evaluation:
    """One expression over the records of one chunk."""

    def __init__(self, records: Records, xpath1: bool, domains: Mapping[Outside, Domain] | None) -> None:
        self._records = records
        self._xpath1 = xpath1
        self._domains = domains
        self._depth = 0

    def truth(self, expression: Expression) -> tuple[Flags, Maybe]:
        """Return an effective boolean value."""
        return effective_boolean(self.value(expression))

    def value(self, expression: Expression) -> Value:
        """Return an expression's value."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotMine(f"nested deeper than {_DEEPEST} expressions")
        try:
            return self._lookup(expression) or self._value(expression)
        finally:
            self._depth -= 1

    def _value(self, expression: Expression) -> Value:
        match expression:
            case Literal(constant):
                return Value((_literal(constant),))
            case Variable(name):
                return Value((self._records.item(name),))
            case Outside():
                raise NotMine("a path into another document, other than to ask whether one value occurs there")
            case Sequence(items):
                values = [self.value(item) for item in items]
                parts = tuple(i for value in values for i in value.items)
                return Value(
                    parts,
                    either(*(v.doubt for v in values)),
                    sum(v.certain for v in values),
                    all(v.may_be_void for v in values),
                )
            case Arithmetic(op, left, right):
                return self._arithmetic(op, self.value(left), self.value(right))
            case Negate(operand):
                return negate(self.value(operand), xpath1=self._xpath1)
            case Compare(op, left, right, True):
                return compare_values(op, self.value(left), self.value(right))
            case Compare(op, left, right):
                return compare_general(op, self.value(left), self.value(right), xpath1=self._xpath1)
            case And(items):
                return self._combined(items, conjunction=True)
            case Or(items):
                return self._combined(items, conjunction=False)
            case Not(item):
                return self._not(item)
            case If():
                return self._if(expression)
            case Call("matches", (subject, *pattern)):
                return matches(self.value(subject), tuple(pattern), xpath1=self._xpath1)
            case Call("round", (operand, Literal(int() as places))):
                return rounded_to(self.value(operand), places, xpath1=self._xpath1)
            case Call(name, arguments):
                return call(name, tuple(self.value(argument) for argument in arguments), xpath1=self._xpath1)
            case Castable(operand, type_name, optional):
                return castable(self.value(operand), type_name, optional)
            case _:
                assert_never(expression)

    def _arithmetic(self, op: ArithmeticOp, left: Value, right: Value) -> Value:
        if is_about_time(left, right):
            return time_arithmetic(op, left, right)
        if op not in ("idiv", "mod") and is_about_ranges(left, right) and not self._xpath1:
            return range_arithmetic(op, left, right)
        return arithmetic(op, left, right, xpath1=self._xpath1)

    def _lookup(self, expression: Expression) -> Value | None:
        asked = sought_outside(expression)
        if asked is None:
            return None
        domain = Domain() if self._domains is None else self._domains[asked.outside]
        return occurs(asked, self.value(asked.sought), domain)

    def _combined(self, parts: tuple[Expression, ...], *, conjunction: bool) -> Value:
        # XPath may evaluate the operands in any order, so an error in one is a doubt even where another one decides.
        result: Flags = np.full(1, conjunction)
        doubt: Maybe = None
        for part in parts:
            holds, own = self.truth(part)
            result = result & holds if conjunction else result | holds
            doubt = either(doubt, own)
        return Value((truth(result),), doubt)

    def _not(self, part: Expression) -> Value:
        holds, doubt = self.truth(part)
        return Value((truth(~holds),), doubt)

    def _if(self, expression: If) -> Value:
        # XPath guarantees that the branch not taken raises no error.
        holds, doubt = self.truth(expression.test)
        then, otherwise = self.value(expression.then), self.value(expression.otherwise)
        doubts = either(doubt, within(then.doubt, holds), within(otherwise.doubt, ~holds))
        crowd, has_void = max(then.certain, otherwise.certain), then.may_be_void or otherwise.may_be_void
        return Value(chosen(holds, then.items, otherwise.items), doubts, crowd, has_void)


def _literal(constant: bool | int | Decimal | float | str) -> Item:
    match constant:
        case bool():
            return TruthItem(np.array([constant]))
        case int():
            return _exact(constant, 0)
        case float():
            return DoubleItem(np.array([constant]))
        case str():
            return text_item(Text.of_strings([constant]))
        case Decimal():
            sign, digits, exponent = constant.as_tuple()
            if not isinstance(exponent, int):
                raise NotMine("a decimal literal that is not a number")
            mantissa = int("".join(map(str, digits))) * (-1 if sign else 1)
            return _exact(mantissa * 10 ** max(exponent, 0), max(-exponent, 0))
        case _:
            assert_never(constant)


def _exact(mantissa: int, scale: int) -> ExactItem:
    while scale and mantissa % 10 == 0:
        mantissa, scale = mantissa // 10, scale - 1
    if abs(mantissa) > _LARGEST or scale > 18:
        raise NotMine("a literal with more than 18 digits")
    return ExactItem(np.array([mantissa], np.int64), scale)


# The value of a numeric expression on every record, bit for bit as XPath computes it.
#
# It derives a rule's dependent variable: one side of the rule's own comparison, in the rule's own arithmetic.

_T = TypeVar("_T", np.float64, np.int64)


@dataclass(frozen=True, slots=True)
class Numbers:
    """One number for each record: `doubles`, or exactly `mantissa / 10**scale` (xs:integer and xs:decimal).

    One of the two is None. Where `unsure`, the record has no number (a missing operand) or only Saxon can compute it,
    and the arrays are undefined. NaN and infinities are numbers that XPath computes: they are not unsure. With
    `is_date` the numbers are those of xs:date, in days.
    """

    doubles: npt.NDArray[np.float64] | None
    mantissa: npt.NDArray[np.int64] | None
    scale: int
    unsure: Flags
    is_date: bool = False


def evaluate_number(
    expression: Expression,
    records: Records,
    *,
    xpath1: bool,
    domains: Mapping[Outside, Domain],
    guesses: bool = False,
) -> Numbers | None:
    """Return the expression's number on each record; a variable alone is read as a double.

    With `guesses`, a number of which only bounds are known is the one in their middle, for a judge to decide about.

    None for an expression that the evaluator does not support, that is a string, a boolean or a sequence, or that is
    exact on some records and a double on others.
    """
    try:
        value = evaluate_value(expression, records, xpath1=xpath1, domains=domains)
        if value.certain > 1 or not value.items:
            return None
        shape = (records.count,)
        unsure = how_many(value.items) != 1
        if days := _days(value.items):
            mantissa = np.broadcast_to(_merged(days), shape).copy()
            return Numbers(None, mantissa, 0, _spread(unsure, value.doubt, shape), is_date=True)
        if guesses:
            value = replace(value, items=tuple(map(_guessed, value.items)))
        items, doubt = _number_items(value, xpath1)
    except NotMine:
        return None
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


def is_computable(expression: Expression, *, xpath1: bool) -> bool:
    """Tell whether `evaluate_number` takes the expression, were it only to guess the last bits."""
    return evaluate_number(expression, Records({}, 0), xpath1=xpath1, domains={}, guesses=True) is not None


def _guessed(item: Item) -> Item:
    return DoubleItem(item.low + (item.high - item.low) / 2, item.present) if isinstance(item, RangeItem) else item


def _days(items: tuple[Item, ...]) -> list[tuple[Integers, Maybe]]:
    """Return the days of items that are all xs:date, nothing if one is not."""
    found = [(i.number, i.present) for i in items if isinstance(i, DateItem) and i.type == "xs:date"]
    return found if len(found) == len(items) else []


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
