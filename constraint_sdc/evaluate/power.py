"""math:pow where every correct implementation must agree: whole numbers with a result that a double holds exactly."""

from __future__ import annotations

import numpy as np

from constraint_sdc.evaluate.arithmetic import as_floats
from constraint_sdc.evaluate.conversion import first_number, numeric
from constraint_sdc.evaluate.lexical import Floats
from constraint_sdc.evaluate.value import DoubleItem, Maybe, NotMine, Value, either, exactly_one, some, within

_EXACT = 2.0**53
_HIGHEST = 53


def power(base: Value, exponent: Value, *, xpath1: bool) -> Value:
    """Return base to the power of exponent; in doubt unless both are whole and the result is at most 2^53."""
    if xpath1:
        values, doubt = first_number(base)
        exponents, doubt_exponent = first_number(exponent)
        result, own = _whole_power(values, exponents)
        return Value((DoubleItem(result),), either(doubt, doubt_exponent, own))
    values, doubt, present = _operand(base)
    exponents, doubt_exponent, _ = _operand(exponent)
    result, own = _whole_power(values, exponents)
    missing = exactly_one(exponent, "the exponent of math:pow()")
    return Value((DoubleItem(result, present),), either(doubt, doubt_exponent, within(own, present), missing))


def _operand(value: Value) -> tuple[Floats, Maybe, Maybe]:
    if len(value.items) != 1:
        raise NotMine("math:pow() of a sequence")
    number, doubt = numeric(value.items[0], "math:pow()")
    return as_floats(number), either(value.doubt, within(doubt, number.present)), number.present


def _whole_power(base: Floats, exponent: Floats) -> tuple[Floats, Maybe]:
    legal = (base == np.trunc(base)) & (exponent == np.trunc(exponent)) & (exponent >= 0) & (exponent <= _HIGHEST)
    times = np.where(legal, exponent, 0)
    result = np.ones(1)
    # Every partial product is exact as long as the last one is; the power function of the C library need not be.
    for step in range(int(times.max(initial=0))):
        result = np.where(times > step, result * base, result)
    return result, some(~(legal & (np.abs(result) <= _EXACT)))
