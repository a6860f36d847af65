"""Read records from Parquet as texts: every value in the one spelling that reads back to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from constraint_sdc.errors import DataError
from constraint_sdc.model.info_json import KEY, info_from_json
from constraint_sdc.model.number_text import double_text
from constraint_sdc.model.rows import Batch, Rows
from constraint_sdc.model.variable import VariableInfo
from constraint_sdc.model.xml_name import xml_name

BATCH = 20_000
Texts: TypeAlias = Callable[[Any], list[str | None]]
"""Turns an Arrow array into texts, null into None."""


def read_parquet(path: Path) -> Rows:
    """Return the rows of a Parquet file, described by its column types and the notes that `write_parquet` left.

    Null is absent. Integers, decimals (with their scale) and text are written as they are, doubles as their shortest
    positional text, floats as the double they equal, booleans true and false, dates and times as ISO text (a time zone
    becomes UTC). Lists, structures and binary columns are refused by name.
    """
    with _opened(path) as file:
        schema = file.schema_arrow
    headers = list(schema.names)
    for i, header in enumerate(headers):
        if not header or header in headers[:i]:
            raise DataError(f"column {i + 1} has {'the header of another' if header else 'no header'}", file=str(path))
    names = [xml_name(header) for header in headers]
    readers = [_texts_of(field, path) for field in schema]
    infos = tuple(_info(name, field) for name, field in zip(names, schema, strict=True))
    return Rows(infos, lambda: _batches(path, names, readers))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise DataError(f"cannot read Parquet: {reason}", file=str(path)) from error


def _batches(path: Path, names: list[str], readers: list[Texts]) -> Iterator[Batch]:
    with _opened(path) as file:
        for batch in file.iter_batches(BATCH):
            yield {name: texts(column) for name, texts, column in zip(names, readers, batch.columns, strict=True)}


def _info(name: str, field: Any) -> VariableInfo:
    noted = info_from_json(name, (field.metadata or {}).get(KEY, b""))
    if noted is not None:
        return noted
    if pa.types.is_integer(field.type):
        return VariableInfo(name, "integer", 0)
    if pa.types.is_decimal(field.type):
        scale = max(field.type.scale, 0)
        return VariableInfo(name, "decimal" if scale else "integer", scale)
    return VariableInfo(name, "double" if pa.types.is_floating(field.type) else "text")


def _texts_of(field: Any, path: Path) -> Texts:
    """Choose how the column's values are spelled."""
    type_ = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    is_ = pa.types
    if is_.is_integer(type_):
        return _mapped(str)
    if is_.is_floating(type_):
        return _mapped(lambda value: double_text(float(value)))
    if is_.is_decimal(type_):
        return _mapped(_decimal_text)
    if is_.is_boolean(type_):
        return _mapped(lambda value: "true" if value else "false")
    if is_.is_string(type_) or is_.is_large_string(type_) or is_.is_string_view(type_) or is_.is_null(type_):
        return _mapped(str)
    if is_.is_timestamp(type_):
        return _timestamps
    if is_.is_date(type_) or is_.is_time(type_):
        return _dates_and_times
    raise DataError(
        f"column {field.name!r} is of type {field.type}, which has no text", file=str(path), hint="drop or convert it"
    )


def _mapped(text: Callable[[Any], str]) -> Texts:
    return lambda array: [None if value is None else text(value) for value in array.to_pylist()]


def _decimal_text(value: Decimal) -> str:
    return format(value, "f")


def _plain(array: Any) -> Any:
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _dates_and_times(array: Any) -> list[str | None]:
    return [None if text is None else _iso(text) for text in _plain(array).cast(pa.string()).to_pylist()]


def _timestamps(array: Any) -> list[str | None]:
    plain = _plain(array)
    zone = "Z" if plain.type.tz else ""
    texts = plain.cast(pa.timestamp(plain.type.unit)).cast(pa.string()).to_pylist()
    return [None if text is None else _iso(text) + zone for text in texts]


def _iso(text: str) -> str:
    """Return the text with a T for the blank, and without zeros that close the fraction of a second."""
    text = text.replace(" ", "T")
    return text.rstrip("0").rstrip(".") if "." in text else text
