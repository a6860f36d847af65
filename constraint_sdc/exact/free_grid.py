"""A fine grid for free variables, so that a programme with them is exact too.

A free variable is written as a finite decimal and read as a double, so it has a grid in any case; ours is coarse enough
to be exact and fine enough not to matter (a hundred-thousandth of the variable's own unit, 1/weight). It is dyadic
where possible, because sums of dyadic numbers of one scale are exact in double arithmetic. Where an equality ties free
variables to decimal fractions, only a decimal grid meets them: at most 15 significant digits if the equality allows, so
that the double nearest to the value is written with the value's own digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from constraint_sdc.exact.lattice import Bound, Row, common_measure

_BITS_BELOW_UNIT = 16
_BITS_BELOW_VALUE = 46
_DIGITS_BELOW_UNIT = 5
_DIGITS_BELOW_VALUE = 14


def all_steps(
    step: Sequence[Fraction | None],
    weight: Sequence[float],
    target: Sequence[Fraction],
    rows: Iterable[Row],
    bounds: Iterable[tuple[Fraction | None, Fraction | None]],
) -> tuple[Fraction, ...]:
    """Return every variable's step, with a fine one for each that has none; a variable that is pinned stays there."""
    limits = list(bounds)
    twos, fives = _decimals_met(step, rows, limits)
    result = []
    for s, w, t, (low, high) in zip(step, weight, target, limits, strict=True):
        if s is not None:
            result.append(s)
        elif low is not None and low == high:
            result.append(abs(low) or Fraction(1))
        elif fives:
            digits = max(_order(1 / w, 10) - _DIGITS_BELOW_UNIT, _order(t, 10) - _DIGITS_BELOW_VALUE)
            result.append(Fraction(10) ** min(digits, -max(twos or 0, fives)))
        else:
            bits = max(_order(1 / w, 2) - _BITS_BELOW_UNIT, _order(t, 2) - _BITS_BELOW_VALUE)
            result.append(Fraction(2) ** (bits if twos is None else min(bits, -twos)))
    return tuple(result)


def _decimals_met(
    step: Sequence[Fraction | None], rows: Iterable[Row], limits: Sequence[tuple[Fraction | None, Fraction | None]]
) -> tuple[Bound, int]:
    """Return the powers of two and five in the denominators that free variables meet in equalities.

    The first is None where free variables meet none but themselves. Other primes are left out: no finite decimal meets
    them, so it is the other side of the equality that has to move.
    """
    pinned = {j: low for j, (low, high) in enumerate(limits) if low is not None and low == high}
    met: list[Fraction] = []
    for terms, op, constant in rows:
        free = [a for j, a in terms if step[j] is None and j not in pinned]
        measure = common_measure(free)
        if op != "=" or measure is None:
            continue
        rest = constant - sum((a * pinned[j] for j, a in terms if j in pinned), Fraction(0))
        others = [a * s for j, a in terms if j not in pinned and (s := step[j]) is not None]
        met.extend(number / measure for number in (rest, *others) if number)
    if not met:
        return None, 0
    denominator = math.lcm(*(number.denominator for number in met))
    return _power(denominator, 2), _power(denominator, 5)


def _power(number: int, prime: int) -> int:
    power = 0
    while number % prime == 0:
        number, power = number // prime, power + 1
    return power


def _order(number: Fraction | float, base: int) -> int:
    """Return the position of the leading digit, far below everything for zero."""
    size = abs(float(number))
    return math.floor(math.log(size, base)) if size else -(10**3)
