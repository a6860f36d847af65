"""A sum of products between two numbers, and what it tells about each variable.

Each product lies in the sum's bounds less the bounds of all others, and each factor in the product's bounds divided by
those of the other factors: interval propagation, as in F. Benhamou, F. Goualard, L. Granvilliers and J.-F. Puget,
*Revising hull and box consistency*, ICLP 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate

import numpy as np

from constraint_sdc.measure.attack.box_bounds import Box, Narrowed
from constraint_sdc.measure.attack.rounded_bounds import (
    Bounds,
    add,
    divide,
    meet,
    multiply,
    power,
    root,
    scale,
    shrink,
    subtract,
    widen,
)
from constraint_sdc.model.constraint import Powers
from constraint_sdc.model.pair import Mask


@dataclass(frozen=True, slots=True)
class SumWithin:
    """`low <= sum(coefficient * product(variable^power)) <= high`, no coefficient zero.

    The rule's own arithmetic rounds. Added up in whatever order, the result is the exact sum of terms each changed by a
    factor 1 + t, |t| <= `share` (N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 4.2).
    """

    terms: tuple[tuple[Powers, float], ...]
    low: float
    high: float
    share: float

    def narrow(self, box: Box) -> Narrowed:
        """Return the box with every variable of the sum drawn in."""
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
    """The same sum differs from `value`: refuted only where it surely lies less than `half` a step away from it."""

    terms: tuple[tuple[Powers, float], ...]
    value: float
    half: float
    share: float

    def narrow(self, box: Box) -> Narrowed:
        """Return the box as it is, and where the sum may differ from the value."""
        parts = [widen(scale(product_bounds(powers, box), c), self.share) for powers, c in self.terms]
        low, high = reduce(add, parts)
        return Narrowed(box, (low <= self.value - self.half) | (high >= self.value + self.half))


def product_bounds(powers: Powers, box: Box) -> Bounds:
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


def _narrow_factors(powers: Powers, product: Bounds, inner: Box, outer: Box) -> Narrowed:
    """Draw in every factor of a product; the other factors are taken as the outer box has them."""
    possible: Mask = inner.all(True)
    for (name, exponent), others in _each_and_others(powers):
        quotient = divide(product, product_bounds(others, outer)) if others else product
        bounds, exists = root(quotient, exponent, outer.columns[name])
        found = inner.within(name, bounds)
        inner, possible = found.box, possible & exists & found.possible
    return Narrowed(inner, possible)


def _each_and_others(powers: Powers) -> Iterator[tuple[tuple[str, int], Powers]]:
    for i, one in enumerate(powers):
        yield one, (*powers[:i], *powers[i + 1 :])
