"""Interval arithmetic on whole columns, rounded outwards, so that no true value is ever lost.

R. E. Moore, R. B. Kearfott and M. J. Cloud, *Introduction to Interval Analysis*, SIAM, 2009. A pair (lo, hi) encloses
one value per record; lo is never +inf and hi never -inf. Every operation is computed in doubles and moved one double
outwards: the nearest double is never farther from the true result than its neighbour. All operations are monotone:
wider operands give a wider result.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Flags, Floats

Bounds: TypeAlias = tuple[Floats, Floats]

EPSILON = 2.0**-52
"""Distance from 1 to the next double; one rounding is at most half of it, relative to the result."""


@np.errstate(all="ignore")
def down(values: Floats) -> Floats:
    """Return the next double below; the largest finite one where a sum has overflowed."""
    return np.nextafter(values, -np.inf)


@np.errstate(all="ignore")
def up(values: Floats) -> Floats:
    """Return the next double above; the smallest finite one where a sum has overflowed."""
    return np.nextafter(values, np.inf)


@np.errstate(all="ignore")
def add(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a + b."""
    return down(a[0] + b[0]), up(a[1] + b[1])


@np.errstate(all="ignore")
def subtract(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a - b, for values that do not depend on each other."""
    return down(a[0] - b[1]), up(a[1] - b[0])


@np.errstate(all="ignore")
def scale(a: Bounds, factor: float) -> Bounds:
    """Return bounds of factor * a; factor is not zero. A change of sign alone is exact."""
    low, high = (a[0] * factor, a[1] * factor) if factor > 0 else (a[1] * factor, a[0] * factor)
    return (low, high) if abs(factor) == 1 else (down(low), up(high))


@np.errstate(all="ignore")
def shrink(a: Bounds, divisor: float) -> Bounds:
    """Return bounds of a / divisor; divisor is not zero."""
    low, high = (a[0] / divisor, a[1] / divisor) if divisor > 0 else (a[1] / divisor, a[0] / divisor)
    return (low, high) if abs(divisor) == 1 else (down(low), up(high))


@np.errstate(all="ignore")
def widen(a: Bounds, share: float) -> Bounds:
    """Return bounds of a * (1 + t) for every |t| <= share; share 0 changes nothing."""
    if share == 0:
        return a
    # An infinite bound stays infinite: subtracting a share of itself would give NaN.
    low = np.where(np.isinf(a[0]), a[0], a[0] - share * np.abs(a[0]))
    high = np.where(np.isinf(a[1]), a[1], a[1] + share * np.abs(a[1]))
    return down(low), up(high)


@np.errstate(all="ignore")
def multiply(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a * b, whatever the signs; zero times anything is zero."""
    corners = [np.nan_to_num(x * y, nan=0.0, posinf=np.inf, neginf=-np.inf) for x in a for y in b]
    low, high = down(np.minimum.reduce(corners)), up(np.maximum.reduce(corners))
    return np.where((a[0] >= 0) & (b[0] >= 0), np.maximum(low, 0.0), low), high


@np.errstate(all="ignore")
def divide(a: Bounds, b: Bounds) -> Bounds:
    """Return bounds of a / b; no bound where b may be zero."""
    low, high = b
    keeps_sign = (low > 0) | (high < 0)
    inverse_low, inverse_high = down(1.0 / high), up(1.0 / low)
    inverse = (
        np.where(low > 0, np.maximum(inverse_low, 0.0), inverse_low),
        np.where(high < 0, np.minimum(inverse_high, 0.0), inverse_high),
    )
    found = multiply(a, inverse)
    return np.where(keeps_sign, found[0], -np.inf), np.where(keeps_sign, found[1], np.inf)


@np.errstate(all="ignore")
def power(a: Bounds, exponent: int) -> Bounds:
    """Return bounds of a ** exponent, exponent >= 1."""
    if exponent == 1:
        return a
    ends = [np.copysign(_repeated(np.abs(end), exponent), end) for end in a]
    if exponent % 2:
        return widen((ends[0], ends[1]), exponent * EPSILON)
    small, large = np.minimum(*np.abs(ends)), np.maximum(*np.abs(ends))
    found = widen((np.where((a[0] <= 0) & (a[1] >= 0), 0.0, small), large), exponent * EPSILON)
    return np.maximum(found[0], 0.0), found[1]


def _repeated(values: Floats, exponent: int) -> Floats:
    result = values
    for _ in range(exponent - 1):
        result = result * values
    return result


@np.errstate(all="ignore")
def root(a: Bounds, exponent: int, of: Bounds) -> tuple[Bounds, Flags]:
    """Return bounds of an x in `of` with x ** exponent in a, and where such an x may exist."""
    if exponent == 1:
        return a, np.ones(np.shape(a[0]), np.bool_)
    ends = [np.copysign(_unsigned_root(np.abs(end), exponent), end) for end in a]
    low, high = widen((ends[0], ends[1]), _ROOT_SHARE)
    if exponent % 2:
        return (low, high), np.ones(np.shape(low), np.bool_)
    nearest, farthest = np.maximum(low, 0.0), np.maximum(high, 0.0)
    return (
        np.where(of[0] > -nearest, nearest, -farthest),
        np.where(of[1] < nearest, -nearest, farthest),
    ), a[1] >= 0


_ROOT_SHARE = 1e-13


def _unsigned_root(values: Floats, exponent: int) -> Floats:
    found: Floats = np.sqrt(values) if exponent == 2 else np.power(values, 1.0 / exponent)
    return found


def meet(a: Bounds, b: Bounds) -> tuple[Bounds, Flags]:
    """Return the intersection, and where it is not empty; elsewhere a is unchanged."""
    low, high = np.maximum(a[0], b[0]), np.minimum(a[1], b[1])
    agrees = low <= high
    return (np.where(agrees, low, a[0]), np.where(agrees, high, a[1])), agrees
