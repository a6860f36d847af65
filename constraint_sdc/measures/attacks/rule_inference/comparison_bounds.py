"""Bounds from a comparison of a sum with a number, computed in doubles.

The rule's arithmetic rounds, in an order that the normal form does not show. Its sum may therefore miss the number by a
few units in the last place of each term. Known decimals remove this tolerance: between 4.999999 and 5.000001 there is
one whole number. A variable that is compared directly, without arithmetic, needs no tolerance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import accumulate
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags, Floats
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.measures.attacks.rule_inference.value_bounds import (
    EPSILON,
    Bounds,
    Box,
    Narrowed,
    Narrower,
    ValueLattice,
    add,
    divide,
    meet,
    multiply,
    onto,
    onto_list,
    past,
    power,
    root,
    scale,
    shrink,
    subtract,
    widen,
)

# A sum of products between two numbers, and the bounds of each variable that follow from it.
#
# Each product lies in the sum's bounds less the bounds of all others, and each factor in the product's bounds divided
# by those of the other factors: interval propagation, as in F. Benhamou, F. Goualard, L. Granvilliers and J.-F. Puget,
# *Revising hull and box consistency*, ICLP 1999.


WholePowers: TypeAlias = tuple[tuple[str, int], ...]
"""Variables raised to whole positive powers."""


@dataclass(frozen=True, slots=True)
class SumWithin:
    """`low <= sum(coefficient * product(variable^power)) <= high`, no coefficient zero.

    The rule's own arithmetic rounds. Added up in whatever order, the result is the exact sum of terms each changed by a
    factor 1 + t, |t| <= `share` (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 4.2).
    """

    terms: tuple[tuple[WholePowers, float], ...]
    low: float
    high: float
    share: float

    def narrow(self, box: Box) -> Narrowed:
        """Return the box with narrower bounds for every variable of the sum."""
        if not self.terms:
            return Narrowed(box, box.all(self.low <= 0 <= self.high))
        target = np.full(box.records, self.low), np.full(box.records, self.high)
        parts = [widen(scale(product_bounds(powers, box), c), self.share) for powers, c in self.terms]
        inner, possible = box, box.all(True)
        for (powers, c), part, others in zip(self.terms, parts, sums_of_others(parts), strict=True):
            room = target if others is None else subtract(target, others)
            mine, agrees = meet(part, room)
            factor = shrink(widen(mine, 2 * self.share), c)
            found = _narrow_factors(powers, factor, inner, box)
            inner, possible = found.box, possible & agrees & found.possible
        return Narrowed(inner, possible)


@dataclass(frozen=True, slots=True)
class SumAvoids:
    """The same sum differs from `value`; refuted only where the sum is certainly less than `half` a step away."""

    terms: tuple[tuple[WholePowers, float], ...]
    value: float
    half: float
    share: float

    def narrow(self, box: Box) -> Narrowed:
        """Return the unchanged box, and where the sum may differ from the value."""
        parts = [widen(scale(product_bounds(powers, box), c), self.share) for powers, c in self.terms]
        low, high = reduce(add, parts)
        return Narrowed(box, (low <= self.value - self.half) | (high >= self.value + self.half))


def product_bounds(powers: WholePowers, box: Box) -> Bounds:
    """Return bounds of a product of powers."""
    return reduce(multiply, (power(box.columns[name], exponent) for name, exponent in powers))


def sums_of_others(parts: Sequence[Bounds]) -> list[Bounds | None]:
    """Return for every part the bounds of the sum of all others, None when it is alone.

    Sums from both ends, because an unbounded part cannot be subtracted again.
    """
    before = [None, *accumulate(parts[:-1], add)]
    after = [*reversed(list(accumulate(reversed(parts[1:]), add))), None]
    return [_sum(left, right) for left, right in zip(before, after, strict=True)]


def _sum(left: Bounds | None, right: Bounds | None) -> Bounds | None:
    if left is None or right is None:
        return left or right
    return add(left, right)


def _narrow_factors(powers: WholePowers, product: Bounds, inner: Box, outer: Box) -> Narrowed:
    """Narrow every factor of a product, given the bounds of the other factors in the outer box."""
    possible: Flags = inner.all(True)
    for (name, exponent), others in _each_and_others(powers):
        quotient = divide(product, product_bounds(others, outer)) if others else product
        bounds, exists = root(quotient, exponent, outer.columns[name])
        found = inner.within(name, bounds)
        inner, possible = found.box, possible & exists & found.possible
    return Narrowed(inner, possible)


def _each_and_others(powers: WholePowers) -> Iterator[tuple[tuple[str, int], WholePowers]]:
    for i, one in enumerate(powers):
        yield one, (*powers[:i], *powers[i + 1 :])


# Conditions on the values of one variable: one of a list, none of a list, a whole number.


@dataclass(frozen=True)
class OneOf:
    """The variable is one of finitely many numbers, sorted."""

    name: str
    values: Floats

    def narrow(self, box: Box) -> Narrowed:
        """Return the box narrowed to the listed values."""
        return box.to(self.name, *onto_list(self.values, box.columns[self.name]))


@dataclass(frozen=True)
class NoneOf:
    """The variable is none of finitely many numbers."""

    name: str
    values: tuple[float, ...]

    def narrow(self, box: Box) -> Narrowed:
        """Return the box without listed values at its ends."""
        return box.to(self.name, *past(self.values, box.columns[self.name], box.lattices.get(self.name)))


@dataclass(frozen=True)
class OnLattice:
    """The variable is a whole number, or has a given remainder."""

    name: str
    lattice: ValueLattice

    def narrow(self, box: Box) -> Narrowed:
        """Return the box narrowed to the lattice."""
        return box.to(self.name, *onto(self.lattice, box.columns[self.name]))


Terms: TypeAlias = tuple[tuple[WholePowers, Fraction], ...]
Lattices: TypeAlias = Mapping[str, ValueLattice]


def compare_sum(terms: Terms, op: CompareOp, constant: Fraction, lattices: Lattices) -> Narrower | None:
    """Return `sum(coefficient * product of powers) op constant` as a condition; None if a number is not a double.

    Terms without a variable move to the other side.
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
    """Return the nearest double; None if it overflows, or if a nonzero value underflows to zero."""
    try:
        nearest = float(value)
    except OverflowError:
        return None
    return None if nearest == 0 and value != 0 else nearest


def _is_bare(terms: Terms) -> bool:
    """Tell whether the sum is a single variable, up to its sign."""
    return len(terms) == 1 and abs(terms[0][1]) == 1 and sum(p for _, p in terms[0][0]) == 1


def _avoided(
    terms: tuple[tuple[WholePowers, float], ...], value: float, share: float, step: Fraction | None
) -> Narrower | None:
    """Return the condition that a sum differs from a value; it can be refuted if the value is a multiple of a step."""
    if share == 0:
        return NoneOf(terms[0][0][0][0], (value * terms[0][1],))
    return None if step is None else SumAvoids(terms, value, float(step) / 2, share)


def _step(terms: Terms, lattices: Lattices) -> Fraction | None:
    """Return a step of which the sum is always a whole multiple; None if a variable's decimals are unknown."""
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
    """Return how many steps a constant is; the double nearest to 0.01 counts as one hundredth."""
    count = constant / step
    nearest = Fraction(round(count))
    return nearest if abs(count - nearest) <= Fraction(EPSILON) * abs(count) else count


def _outward(end: Fraction | None, op: CompareOp, share: float, step: Fraction | None, sign: int) -> float:
    """Return an end times its sign (1 upper, -1 lower), moved outwards by the rounding of the rule's arithmetic.

    Without rounding and without a step a strict end is the next double inside.
    """
    nearest = None if end is None else nearest_double(sign * end)
    if nearest is None:
        return math.inf
    if share:
        return math.nextafter(nearest + share * abs(nearest), math.inf)
    return math.nextafter(nearest, -math.inf) if step is None and op in ("<", ">") else nearest
