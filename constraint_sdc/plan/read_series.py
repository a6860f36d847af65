"""Read the texts of a variable as numbers on a grid, ordered codes or categories, with blanks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Flags, Floats, Positions, Rows, SmallCodes
from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.codes import code_texts, code_values
from constraint_sdc.data.ordering import first_of_each
from constraint_sdc.data.series import EXACT_MANTISSA, Grid, Series
from constraint_sdc.data.table import Column, State, Table
from constraint_sdc.data.text import Text
from constraint_sdc.engines.running import scratch
from constraint_sdc.errors import UsageError
from constraint_sdc.evaluate.distinct_texts import distinct_texts
from constraint_sdc.evaluate.lexical import Reading
from constraint_sdc.evaluate.subdomain import Subdomain
from constraint_sdc.evidence.profile import leading_zeros, profile_of
from constraint_sdc.plan.decimal_places import DecimalPlaces, decimal_places
from constraint_sdc.settings.recipe import Recipe
from constraint_sdc.settings.words import Scale, VariableWish

_XML_BLANK = " \t\r\n"
_NO_NUMBERS = ("", "NaN", "INF", "-INF", "+INF")
MOST_DECIMALS = 15
"""Decimals of a grid; numbers with more are free doubles."""
_MONEY = 6


def is_numeric(column: Column, missing: tuple[str, ...]) -> bool:
    """Tell whether every text that is not blank is a number in any spelling; a code such as 007 is not a number."""
    seen = _seen(column, missing)
    is_number = np.isfinite(seen.numbers) & ~leading_zeros(seen.distinct)
    return bool(is_number[seen.is_value].all())


def date_notation(column: Column, wish: VariableWish, missing: tuple[str, ...]) -> DateNotation | None:
    """Return how the dates of a variable are written, None if it has none.

    The recipe may name any notation; without it, every value must be a valid date in ISO notation.
    """
    if isinstance(wish.decimals, DateNotation):
        return wish.decimals
    if wish.scale in (Scale.ORDINAL, Scale.NOMINAL) or not _begins_with_day(column, missing):
        return None
    texts = profile_of(column, missing).distinct.strings
    return DateNotation.ISO_DAY if texts and all(map(_is_iso_day, texts)) else None


def _begins_with_day(column: Column, missing: tuple[str, ...]) -> bool:
    """Tell whether the first value is a date: one look spares a reading of all texts of the other variables."""
    seen = _seen(column, missing)
    places = np.flatnonzero(seen.is_value)[:1]
    return all(map(_is_iso_day, seen.distinct.take(places).strings)) and len(places) > 0


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
    seen = _seen(column, missing)
    if scale is Scale.NUMERIC:
        notation = date_notation(column, wish, missing)
        numbers = seen.numbers if notation is None else _dates(seen, column, notation)
        blank = _blanks(column, ~(seen.is_value & np.isfinite(numbers))[seen.codes])
        values = numbers[seen.codes]
        values[blank != 0] = np.nan
        grid = _grid(seen, wish, values) if notation is None else Grid(0, notation=notation)
        return Series(column.name, column, scale, grid, scratch().kept(values), blank)
    blank = _blanks(column, ~seen.is_text[seen.codes])
    codes = _places(column, wish.order, blank) if wish.order else _codes(column, scale, blank)
    return Series(column.name, column, scale, Grid(None), scratch().kept(codes), blank)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The different texts of a column without white space around, and for every record the number of its text.

    `numbers` are the texts as numbers, NaN where one is none. `is_text` tells which are neither empty nor a missing
    code; `is_value` which of these are not NaN or infinite.
    """

    distinct: Text
    codes: SmallCodes
    numbers: Floats
    is_text: Flags
    is_value: Flags

    def decimal_places(self) -> DecimalPlaces:
        """Return the decimals of the distinct texts that are values."""
        return decimal_places(self.distinct.take(np.flatnonzero(self.is_value)))


def _seen(column: Column, missing: tuple[str, ...]) -> _Seen:
    found = distinct_texts(column).stripped
    is_text = ~found.is_one_of((*missing, ""))
    return _Seen(found.texts, found.codes, found.numbers, is_text, is_text & ~found.is_one_of(_NO_NUMBERS))


def _dates(seen: _Seen, column: Column, notation: DateNotation) -> Floats:
    """Return the days or months since 1970 of the distinct texts; refuse one that is neither a date nor missing."""
    numbers = np.full(len(seen.distinct), np.nan)
    places = np.flatnonzero(seen.is_value)
    read = [notation.number(text) for text in seen.distinct.take(places).strings]
    numbers[places] = [np.nan if number is None else number for number in read]
    strangers = seen.is_value & np.isnan(numbers)
    if strangers.any():
        # The message gives the number of values, not the values: a rare value may identify a person.
        count = int(strangers[seen.codes].sum())
        what = f"{column.name} has a value that is not a date written {notation.value}"
        hint = "list missing codes under `missing`, or give it another grid or type"
        raise UsageError(f"{what} in {count:,} of {len(column):,} records", hint=hint)
    return numbers


def _blanks(column: Column, is_missing: Flags) -> npt.NDArray[np.int64]:
    """Return 0 for values, and another number for each kind of missing value, in the order of the file."""
    blank = np.zeros(len(column), np.int64)
    rows = np.flatnonzero((column.state != State.VALUE) | is_missing)
    blank[rows] = code_values(column.take(rows)).codes + 1
    kept: npt.NDArray[np.int64] = scratch().kept(blank)
    return kept


def _grid(seen: _Seen, wish: VariableWish, values: Floats) -> Grid:
    """Return the recipe's grid, or the coarsest that has all values; free if they have the full length of doubles."""
    if wish.decimals == "free":
        return Grid(None)
    assert not isinstance(wish.decimals, DateNotation)
    places = seen.decimal_places()
    padded = _padded_grid(places)
    if wish.decimals is not None:
        return padded if padded is not None and padded.decimals == wish.decimals else Grid(wish.decimals)
    decimals = int(places.needed.max(initial=0))
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    if decimals > 0 and not _is_grid(decimals, largest):
        return Grid(None)
    if padded is None or padded.decimals is None or not _is_grid(padded.decimals, largest):
        return Grid(decimals)
    return Grid(0) if decimals == 0 and padded.plain_whole else padded


def _padded_grid(places: DecimalPlaces) -> Grid | None:
    """Return the grid with trailing zeros if all numbers with a point are written with as many decimals.

    Whole numbers are written without a point if the file writes some so; with one decimal that needs no padding.
    """
    written = set(first_of_each(places.written)[0].tolist())
    points = written - {0}
    if len(points) != 1:
        return None
    (decimals,) = points
    if 0 not in written:
        return Grid(decimals, pads=True)
    is_positional = bool(places.is_positional.all())
    return Grid(decimals, pads=True, plain_whole=True) if decimals > 1 and is_positional else None


def _is_grid(decimals: int, largest: float) -> bool:
    """Distinguish a chosen number of decimals from doubles written with all their digits.

    A double preserves fifteen significant digits; amounts of money may have one more.
    """
    return decimals <= MOST_DECIMALS and largest * 10.0**decimals < (EXACT_MANTISSA if decimals <= _MONEY else 1e15)


def _codes(column: Column, scale: Scale, blank: npt.NDArray[np.int64]) -> Floats:
    """Number the distinct values: in numeric order if all are numbers, else in the order of the texts."""
    rows, texts, codes = _distinct_values(column, blank)
    order = np.argsort(np.array(texts, object), kind="stable") if texts else np.zeros(0, np.intp)
    if scale is Scale.ORDINAL and texts:
        numbers = Reading(Text.of_strings([texts[place] for place in order.tolist()])).doubles.values
        if np.isfinite(numbers).all():
            order = order[np.argsort(numbers, kind="stable")]
    place = np.empty(len(texts))
    place[order] = np.arange(len(texts))
    return _at(rows, place[codes], len(column))


def _distinct_values(column: Column, blank: npt.NDArray[np.int64]) -> tuple[Positions, list[str], Codes]:
    """Return the records that have a value, the distinct texts, and for each of these records the number of its."""
    rows = np.flatnonzero(blank == 0)
    texts = Text.of_column(column).take(rows)
    coded = code_texts(texts)
    return rows, texts.take(coded.first).strings, coded.codes


def _at(rows: Positions, values: Floats, records: int) -> Floats:
    found = np.full(records, np.nan)
    found[rows] = values
    return found


def _places(column: Column, order: tuple[str, ...], blank: npt.NDArray[np.int64]) -> Floats:
    """Return the place of every value in the order; a value that no record has still counts as a step."""
    place = {text: float(code) for code, text in enumerate(order)}
    rows, texts, coded = _distinct_values(column, blank)
    known = np.array([place.get(text.strip(_XML_BLANK), np.nan) for text in texts], np.float64)
    codes = _at(rows, known[coded], len(column))
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
