"""The obvious way to read a variable, one cell after another: the examiner of `plan/read_series.py`."""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal

from constraint_sdc.data.series import EXACT_MANTISSA, Grid
from constraint_sdc.data.table import Column, State
from constraint_sdc.evaluate.lexical import as_double

BLANK = " \t\r\n"
NO_NUMBERS = ("", "NaN", "INF", "-INF", "+INF")
CODE = re.compile(r"[+-]?0[0-9]")
PLAIN = re.compile(r"[+-]?[0-9]{1,40}(?:\.([0-9]{1,40}))?")


def slow_distinct(column: Column, missing: tuple[str, ...]) -> list[str]:
    texts = {text.strip(BLANK) for text in column.texts() if text is not None}
    return sorted(texts.difference(missing, NO_NUMBERS))


def slow_number(text: str) -> float:
    number = as_double(text.encode("utf-8"))
    return math.nan if number is None else number


def slow_is_numeric(column: Column, missing: tuple[str, ...]) -> bool:
    texts = slow_distinct(column, missing)
    return not any(CODE.match(text) for text in texts) and all(math.isfinite(slow_number(text)) for text in texts)


def slow_blanks(column: Column, missing: tuple[str, ...], *, is_number: bool) -> list[int]:
    ways: dict[tuple[int, str | None], int] = {}
    found = []
    for state, text in zip(column.state.tolist(), column.texts(), strict=True):
        is_blank = state != State.VALUE or text is None or text.strip(BLANK) in {*missing, ""}
        is_blank = is_blank or (is_number and not math.isfinite(slow_number(text or "")))
        found.append(ways.setdefault((state, text), len(ways) + 1) if is_blank else 0)
    return found


def slow_decimals(text: str) -> tuple[int, int]:
    plain = PLAIN.fullmatch(text)
    if plain is not None:
        fraction = plain[1] or ""
        return len(fraction), len(fraction.rstrip("0"))
    number = Decimal(text)
    exponents = (number.as_tuple().exponent, number.normalize(Context(prec=400)).as_tuple().exponent)
    written, needed = (max(-exponent, 0) if isinstance(exponent, int) else 0 for exponent in exponents)
    return written, needed


def slow_grid(texts: list[str], largest: float) -> Grid:
    """Return the grid that the texts of a variable without a wish have."""
    decimals_of = {slow_decimals(text) for text in texts}
    padded = _padded(texts, {written for written, _ in decimals_of})
    decimals = max((needed for _, needed in decimals_of), default=0)
    if decimals > 0 and not _is_grid(decimals, largest):
        return Grid(None)
    if padded is None or padded.decimals is None or not _is_grid(padded.decimals, largest):
        return Grid(decimals)
    return Grid(0) if decimals == 0 and padded.plain_whole else padded


def _padded(texts: list[str], written: set[int]) -> Grid | None:
    points = written - {0}
    if len(points) != 1:
        return None
    (decimals,) = points
    if 0 not in written:
        return Grid(decimals, pads=True)
    is_positional = all(PLAIN.fullmatch(text) for text in texts)
    return Grid(decimals, pads=True, plain_whole=True) if decimals > 1 and is_positional else None


def _is_grid(decimals: int, largest: float) -> bool:
    return decimals <= 15 and largest * 10.0**decimals < (EXACT_MANTISSA if decimals <= 6 else 1e15)


def slow_codes(column: Column, blank: list[int], *, is_ordered: bool) -> list[float]:
    texts = column.texts()
    distinct = sorted({text or "" for text, b in zip(texts, blank, strict=True) if not b})
    if is_ordered and all(math.isfinite(slow_number(text)) for text in distinct):
        distinct.sort(key=slow_number)
    return [math.nan if b else float(distinct.index(t or "")) for b, t in zip(blank, texts, strict=True)]


def slow_looks_like_count(column: Column) -> bool:
    """Tell whether all values are different decimal numbers, of whatever script, that count the records."""
    texts = column.texts()
    if len(set(texts)) < len(texts) or not all(text and text.isdecimal() for text in texts):
        return False
    numbers = [int(text or "0") for text in texts]
    return numbers[0] <= 1 and numbers == list(range(numbers[0], numbers[0] + len(texts))) and len(texts) >= 10
