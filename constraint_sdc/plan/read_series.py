"""Read the texts of a variable as numbers on a grid, ordered codes or categories, with blanks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Floats, Rows
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.series import EXACT_MANTISSA, Grid, Series
from constraint_sdc.data.table import Column, State, Table
from constraint_sdc.data.text import Text
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.subdomain import Subdomain
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish

_XML_BLANK = " \t\r\n"
_NO_NUMBERS = ("", "NaN", "INF", "-INF", "+INF")
_CODE = re.compile(r"[+-]?0[0-9]")
_PLAIN = re.compile(r"[+-]?[0-9]{1,40}(?:\.([0-9]{1,40}))?")
MOST_DECIMALS = 15
"""Decimals of a grid; numbers with more are free doubles."""
_MONEY = 6
_EXACT = Context(prec=400)


def is_numeric(column: Column, missing: tuple[str, ...]) -> bool:
    """Tell whether every text that is not blank is a number in any spelling; a code such as 007 is not a number."""
    texts = _distinct(column, missing)
    if not texts or any(_CODE.match(text) for text in texts):
        return not texts
    return bool(np.isfinite(Reading(Text.of_strings(texts)).doubles.values).all())


def date_notation(column: Column, wish: VariableWish, missing: tuple[str, ...]) -> DateNotation | None:
    """Return how the dates of a variable are written, None if it has none.

    The recipe may name any notation; without it, every value must be a valid date in ISO notation.
    """
    if isinstance(wish.decimals, DateNotation):
        return wish.decimals
    if wish.scale in (Scale.ORDINAL, Scale.NOMINAL) or not _begins_with_day(column, missing):
        return None
    texts = _distinct(column, missing)
    return DateNotation.ISO_DAY if texts and all(map(_is_iso_day, texts)) else None


def _begins_with_day(column: Column, missing: tuple[str, ...]) -> bool:
    """Tell whether the first value is a date: one look spares a reading of all texts of the other variables."""
    for row in np.flatnonzero(column.state == State.VALUE).tolist():
        text = (column.text(row) or "").strip(_XML_BLANK)
        if text not in (*missing, *_NO_NUMBERS):
            return _is_iso_day(text)
    return False


def _is_iso_day(text: str) -> bool:
    return DateNotation.ISO_DAY.number(text) is not None


def is_measurable(column: Column, wish: VariableWish, missing: tuple[str, ...]) -> bool:
    """Tell whether every text that is not blank is a number or a date, so that values can be averaged."""
    return date_notation(column, wish, missing) is not None or is_numeric(column, missing)


def on_any_grid(wish: VariableWish) -> VariableWish:
    """Return the wish for values that are only read: the numbers as they are, dates as days or months."""
    return wish if isinstance(wish.decimals, DateNotation) else replace(wish, decimals="free")


def not_numeric(name: str) -> UsageError:
    """Return the error for a variable that the recipe calls numeric but whose values are not numbers."""
    what = f"{name} must be numeric, but some of its values are not numbers, or are codes with a leading zero"
    return UsageError(what, hint="list its missing codes under `missing`, or give it type: nominal")


def make_series(column: Column, scale: Scale, wish: VariableWish, missing: tuple[str, ...]) -> Series:
    """Return a variable as masking sees it."""
    if scale is Scale.NUMERIC:
        notation = date_notation(column, wish, missing)
        numbers = _numbers(column) if notation is None else _dates(column, notation, missing)
        blank = _blanks(column, missing, numbers)
        values = np.where(blank == 0, numbers, np.nan)
        grid = _grid(column, wish, missing, values) if notation is None else Grid(0, notation=notation)
        return Series(column.name, column, scale, grid, values, blank)
    blank = _blanks(column, missing, None)
    codes = _places(column, wish.order, blank) if wish.order else _codes(column, scale, blank)
    return Series(column.name, column, scale, Grid(None), codes, blank)


def _distinct(column: Column, missing: tuple[str, ...]) -> list[str]:
    """Return the distinct texts that are values, without surrounding white space."""
    texts = {text.strip(_XML_BLANK) for text in column.texts() if text is not None}
    return sorted(texts.difference(missing, _NO_NUMBERS))


def _numbers(column: Column) -> Floats:
    return Reading(Text.of_column(column)).doubles.values


def _dates(column: Column, notation: DateNotation, missing: tuple[str, ...]) -> Floats:
    """Return the days or months since 1970; refuse a value that is neither a date nor a missing one."""
    known = {text: notation.number(text) for text in _distinct(column, missing)}
    strangers = {text for text, number in known.items() if number is None}
    texts = [None if text is None else text.strip(_XML_BLANK) for text in column.texts()]
    if strangers:
        # The message gives the number of values, not the values: a rare value may identify a person.
        count = sum(text in strangers for text in texts)
        what = f"{column.name} has a value that is not a date written {notation.value}"
        hint = "list missing codes under `missing`, or give it another grid or type"
        raise UsageError(f"{what} in {count:,} of {len(texts):,} records", hint=hint)
    return np.array([np.nan if (number := known.get(text or "")) is None else number for text in texts], np.float64)


def _blanks(column: Column, missing: tuple[str, ...], numbers: Floats | None) -> npt.NDArray[np.int64]:
    """Return 0 for values, and another number for each kind of missing value; `numbers` of a numeric variable."""
    texts = column.texts()
    codes = {text for text in set(texts) if text is not None and text.strip(_XML_BLANK) in {*missing, ""}}
    is_code = [text in codes for text in texts] if codes else np.zeros(len(texts), np.bool_)
    is_blank = (column.state != State.VALUE) | np.array(is_code, np.bool_)
    if numbers is not None:
        is_blank |= ~np.isfinite(numbers)
    ways: dict[tuple[int, str | None], int] = {}
    blank = np.zeros(len(column), np.int64)
    for row in np.flatnonzero(is_blank).tolist():
        blank[row] = ways.setdefault((int(column.state[row]), texts[row]), len(ways) + 1)
    return blank


def _grid(column: Column, wish: VariableWish, missing: tuple[str, ...], values: Floats) -> Grid:
    """Return the recipe's grid, or the coarsest that has all values; free if they have the full length of doubles."""
    if wish.decimals == "free":
        return Grid(None)
    assert not isinstance(wish.decimals, DateNotation)
    texts = _distinct(column, missing)
    decimals_of = {_decimals(text) for text in texts}
    padded = _padded_grid(texts, {as_written for as_written, _ in decimals_of})
    if wish.decimals is not None:
        return padded if padded is not None and padded.decimals == wish.decimals else Grid(wish.decimals)
    decimals = max((needed for _, needed in decimals_of), default=0)
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if decimals > 0 and not _is_grid(decimals, largest):
        return Grid(None)
    if padded is None or padded.decimals is None or not _is_grid(padded.decimals, largest):
        return Grid(decimals)
    return Grid(0) if decimals == 0 and padded.plain_whole else padded


def _padded_grid(texts: Iterable[str], written: Collection[int]) -> Grid | None:
    """Return the grid with trailing zeros if all numbers with a point are written with as many decimals.

    Whole numbers are written without a point if the file writes some so; with one decimal that needs no padding.
    """
    points = set(written) - {0}
    if len(points) != 1:
        return None
    (decimals,) = points
    if 0 not in written:
        return Grid(decimals, pads=True)
    is_positional = all(_PLAIN.fullmatch(text) for text in texts)
    return Grid(decimals, pads=True, plain_whole=True) if decimals > 1 and is_positional else None


def _is_grid(decimals: int, largest: float) -> bool:
    """Distinguish a chosen number of decimals from doubles written with all their digits.

    A double preserves fifteen significant digits; amounts of money may have one more.
    """
    return decimals <= MOST_DECIMALS and largest * 10.0**decimals < (EXACT_MANTISSA if decimals <= _MONEY else 1e15)


def _decimals(text: str) -> tuple[int, int]:
    """Return how many decimals a number has as written, and how many it needs.

    >>> _decimals("12.50"), _decimals("1e-3"), _decimals("100")
    ((2, 1), (3, 3), (0, 0))
    """
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        fraction = plain[1] or ""
        return len(fraction), len(fraction.rstrip("0"))
    number = Decimal(text)
    return _places_after_point(number), _places_after_point(number.normalize(_EXACT))


def _places_after_point(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return max(-exponent, 0) if isinstance(exponent, int) else 0


def _codes(column: Column, scale: Scale, blank: npt.NDArray[np.int64]) -> Floats:
    """Number the distinct values: in numeric order if all are numbers, else in the order of the texts."""
    texts = column.texts()
    distinct = sorted({texts[row] or "" for row in np.flatnonzero(blank == 0).tolist()})
    if scale is Scale.ORDINAL:
        numbers = Reading(Text.of_strings(distinct)).doubles.values if distinct else np.zeros(0)
        if np.isfinite(numbers).all():
            distinct = [distinct[i] for i in np.argsort(numbers, kind="stable").tolist()]
    place = {text: float(code) for code, text in enumerate(distinct)}
    return np.array([np.nan if b else place[t or ""] for b, t in zip(blank.tolist(), texts, strict=True)], np.float64)


def _places(column: Column, order: tuple[str, ...], blank: npt.NDArray[np.int64]) -> Floats:
    """Return the place of every value in the order; a value that no record has still counts as a step."""
    place = {text: float(code) for code, text in enumerate(order)}
    codes = np.full(len(column), np.nan)
    texts = column.texts()
    rows = np.flatnonzero(blank == 0)
    codes[rows] = [place.get((texts[row] or "").strip(_XML_BLANK), np.nan) for row in rows.tolist()]
    strangers = int(np.isnan(codes[rows]).sum())
    if strangers:
        # The message gives the number of values, not the values: a rare value may identify a person.
        what = f"{column.name} has a value that `order` does not list in {strangers:,} of {len(column):,} records"
        raise UsageError(what, hint="complete `order` in the recipe, or list missing codes under `missing`")
    return codes


# The records of a table that a subdomain or condition of the recipe selects.


def subdomain_rows(subdomain: Subdomain, table: Table, recipe: Recipe) -> tuple[tuple[str, Rows], ...]:
    """Return labels and records (from 0, ascending); missing codes are blanks, and the recipe's types decide.

    ValueError if the condition compares values that cannot be compared.
    """
    texts: dict[str, list[str | None]] = {}
    numbers = {}
    for name in subdomain.names:
        column, missing = table.columns[name], recipe.missing.get(name, ())
        scale = recipe.variables.get(name, VariableWish()).scale
        if scale in (None, Scale.NUMERIC) and is_numeric(column, missing):
            numbers[name] = make_series(column, Scale.NUMERIC, VariableWish(decimals="free"), missing).values
        texts[name] = [None if text in (*missing, "") else text for text in column.texts()]
    return subdomain.rows(texts, numbers)
