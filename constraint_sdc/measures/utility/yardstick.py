"""The mean and standard deviation of the original variable, as units for both files without loss of digits.

Squares of 1e200 overflow, and 1e15 + 1 differs from 1e15 in its last digits only. So numbers are first divided by a
power of two, which is exact, and the first of them is subtracted before anything is summed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.assessment import Figure, Measured
from constraint_sdc.settings.reason import Reason, because


@dataclass(frozen=True, slots=True)
class Yardstick:
    """Of `count` values divided by `2**exponent`: the first, the mean's distance from it, and the standard deviation.

    `spread` divides by n; it is exactly 0 if and only if the values do not differ, or there are none.
    """

    count: int
    exponent: int
    first: float
    centre: float
    spread: float

    def of(self, values: Floats) -> Floats:
        """Return values in standard deviations from the mean; NaN stays NaN.

        Values too large for a double are infinite. Without a spread, the unit is `2**exponent`.
        """
        with np.errstate(over="ignore"):
            scaled = np.ldexp(values, -self.exponent) - self.first - self.centre
            measured: Floats = scaled / (self.spread or 1.0)
        return measured

    @property
    def mean(self) -> float:
        """Return the mean of the values."""
        return float(np.ldexp(self.first + self.centre, self.exponent))

    @property
    def sample_factor(self) -> float | None:
        """Return the sample standard deviation (n - 1) in units of `spread`, None for a single value."""
        return float(np.sqrt(self.count / (self.count - 1))) if self.count > 1 else None

    @property
    def sample_deviation(self) -> float | None:
        """Return the sample standard deviation (n - 1); None for a single value, or if it overflows."""
        if self.sample_factor is None:
            return None
        with np.errstate(over="ignore"):
            return finite(np.ldexp(self.spread * self.sample_factor, self.exponent))


def yardstick(values: Floats) -> Yardstick:
    """Return the yardstick of the finite values, in the order they have."""
    values = values[np.isfinite(values)]
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    scaled = np.ldexp(values, -exponent)
    if not len(values) or not (scaled != scaled[0]).any():
        return Yardstick(len(values), exponent, float(scaled[0]) if len(values) else 0.0, 0.0, 0.0)
    away = scaled - scaled[0]
    return Yardstick(len(values), exponent, float(scaled[0]), float(away.mean()), float(away.std()))


def complete(original: Points, masked: Points) -> tuple[Points, Points]:
    """Return both files with NaN in every cell that has no finite number in one of them."""
    both = np.isfinite(original) & np.isfinite(masked)
    return np.where(both, original, np.nan), np.where(both, masked, np.nan)


def finite(number: float) -> float | None:
    """Return a plain number, None if it is infinite or NaN."""
    return float(number) if np.isfinite(number) else None


# Sentences that several utility measures share.


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a count with its noun.

    >>> counted(1, "variable"), counted(0, "variable"), counted(2, "category", "categories")
    ('1 variable', '0 variables', '2 categories')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def variables_of(pair: Pair) -> str:
    """Return the number of numeric variables that can be measured, as text; those lost in masking cannot."""
    return counted(len(pair.numeric) - len(pair.lost), "numeric variable")


def mean_of(numbers: Iterable[float | None]) -> float | None:
    """Return the mean of the numbers that are defined, None if none is."""
    defined = [number for number in numbers if number is not None]
    if not defined:
        return None
    total = sum(defined)
    return total / len(defined) if math.isfinite(total) else sum(number / len(defined) for number in defined)


def not_measured(name: str, title: str, figures: tuple[Figure, ...], why: Reason) -> Measured:
    """Return a measure whose figures are all not defined, and why."""
    undefined = because("not-defined", why=why)
    return Measured(name, title, figures, undefined, notes=(undefined,))
