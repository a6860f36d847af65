"""XPath arithmetic: doubles as in IEEE 754, integers and decimals exactly or not at all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Integers
from constraint_sdc.evaluate.conversion import exact_to_double, first_number, numeric, rescaled
from constraint_sdc.evaluate.expression import ArithmeticOp
from constraint_sdc.evaluate.value import (
    DoubleItem,
    ExactItem,
    Item,
    Maybe,
    NotMine,
    NumberItem,
    RangeItem,
    Value,
    any_present,
    at_most_one,
    both,
    either,
    map_each,
    some,
    within,
)

# Doubles near 2^63 are 1024 apart, so a product or sum below this bound as a double is below 2^63 as an integer.
_SAFE = 9.2e18
_MOST_DECIMALS = 6
_MOST_PAIRS = 64


def arithmetic(op: ArithmeticOp, left: Value, right: Value, *, xpath1: bool) -> Value:
    """Return `left op right` for each record."""
    if xpath1:
        ours, doubt_ours = first_number(left)
        theirs, doubt_theirs = first_number(right)
        item, doubt = _on_doubles(op, ours, theirs, None)
        if isinstance(item, DoubleItem) and _may_be_exact(left) and _may_be_exact(right):
            doubt = some((item.values == 0) & np.signbit(item.values))
        return Value((item,), either(doubt_ours, doubt_theirs, doubt, _left_alone(left), _left_alone(right)))
    if len(left.items) * len(right.items) > _MOST_PAIRS:
        raise NotMine(f"an operand of {op} has too many alternatives")
    doubt = either(at_most_one(left, f"operator {op}"), at_most_one(right, f"operator {op}"))
    lefts, doubt = _operands(op, left, doubt)
    rights, doubt = _operands(op, right, doubt)
    items = []
    for a in lefts:
        for b in rights:
            item, own = _on_numbers(op, a, b)
            items.append(item)
            doubt = either(doubt, within(own, item.present))
    return Value(tuple(items), doubt, has_void=left.may_be_void or right.may_be_void)


def negate(value: Value, *, xpath1: bool) -> Value:
    """Return `-value` for each record."""
    if xpath1:
        values, doubt_values = first_number(value)
        return Value((DoubleItem(np.negative(values)),), doubt_values)

    def one(item: Item) -> tuple[Item, Maybe]:
        if isinstance(item, RangeItem):
            return RangeItem(-item.high, -item.low, item.present, item.settles), None
        number, doubt = numeric(item, "unary minus")
        if isinstance(number, DoubleItem):
            return DoubleItem(np.negative(number.values), number.present), doubt
        return ExactItem(np.negative(number.mantissa), number.scale, number.present), doubt

    return map_each(value, "unary minus", one)


def add_numbers(left: NumberItem, right: NumberItem) -> tuple[NumberItem, Maybe]:
    """Return the sum of two numbers with XPath's promotion."""
    return _on_numbers("+", left, right)


def as_floats(item: NumberItem) -> Floats:
    """Return a number promoted to xs:double."""
    return item.values if isinstance(item, DoubleItem) else exact_to_double(item.mantissa, item.scale)


def _may_be_exact(value: Value) -> bool:
    return any(isinstance(item, ExactItem) for item in value.items)


def _left_alone(value: Value) -> Maybe:
    """Return the doubt about an XPath 1.0 operand that Saxon may not convert to xs:double, as the standard requires.

    A missing operand of type xs:double makes the result empty instead of NaN, and two integers beyond 2^53 are
    subtracted as integers, where zero has no sign; Saxon's inferred types are not known well enough to predict when.
    """
    present = any_present(value.items)
    doubt: Maybe = None
    for item in value.items:
        if isinstance(item, ExactItem):
            doubt = either(doubt, within(some(np.abs(item.mantissa) > 2**53), item.present))
    if present is None or (value.items and not any(isinstance(item, DoubleItem) for item in value.items)):
        return doubt
    return either(doubt, some(~present))


def _operands(op: ArithmeticOp, value: Value, doubt: Maybe) -> tuple[list[NumberItem], Maybe]:
    numbers = []
    for item in value.items:
        number, own = numeric(item, f"operator {op}")
        numbers.append(number)
        doubt = either(doubt, within(own, item.present))
    return numbers, doubt


def _on_numbers(op: ArithmeticOp, left: NumberItem, right: NumberItem) -> tuple[NumberItem, Maybe]:
    present = both(left.present, right.present)
    if isinstance(left, ExactItem) and isinstance(right, ExactItem):
        return _on_exact(op, left, right, present)
    return _on_doubles(op, as_floats(left), as_floats(right), present)


def _on_doubles(op: ArithmeticOp, left: Floats, right: Floats, present: Maybe) -> tuple[NumberItem, Maybe]:
    if op == "idiv":
        quotient = left / right
        legal = (right != 0) & ~np.isinf(left) & (np.abs(quotient) < 2.0**62)
        whole = np.trunc(np.where(legal, quotient, 0)).astype(np.int64)
        return ExactItem(whole, 0, present), some(~legal)
    return DoubleItem(_DOUBLE_OPERATIONS[op](left, right), present), None


_DOUBLE_OPERATIONS: dict[ArithmeticOp, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "div": np.divide,
    "mod": np.fmod,  # truncated, exact, with the dividend's sign: Java's % as well as C's
}


def _on_exact(op: ArithmeticOp, left: ExactItem, right: ExactItem, present: Maybe) -> tuple[ExactItem, Maybe]:
    if op == "*":
        return _product(left, right, present)
    scale = max(left.scale, right.scale)
    a, doubt_a = rescaled(left, scale)
    b, doubt_b = rescaled(right, scale)
    doubt = either(doubt_a, doubt_b)
    if op == "div":
        ratio, own = quotient(a, b)
        return ExactItem(ratio, _MOST_DECIMALS, present), either(doubt, own)
    if op in ("+", "-"):
        wide = np.abs(a.astype(np.float64)) + np.abs(b.astype(np.float64)) > _SAFE
        return ExactItem(a + b if op == "+" else a - b, scale, present), either(doubt, some(wide))
    zero = b == 0
    rest = np.fmod(a, np.where(zero, 1, b))
    if op == "mod":
        return ExactItem(rest, scale, present), either(doubt, some(zero))
    return ExactItem((a - rest) // np.where(zero, 1, b), 0, present), either(doubt, some(zero))


def _product(left: ExactItem, right: ExactItem, present: Maybe) -> tuple[ExactItem, Maybe]:
    wide = np.abs(left.mantissa.astype(np.float64)) * np.abs(right.mantissa.astype(np.float64)) > _SAFE
    scale = left.scale + right.scale
    if scale > 18:
        # Rows whose product needs at most 18 decimals are not searched.
        wide = wide | True
        scale = 18
    return ExactItem(left.mantissa * right.mantissa, scale, present), some(wide)


def quotient(a: Integers, b: Integers) -> tuple[Integers, Maybe]:
    """Return a / b with six decimals; in doubt where that is not exact, because Saxon then rounds at 18 or more."""
    factor = np.int64(10**_MOST_DECIMALS)
    legal: Flags = (b != 0) & (np.abs(a) < 2**62 // factor)
    divisor = np.where(legal, b, 1)
    shifted = np.where(legal, a, 0) * factor
    rest = np.fmod(shifted, divisor)
    return (shifted - rest) // divisor, some(~legal | (rest != 0))
