"""Doubles as text: the shortest digits that read back to the same number, never with an exponent.

XPath 1.0 `number()` rejects `1e-05`, so everything we write is positional.
"""

from __future__ import annotations

import math

import numpy as np


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
