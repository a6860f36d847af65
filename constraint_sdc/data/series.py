"""A variable over the whole file, and the grid of the numbers that it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.table import Column
from constraint_sdc.data.windows import windows
from constraint_sdc.engines.running import scratch
from constraint_sdc.settings.words import Scale, Standardise

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


def double_texts(values: npt.NDArray[np.float64]) -> list[str]:
    """Return the texts of many doubles, each as `double_text` writes it.

    >>> double_texts(np.array([0.1, 5.0, 1e-05, np.nan]))
    ['0.1', '5', '0.00001', 'NaN']
    """
    texts = list(map(repr, values.tolist()))
    whole = "".join(texts)
    if "e" in whole or "n" in whole:  # exponents, infinities, NaN
        return [double_text(value) for value in values.tolist()]
    return [text[:-2] if text[-2:] == ".0" else text for text in texts]


# The grid of a variable: the numbers that it may take, and how they are written.
#
# Integers stay integers and two decimals stay two decimals. A grid number is a whole number of steps (its mantissa);
# `mantissa / 10**decimals`, divided as doubles, is the double that XPath reads from the text, for mantissas below
# 2**53.

EXACT_MANTISSA = 2**53
"""Every whole number below is a double."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`decimals` digits after the point, None for a free double; `pads` writes trailing zeros (`12.50`).

    With `plain_whole`, a padded grid writes whole numbers without a point (`0` beside `12.50`). With a `notation`, a
    whole number is a number of days or months, written as a date.

    >>> Grid(0).text(12.0), Grid(2).text(1250.0), Grid(2, pads=True).text(1250.0), Grid(2).text(-5.0)
    ('12', '12.5', '12.50', '-0.05')
    >>> Grid(2, pads=True, plain_whole=True).text(1250.0), Grid(2, pads=True, plain_whole=True).text(1200.0)
    ('12.50', '12')
    >>> Grid(None).text(1e-05), Grid(0, notation=DateNotation.ISO_DAY).text(59.0)
    ('0.00001', '1970-03-01')
    """

    decimals: int | None
    pads: bool = False
    plain_whole: bool = False
    notation: DateNotation | None = None

    @property
    def limits(self) -> tuple[float, float]:
        """Return the least and the greatest number of the grid."""
        return (-math.inf, math.inf) if self.notation is None else self.notation.limits

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
        if self.notation is not None:
            return self.notation.text(int(mantissa))
        if self.decimals is None:
            return double_text(0.0 if mantissa == 0 else mantissa)
        if self.decimals == 0:
            return str(int(mantissa))
        digits = str(abs(int(mantissa))).rjust(self.decimals + 1, "0")
        whole, fraction = digits[: -self.decimals], digits[-self.decimals :]
        if not self.pads or (self.plain_whole and not int(fraction)):
            fraction = fraction.rstrip("0")
        return ("-" if mantissa < 0 else "") + whole + ("." + fraction if fraction else "")

    def texts(self, mantissas: npt.NDArray[np.float64]) -> list[str]:
        """Return the texts of many mantissas, each as `text` writes it.

        >>> Grid(0).texts(np.array([12.0, -0.0, -7.0])), Grid(1).texts(np.array([5.0]))
        (['12', '0', '-7'], ['0.5'])
        """
        is_plain = self.decimals == 0 and self.notation is None
        if is_plain and bool((np.abs(mantissas) < EXACT_MANTISSA).all()):
            return list(map(str, mantissas.astype(np.int64).tolist()))
        if self.decimals is None and self.notation is None:
            return double_texts(mantissas + 0.0)  # no negative zero
        return [self.text(mantissa) for mantissa in mantissas.tolist()]

    def __str__(self) -> str:
        if self.notation is not None:
            return f"{'days' if self.notation.is_day else 'months'} {self.notation.value}"
        if self.decimals is None:
            return "free"
        return "integer" if self.decimals == 0 else f"{self.decimals} decimal{'s' if self.decimals > 1 else ''}"


# A variable over the whole file, ready for masking: its numbers or codes, and where it has none.

_NARROW = 1e-6  # spread relative to the numbers: below, digits are lost unless one number is subtracted first


@dataclass(frozen=True)
class Series:
    """`values` are numbers (numeric) or codes in the order of the values (ordinal, nominal), NaN where blank.

    A value is blank where the record has none: absent, empty, a missing code, or not a finite number. `blank` is 0
    where there is a value and otherwise the same positive number for the same text and state.
    """

    name: str
    column: Column
    scale: Scale
    grid: Grid
    values: npt.NDArray[np.float64]
    blank: npt.NDArray[np.int64]

    def of(self, rows: npt.NDArray[np.int64]) -> Series:
        """Return the variable for some records only."""
        return replace(self, column=self.column.take(rows), values=self.values[rows], blank=self.blank[rows])

    def part(self, rows: npt.NDArray[np.int64]) -> Series:
        """Return the variable for some records, measured as in the whole file: its deviation and its extent."""
        found = self.of(rows)
        vars(found).update(deviation=self.deviation, extent=self.extent)
        return found

    def measure(self) -> None:
        """Measure deviation and extent now, so that every copy that is sent to a worker has them."""
        vars(self).update(deviation=self.deviation, extent=self.extent)

    @cached_property
    def is_blank(self) -> npt.NDArray[np.bool_]:
        """Tell where the record has no value."""
        kept: npt.NDArray[np.bool_] = scratch().kept(np.not_equal(self.blank, 0))
        return kept

    @cached_property
    def extent(self) -> tuple[float, float]:
        """Return the least and the greatest value; nothing lies between them where there is none."""
        low, high = math.inf, -math.inf
        for rows in windows(len(self.values)):
            values = self.values[rows][self.blank[rows] == 0]
            low, high = min(low, float(values.min(initial=math.inf))), max(high, float(values.max(initial=-math.inf)))
        return low, high

    @cached_property
    def deviation(self) -> float:
        """Return the standard deviation of the values that are not blank; 1 when they do not differ."""
        values = self.values[~self.is_blank]
        largest = float(np.abs(values).max(initial=0.0))
        # In units of the largest value no square overflows.
        spread = float((values / largest).std()) if largest else 0.0
        if 0 < spread < _NARROW:  # far from zero, or constant up to rounding: use differences, which are exact
            values = values - values[0]
            largest = float(np.abs(values).max())
            spread = float((values / largest).std()) if largest else 0.0
        return spread * largest if spread * largest > 0 else 1.0

    def _unit(self, how: Standardise) -> float:
        """Return the unit: the interquartile range or, if the quartiles coincide, the mean distance from the median.

        Both are scaled so that they equal the standard deviation for a normal distribution.
        """
        if how is Standardise.NONE:
            return 1.0
        if how is Standardise.Z_SCORE or self.is_blank.all():
            return self.deviation
        values = self.values[~self.is_blank]
        values = values / 2.0 - values[0] / 2.0  # no difference overflows, and none is lost under a large offset
        largest = float(np.abs(values).max())
        values = values / (largest or 1.0)
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75)).tolist()
        robust = (high - low) / 1.349 or float(np.abs(values - middle).mean()) * 1.2533
        return robust * largest * 2.0 or 1.0

    @property
    def width(self) -> int:
        """Return the number of columns that it has as points: one, or one for every category."""
        return int(np.nanmax(self.values, initial=0.0)) + 1 if self.scale is Scale.NOMINAL else 1

    def standardised(self, how: Standardise = Standardise.Z_SCORE) -> npt.NDArray[np.float64]:
        """Return the points of this variable for distances: numbers in units, or one column per category.

        Blanks are at the mean. Two records of different categories are as far apart as two whose numbers differ by one
        unit. Codes of an ordinal variable have no unit of their own, so their unit is always their standard deviation.
        """
        if self.scale is Scale.NOMINAL:
            codes = np.equal(self.values[:, None], np.arange(self.width))
            return np.where(codes, np.sqrt(0.5), 0.0)
        present = ~self.is_blank
        unit = self.deviation if self.scale is Scale.ORDINAL else self._unit(how)
        shift = self.values[present][0] if present.any() and unit < _NARROW * np.nanmax(np.abs(self.values)) else 0.0
        values = (self.values - shift) / unit
        centre = float(values[present].mean()) if present.any() else 0.0
        points: npt.NDArray[np.float64] = np.where(present, values - centre, 0.0)
        return points.reshape(-1, 1)
