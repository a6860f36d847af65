"""The files that hold Arrow tables: Parquet, and Arrow's own format, which is also Feather's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from constraint_sdc.errors import DataError
from constraint_sdc.files.tables.foreign import refuse_foreign
from constraint_sdc.limits import require_cells

_OPENING = 4096
BATCH = 20_000
"""Rows that are read at a time."""


class ArrowContainer(Protocol):
    """An open file: its schema, how many rows it has, and what a copy keeps besides.

    `outline` is how the file is laid out, `codecs` are the columns with their compression.
    """

    schema: Any
    rows: int
    outline: tuple[object, ...]
    codecs: tuple[tuple[str, str], ...]

    def batches(self) -> Iterator[Any]:
        """Yield all rows in batches of at most BATCH."""
        ...

    def groups(self) -> Iterator[Any]:
        """Yield the rows in the groups in which the file keeps them, each as a table."""
        ...

    def writer(self, target: Any, schema: Any) -> AbstractContextManager[Any]:
        """Return what writes a file of this layout; it takes tables, one for each group."""
        ...


class ParquetContainer:
    """A Parquet file. Texts are read as codes: a few hundred bytes can say that a long text stands in every row."""

    def __init__(self, stream: Any, path: Path) -> None:
        refuse_other_than(stream, b"PAR1", path, "a Parquet file")
        with reading_errors(path, "Parquet"):
            first = pq.ParquetFile(stream)
            self.schema = first.schema_arrow
            self._metadata = first.metadata
            texts = [field.name for field in self.schema if pa.types.is_string(field.type)]
            stream.seek(0)
            self._codes, self._file = pq.ParquetFile(stream, read_dictionary=texts), first
        self.rows = self._metadata.num_rows
        require_cells(self.rows, len(self.schema), path)
        self._path = path
        sizes = [self._metadata.row_group(at).num_rows for at in range(self._metadata.num_row_groups)]
        self.outline: tuple[object, ...] = ("parquet", self._metadata.format_version, tuple(sizes))
        self.codecs: tuple[tuple[str, str], ...] = self._compression()

    def _compression(self) -> tuple[tuple[str, str], ...]:
        if not self._metadata.num_row_groups:
            return ()
        group = self._metadata.row_group(0)
        columns = [group.column(at) for at in range(group.num_columns)]
        return tuple((column.path_in_schema, str(column.compression)) for column in columns)

    def batches(self) -> Iterator[Any]:
        """Yield all rows in batches of at most BATCH."""
        with reading_errors(self._path, "Parquet"):
            yield from self._codes.iter_batches(BATCH)

    def groups(self) -> Iterator[Any]:
        """Yield the row groups."""
        with reading_errors(self._path, "Parquet"):
            for at in range(self._metadata.num_row_groups):
                yield self._file.read_row_group(at)

    def writer(self, target: Any, schema: Any) -> AbstractContextManager[Any]:
        """Return a writer with the compression and version of this file."""
        kept = {name: codec for name, codec in self.codecs if name in schema.names}
        codecs = {name: "NONE" if codec == "UNCOMPRESSED" else codec for name, codec in kept.items()}
        return _parquet_writer(
            target,
            schema,
            compression=codecs or "snappy",
            version=self._metadata.format_version,
            store_schema=b"ARROW:schema" in (self._metadata.metadata or {}),
        )


@contextmanager
def _parquet_writer(target: Any, schema: Any, **options: Any) -> Iterator[Any]:
    with pq.ParquetWriter(target, schema, **options) as writer:
        yield _GroupWriter(writer)


class _GroupWriter:
    """Writes each table as one row group."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def write_table(self, table: Any) -> None:
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))


class IpcContainer:
    """A file in Arrow's own format (`.arrow`, `.feather`)."""

    def __init__(self, stream: Any, path: Path) -> None:
        self._path = path
        opening = stream.read(8)
        stream.seek(0)
        if opening.startswith(b"FEA1"):
            hint = "write it again in version 2: pyarrow.feather.write_feather(table, path)"
            raise DataError("is Feather of version 1, which is not read", file=str(path), hint=hint)
        refuse_other_than(stream, b"ARROW1", path, "an Arrow file")
        with reading_errors(path, "Arrow"):
            self._file = pa.ipc.open_file(stream)
            self.schema = self._file.schema
            sizes = [self._file.get_batch(at).num_rows for at in range(self._file.num_record_batches)]
        self.rows = sum(sizes)
        require_cells(self.rows, len(self.schema), path)
        self.outline: tuple[object, ...] = ("arrow", tuple(sizes))
        self.codecs: tuple[tuple[str, str], ...] = ()

    def batches(self) -> Iterator[Any]:
        """Yield all rows in batches of at most BATCH."""
        for table in self.groups():
            yield from table.to_batches(BATCH)

    def groups(self) -> Iterator[Any]:
        """Yield the record batches."""
        with reading_errors(self._path, "Arrow"):
            for at in range(self._file.num_record_batches):
                yield pa.Table.from_batches([self._file.get_batch(at)])

    def writer(self, target: Any, schema: Any) -> AbstractContextManager[Any]:
        """Return a writer; what is read of a file does not tell whether it was compressed, so none is."""
        options = pa.ipc.IpcWriteOptions(unify_dictionaries=True)
        writer: AbstractContextManager[Any] = pa.ipc.new_file(target, schema, options=options)
        return writer


@contextmanager
def reading_errors(path: Path, what: str) -> Iterator[None]:
    """Turn an error of the library into one that names the file."""
    try:
        yield
    except (OSError, pa.ArrowException, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        hint = "it is cut off or damaged: write or copy it again"
        raise DataError(f"cannot read {what}: {reason}", file=str(path), hint=hint) from error


def refuse_other_than(stream: Any, mark: bytes, path: Path, expected: str) -> None:
    """Refuse a file that does not begin as such a file does."""
    opening = stream.read(_OPENING)
    stream.seek(0)
    if opening.startswith(mark):
        return
    refuse_foreign(opening, path, expected)
    hint = "the name of a file says its format: if it is a text, let it end in .csv"
    if mark == b"ARROW1":
        hint = "expected the Arrow file format, not a stream: pyarrow.feather.write_feather(table, path)"
    raise DataError(f"is not {expected}", file=str(path), hint=hint)
