"""The grid of a variable: the numbers that it may take, and how they are written.

Integers stay integers and two decimals stay two decimals. A grid number is a whole number of steps (its mantissa);
`mantissa / 10**decimals`, divided as doubles, is the double that XPath reads from the text, for mantissas below 2**53.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

# Doubles as text: the shortest digits that read back to the same number, never with an exponent.
#
# XPath 1.0 `number()` rejects `1e-05`, so every number is written in positional notation.


def double_text(value: float) -> str:
    """Return the shortest positional text that reads back to the same double; NaN and INF as XML Schema spells them.

    >>> [double_text(v) for v in (0.1, 5.0, 1e-05, -0.0, float("inf"))]
    ['0.1', '5', '0.00001', '-0', 'INF']
    """
    if math.isfinite(value):
        text = repr(value)
        if "e" in text:
            return np.format_float_positional(value, trim="-")
        return text.removesuffix(".0")
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


EXACT_MANTISSA = 2**53
"""Every whole number below is a double."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`decimals` digits after the point, None for a free double; `pads` writes trailing zeros (`12.50`).

    >>> Grid(0).text(12.0), Grid(2).text(1250.0), Grid(2, pads=True).text(1250.0), Grid(2).text(-5.0)
    ('12', '12.5', '12.50', '-0.05')
    >>> Grid(None).text(1e-05)
    '0.00001'
    """

    decimals: int | None
    pads: bool = False

    @property
    def step(self) -> Fraction | None:
        """Return the distance between neighbouring numbers, None on a free grid."""
        return None if self.decimals is None else Fraction(1, 10**self.decimals)

    @property
    def scale(self) -> float:
        """Return the factor from a value to its mantissa: 10**decimals, 1 on a free grid."""
        return 1.0 if self.decimals is None else float(10**self.decimals)

    def text(self, mantissa: float) -> str:
        """Return the text of a mantissa (on a free grid: of the value itself)."""
        if self.decimals is None:
            return double_text(0.0 if mantissa == 0 else mantissa)
        if self.decimals == 0:
            return str(int(mantissa))
        digits = str(abs(int(mantissa))).rjust(self.decimals + 1, "0")
        whole, fraction = digits[: -self.decimals], digits[-self.decimals :]
        if not self.pads:
            fraction = fraction.rstrip("0")
        return ("-" if mantissa < 0 else "") + whole + ("." + fraction if fraction else "")

    def __str__(self) -> str:
        if self.decimals is None:
            return "free"
        return "integer" if self.decimals == 0 else f"{self.decimals} decimal{'s' if self.decimals > 1 else ''}"
