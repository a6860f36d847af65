"""What a data frame must be: columns with names of their own, each of one kind of value that has a text form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.arrow.arrow_texts import texts_of


def refuse_names(names: Iterable[object], called: str) -> None:
    """Refuse a column without a name of its own; `called` is how messages name the frame.

    >>> refuse_names(["V1", 2], "data frame")
    Traceback (most recent call last):
    constraint_sdc.errors.DataError: data frame: column 2 is called 2, which is no text (rename it)
    """
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise DataError(f"column {place} is called {name!r}, which is no text", file=called, hint="rename it")
        if name in seen:
            what = f"columns {seen[name]} and {place} are both called {name!r}"
            raise DataError(what, file=called, hint="rename one of them")
        seen[name] = place


def refuse_types(table: Any, called: str) -> None:
    """Refuse a column whose values have no text form, such as lists; the first row that has a value is named."""
    for field, column in zip(table.schema, table.columns, strict=True):
        try:
            texts_of(field, Path(called))
        except DataError as error:
            raise _typed(field, column, called, error.hint) from None


def _typed(field: Any, column: Any, called: str, hint: str | None) -> DataError:
    kind = "nested values" if pa.types.is_nested(field.type) else f"values of type {field.type}"
    row = next((row for row, is_value in enumerate(pc.is_valid(column).to_pylist(), 1) if is_value), None)
    where = f"column {field.name!r}" if row is None else f"column {field.name!r}, row {row}"
    return DataError(f"{where}: {kind}, which have no text form", file=called, hint=hint)


def is_same_column(one: Any, other: Any) -> bool:
    """Tell whether two columns have the same values, missing ones and NaN included; types may be of another width.

    >>> is_same_column(pa.chunked_array([[1, None]]), pa.chunked_array([pa.array([1, None], pa.int8())]))
    True
    """
    values, others = _plain(one), _plain(other)
    try:
        values = values.cast(others.type)
    except pa.ArrowException:
        return False
    if values.equals(others):
        return True
    if not pa.types.is_floating(others.type) or not values.is_valid().equals(others.is_valid()):
        return False
    numbers = [array.drop_null() for array in (values, others)]
    nans = [pc.is_nan(array) for array in numbers]
    rest = [array.filter(pc.invert(nan)) for array, nan in zip(numbers, nans, strict=True)]
    return bool(nans[0].equals(nans[1]) and rest[0].equals(rest[1]))


def _plain(column: Any) -> Any:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def listed_values(column: Any) -> list[Any]:
    """Return the values that the dictionaries of a column list, in order, each once."""
    return list(dict.fromkeys(value for chunk in column.chunks for value in chunk.dictionary.to_pylist()))


def column_of_cells(cells: Sequence[Any]) -> Any:
    """Return cells of a result's table as an Arrow array; as text if they are of several kinds.

    >>> column_of_cells([1, None, "a"]).to_pylist()
    ['1', None, 'a']
    """
    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells], pa.string())
