"""A comparison of a sum with a number, in the doubles that bounds are made of.

The rule's arithmetic rounds, in an order that the normal form does not tell. Its sum is therefore allowed to miss the
number by a few units in the last place of each term. Known decimals take this back: between 4.999999 and 5.000001 there
is one whole number. A variable that is compared as it stands is not computed with, and nothing is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from typing import TypeAlias

from constraint_sdc.measure.attack.box_bounds import Narrower
from constraint_sdc.measure.attack.listed_bounds import NoneOf
from constraint_sdc.measure.attack.rounded_bounds import EPSILON
from constraint_sdc.measure.attack.sum_bounds import SumAvoids, SumWithin
from constraint_sdc.measure.attack.value_bounds import Lattice
from constraint_sdc.model.constraint import Powers
from constraint_sdc.model.expression import CompareOp

Terms: TypeAlias = tuple[tuple[Powers, Fraction], ...]
Lattices: TypeAlias = Mapping[str, Lattice]


def compare_sum(terms: Terms, op: CompareOp, constant: Fraction, lattices: Lattices) -> Narrower | None:
    """Return `sum(coefficient * product of powers) op constant` as a condition; None when a number is no double.

    Terms without a variable are taken to the other side.
    """
    constant -= sum((c for powers, c in terms if not powers), Fraction(0))
    terms = tuple((powers, c) for powers, c in terms if powers and c)
    doubles = tuple((powers, rounded) for powers, c in terms if (rounded := nearest_double(c)) is not None)
    value = nearest_double(constant)
    if len(doubles) < len(terms) or value is None:
        return None
    step = _step(terms, lattices)
    share = 0.0 if _is_bare(terms) else (4 + sum(p for powers, _ in terms for _, p in powers)) * EPSILON
    if op == "!=":
        return _avoided(doubles, value, share, step if step and _multiple(constant, step).denominator == 1 else None)
    low, high = (_end(op, constant, step, is_upper=is_upper) for is_upper in (False, True))
    return SumWithin(doubles, -_outward(low, op, share, step, -1), _outward(high, op, share, step, 1), share)


def nearest_double(value: Fraction) -> float | None:
    """Return the nearest double, None beyond the largest, or for what would become zero."""
    try:
        nearest = float(value)
    except OverflowError:
        return None
    return None if nearest == 0 and value != 0 else nearest


def _is_bare(terms: Terms) -> bool:
    """Tell whether the sum is one variable as it stands, but for its sign."""
    return len(terms) == 1 and abs(terms[0][1]) == 1 and sum(p for _, p in terms[0][0]) == 1


def _avoided(
    terms: tuple[tuple[Powers, float], ...], value: float, share: float, step: Fraction | None
) -> Narrower | None:
    """Return that a sum misses a value; with a step, of which the value is a whole multiple, it can be refuted."""
    if share == 0:
        return NoneOf(terms[0][0][0][0], (value * terms[0][1],))
    return None if step is None else SumAvoids(terms, value, float(step) / 2, share)


def _step(terms: Terms, lattices: Lattices) -> Fraction | None:
    """Return a step of which the sum is always a whole multiple; None when a variable's decimals are not known."""
    names = {name for powers, _ in terms for name, _ in powers}
    if not names or not names.issubset(lattices):
        return None
    sizes = (c * math.prod((lattices[n].distance ** p for n, p in powers), start=Fraction(1)) for powers, c in terms)
    return reduce(_common, (abs(size) for size in sizes))


def _common(a: Fraction, b: Fraction) -> Fraction:
    return Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _end(op: CompareOp, constant: Fraction, step: Fraction | None, *, is_upper: bool) -> Fraction | None:
    """Return the lowest or the highest sum, None for no end; on whole multiples of a step "below 5" is "at most 4"."""
    if op == "=" or (step is None and (op in ("<", "<=")) == is_upper):
        return constant
    if step is None or (op in ("<", "<=")) != is_upper:
        return None
    sign = 1 if is_upper else -1
    count = sign * _multiple(constant, step)
    return sign * step * (math.ceil(count) - 1 if op in ("<", ">") else math.floor(count))


def _multiple(constant: Fraction, step: Fraction) -> Fraction:
    """Return how many steps a constant is; the double nearest to 0.01 is meant as one hundredth."""
    count = constant / step
    nearest = Fraction(round(count))
    return nearest if abs(count - nearest) <= Fraction(EPSILON) * abs(count) else count


def _outward(end: Fraction | None, op: CompareOp, share: float, step: Fraction | None, sign: int) -> float:
    """Return an end times its sign (1 upper, -1 lower), moved outwards by what the rule's arithmetic may round.

    Without rounding and without a step a strict end is the next double inside.
    """
    nearest = None if end is None else nearest_double(sign * end)
    if nearest is None:
        return math.inf
    if share:
        return math.nextafter(nearest + share * abs(nearest), math.inf)
    return math.nextafter(nearest, -math.inf) if step is None and op in ("<", ">") else nearest
