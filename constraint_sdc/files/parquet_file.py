"""Read records from Parquet as texts: each value in the one spelling that reads back as the same value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from constraint_sdc.data.series import double_text
from constraint_sdc.data.variable import (
    KEY,
    Batch,
    RowSource,
    Survey,
    VariableInfo,
    Written,
    batch_length,
    info_from_json,
    info_json,
    survey_batches,
)
from constraint_sdc.errors import DataError
from constraint_sdc.files.atomic import atomic_path
from constraint_sdc.files.csv_file import headers_of
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.limits import require_cells

BATCH = 20_000
Texts: TypeAlias = Callable[[Any], list[str | None]]
"""Turns an Arrow array into texts, null into None."""


def read_parquet(path: Path) -> RowSource:
    """Return the rows of a Parquet file, described by its column types and the metadata that `write_parquet` stored.

    Null is absent. Integers, decimals (with their scale) and text are written as they are, doubles as their shortest
    positional text, floats as the double they equal, booleans true and false, dates and times as ISO text (a time zone
    becomes UTC). Lists, structures and binary columns are refused by name.
    """
    with _opened(path) as file:
        schema = file.schema_arrow
        require_cells(file.metadata.num_rows, len(schema), path)
    headers = list(schema.names)
    for i, header in enumerate(headers):
        if not header or header in headers[:i]:
            raise DataError(
                f"column {i + 1} has {'the same header as another' if header else 'no header'}", file=str(path)
            )
    names = [xml_name(header) for header in headers]
    readers = [_texts_of(field, path) for field in schema]
    infos = tuple(_info(name, field) for name, field in zip(names, schema, strict=True))
    # A few hundred bytes can say that a long text stands in every row: as codes it is in memory once.
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    return RowSource(infos, lambda: _batches(path, names, readers, texts))


@contextmanager
def _opened(path: Path, as_codes: Sequence[str] = ()) -> Iterator[Any]:
    """Open a file; the columns `as_codes` are read as a list of different values and a code for each row."""
    try:
        with pq.ParquetFile(path, read_dictionary=list(as_codes)) as file:
            yield file
    except (OSError, pa.ArrowException) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise DataError(f"cannot read Parquet: {reason}", file=str(path)) from error


def _batches(path: Path, names: list[str], readers: list[Texts], as_codes: Sequence[str]) -> Iterator[Batch]:
    with _opened(path, as_codes) as file:
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
        f"column {field.name!r} is of type {field.type}, which has no text form",
        file=str(path),
        hint="drop or convert it",
    )


def _mapped(text: Callable[[Any], str]) -> Texts:
    def texts(array: Any) -> list[str | None]:
        if pa.types.is_dictionary(array.type):
            values = texts(array.dictionary)
            return [None if code is None else values[code] for code in array.indices.to_pylist()]
        return [None if value is None else text(value) for value in array.to_pylist()]

    return texts


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
    """Return the text with T in place of the blank and without trailing zeros in the fraction of a second."""
    text = text.replace(" ", "T")
    return text.rstrip("0").rstrip(".") if "." in text else text


# Write records as Parquet: each variable as numbers where every text comes back exactly, as text otherwise.

_MOST_DIGITS = 38


@dataclass(frozen=True, slots=True)
class _Storage:
    """An Arrow type, and how a text becomes a value of it."""

    type: Any
    value: Callable[[str], Any]

    @property
    def is_text(self) -> bool:
        return bool(pa.types.is_string(self.type))


def write_parquet(path: Path, rows: RowSource, *, empty_is_missing: bool = False, overwrite: bool = False) -> Written:
    """Write the records as Parquet, staged and renamed at the end; reads the rows twice.

    Absent is null. A variable is stored as int64, as decimals of one scale, or as doubles if the stored number reads
    back as exactly the same text for every value, missing codes included. Any other text (`007`, ` 5`, `1e5`) makes it
    text, and a note says so if the metadata declare a number. An empty text is kept, which makes the variable text,
    unless `empty_is_missing`. Labels, measures and missing codes are kept in the columns' metadata.
    """
    headers = headers_of(rows.names, path)
    surveys = survey_batches(rows.batches(), [replace(info, missing=()) for info in rows.infos])
    storages = {info.name: _storage(surveys[info.name], info, empty_is_missing) for info in rows.infos}
    schema = pa.schema(
        pa.field(header, storages[info.name].type, metadata={KEY: info_json(info)})
        for header, info in zip(headers, rows.infos, strict=True)
    )
    count = 0
    with atomic_path(path, overwrite) as staged, pq.ParquetWriter(staged, schema) as writer:
        for batch in rows.batches():
            arrays = [_array(batch[name], storages[name], empty_is_missing) for name in rows.names]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            count += batch_length(batch)
    return Written(count, _notes(rows.infos, storages, surveys, empty_is_missing))


def _storage(survey: Survey, info: VariableInfo, empty_is_missing: bool) -> _Storage:
    """Choose the first storage without loss; the metadata decide only between storages without loss."""
    text = _Storage(pa.string(), str)
    if (survey.empty and not empty_is_missing) or info.type == "text":
        return text
    double = _Storage(pa.float64(), float)
    if info.type == "double" and survey.is_double:
        return double
    if survey.is_int64:
        return _Storage(pa.int64(), int)
    if survey.is_plain and len(survey.decimals) == 1:
        (scale,) = survey.decimals
        if survey.digits + scale <= _MOST_DIGITS:
            return _Storage(pa.decimal128(survey.digits + scale or 1, scale), Decimal)
    return double if survey.is_double else text


def _array(texts: Sequence[str | None], storage: _Storage, empty_is_missing: bool) -> Any:
    values = [None if text is None or (empty_is_missing and not text) else storage.value(text) for text in texts]
    return pa.array(values, storage.type)


def _notes(
    infos: tuple[VariableInfo, ...], storages: dict[str, _Storage], surveys: dict[str, Survey], empty_is_missing: bool
) -> tuple[str, ...]:
    notes = []
    for info in infos:
        survey = surveys[info.name]
        if empty_is_missing and survey.empty:
            notes.append(f"{info.name}: {survey.empty} empty values are written as null, like absent ones")
        if storages[info.name].is_text and info.type != "text":
            why = "an empty text" if survey.empty and not empty_is_missing else "some of its texts"
            notes.append(f"{info.name}: stored as text, because {why} cannot be restored from a number")
    return tuple(notes)
