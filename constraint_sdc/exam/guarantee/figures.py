"""Figures as text: how a variable of the generated data is written, and how its values are drawn."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction

import numpy as np

Number = int | float | Decimal | Fraction


@dataclass(frozen=True)
class Writing:
    """Digits after the point (None: as many as the double needs), and whether closing zeros are written."""

    decimals: int | None
    pads: bool = False

    def text(self, value: Number) -> str:
        """Return the text of the nearest number that can be written."""
        if self.decimals is None:
            return double_text(float(value))
        with localcontext() as context:
            context.prec = 60
            exact = Decimal(value) if not isinstance(value, Fraction) else Decimal(value.numerator) / value.denominator
            rounded = exact.quantize(Decimal(1).scaleb(-self.decimals), ROUND_HALF_EVEN)
        return decimal_text(rounded, pads=self.pads)


def double_text(value: float) -> str:
    """Return the shortest positional text of a double."""
    return "0" if value == 0 else str(np.format_float_positional(value, trim="-"))


def decimal_text(value: Decimal, *, pads: bool = False) -> str:
    """Return a decimal number without an exponent; closing zeros stay only on demand."""
    text = format(value, "f")
    if "." in text and not pads:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


INTEGER = Writing(0)
Draw = Callable[[random.Random], Number]

WRITINGS = (
    INTEGER,
    INTEGER,
    INTEGER,
    Writing(1),
    Writing(2),
    Writing(2, pads=True),
    Writing(2, pads=True),
    Writing(3),
    Writing(6),
    Writing(None),
)


def integer_draws(rng: random.Random) -> tuple[str, Draw]:
    """Choose a distribution of whole numbers, with a name for it."""
    low, step = rng.choice((0, 1, 3, -20)), rng.choice((2, 5, 10))
    kinds: list[tuple[str, Draw]] = [
        ("small integers", lambda r: low + r.randrange(6)),
        ("integers", lambda r: r.randrange(1, 200)),
        ("ages", lambda r: r.randrange(0, 100)),
        (f"multiples of {step}", lambda r: step * r.randrange(0, 40)),
        ("skewed integers", lambda r: int(10 ** r.uniform(0, 5))),
        ("integers around zero", lambda r: r.randrange(-60, 61)),
        ("many zeros", lambda r: 0 if r.random() < 0.4 else r.randrange(1, 500)),
        ("large integers", lambda r: 10**9 + r.randrange(10**9)),
        ("huge integers", lambda r: r.randrange(10**12)),
    ]
    return rng.choices(kinds, (4, 6, 3, 3, 4, 2, 3, 1, 1))[0]


def decimal_draws(rng: random.Random) -> tuple[str, Draw]:
    """Choose a distribution of numbers with a fraction, with a name for it."""
    kinds: list[tuple[str, Draw]] = [
        ("money", lambda r: r.lognormvariate(5, 1.2)),
        ("shares", lambda r: r.uniform(0, 1)),
        ("measurements", lambda r: r.gauss(20, 6)),
        ("few decimals", lambda r: r.randrange(1, 12) / 2),
        ("wide range", lambda r: 10 ** r.uniform(-2, 7)),
        ("around zero", lambda r: r.gauss(0, 3)),
        ("zeros and money", lambda r: 0.0 if r.random() < 0.35 else r.uniform(1, 900)),
        ("positive", lambda r: r.uniform(0.5, 60)),
    ]
    return rng.choices(kinds, (4, 2, 3, 2, 2, 2, 2, 4))[0]


def with_outliers(draw: Draw, rng: random.Random) -> Draw:
    """Make one value in forty a thousand times larger."""
    factor = rng.choice((50, 1000))
    return lambda r: (lambda value: value * factor if r.random() < 0.025 else value)(draw(r))
