"""Read and write records as Parquet for conversion: each value in the one spelling that reads back as it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from constraint_sdc.data.variable import (
    KEY,
    Batch,
    RowSource,
    Survey,
    VariableInfo,
    Written,
    batch_length,
    info_json,
    survey_batches,
)
from constraint_sdc.files.atomic import atomic_path
from constraint_sdc.files.tables.arrow.arrow_table import OpenArrow, open_arrow
from constraint_sdc.files.tables.headers import headers_of


def read_parquet(path: Path) -> RowSource:
    """Return the rows of a Parquet or Arrow file, described by its column types and what `write_parquet` stored.

    Null is absent; `texts_of` says how values are spelled.
    """
    with open_arrow(path) as table:
        infos = table.infos
    return RowSource(infos, lambda: _batches(open_arrow(path)))


def _batches(table: OpenArrow) -> Iterator[Batch]:
    with table:
        yield from table.batches()


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
    """Write the records as Parquet, or as Arrow by the ending, staged and renamed at the end; reads the rows twice.

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
    is_arrow = path.suffix.lower() in (".feather", ".arrow")
    with (
        atomic_path(path, overwrite) as staged,
        pa.ipc.new_file(staged, schema) if is_arrow else pq.ParquetWriter(staged, schema) as writer,
    ):
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
