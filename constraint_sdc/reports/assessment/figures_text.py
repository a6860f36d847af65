"""Numbers of an assessment as people read them; the text form and the page show the same digits.

A number that is not nought never reads as nought, and "not defined" never reads as a number.
"""

from __future__ import annotations

import math
from typing import assert_never

from constraint_sdc.measures.assessment import Cell, Figure, ResultTable, Unit

NOT_DEFINED = "-"
"""What stands where a number would, when there is none."""
_DIGITS = 4


def shown_figure(figure: Figure) -> str:
    """Return a figure's number in its unit."""
    return shown(figure.value, figure.unit)


def shown_rows(table: ResultTable) -> list[list[str]]:
    """Return a table's rows as text, column by column in its unit."""
    return [[shown(cell, unit) for cell, unit in zip(row, table.units, strict=True)] for row in table.rows]


def shown(cell: Cell, unit: Unit | None) -> str:
    """Return a cell as text: names as they are, numbers in their unit.

    >>> shown("V1", None), shown(None, Unit.PERCENT), shown(3, None)
    ('V1', '-', '3')
    """
    if cell is None:
        return NOT_DEFINED
    if isinstance(cell, str):
        return cell
    match unit:
        case Unit.PERCENT:
            return percent(cell)
        case Unit.COUNT:
            return count(cell)
        case Unit.PLAIN | None:
            return plain(cell)
    assert_never(unit)


def percent(value: float | None) -> str:
    """Return a share or a loss with two decimals.

    >>> percent(37.2234), percent(0), percent(0.001), percent(-0.001), percent(99.995), percent(1e7)
    ('37.22%', '0.00%', '< 0.01%', '> -0.01%', '> 99.99%', '10,000,000.00%')
    """
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    if 0 < abs(value) < 0.005:
        return "< 0.01%" if value > 0 else "> -0.01%"
    if 99.995 <= value < 100:
        return "> 99.99%"
    return f"{_positional(value, 2)}%"


def count(value: float | None) -> str:
    """Return a number of records, cells or groups; one decimal where shared ties make it a fraction.

    >>> count(12000), count(3.0), count(2.6667), count(0.01), count(None)
    ('12,000', '3', '2.7', '< 0.1', '-')
    """
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    if float(value).is_integer():
        return f"{int(value):,}" if abs(value) < 1e15 else f"{value:.{_DIGITS - 1}e}"
    if abs(value) < 0.05:
        return "< 0.1" if value > 0 else "> -0.1"
    return _positional(value, 1)


def plain(value: float | None) -> str:
    """Return any number with four significant digits, large ones in full, written positionally where that is short.

    >>> plain(0.0123456), plain(-1234.5678), plain(1234567.8), plain(2.0), plain(1e-9), plain(1e300), plain(0.0)
    ('0.01235', '-1,235', '1,234,568', '2', '1.000e-09', '1.000e+300', '0')
    """
    if value is None or not math.isfinite(value):
        return NOT_DEFINED
    size = abs(value)
    if size and not 1e-4 <= size < 1e12:
        return f"{value:.{_DIGITS - 1}e}"
    if float(value).is_integer() or size >= 1000:
        return f"{round(value):,}"
    decimals = _DIGITS - 1 - math.floor(math.log10(size))
    return f"{value:.{decimals}f}"


def _positional(value: float, decimals: int) -> str:
    """Return a number with thousands separators, in powers of ten where that would fill the line."""
    positive_nought = value + 0.0  # nought has no sign
    return f"{positive_nought:,.{decimals}f}" if abs(value) < 1e12 else f"{value:.{_DIGITS - 1}e}"
