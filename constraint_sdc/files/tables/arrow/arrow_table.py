"""Parquet, Feather and Arrow files as formats of tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraint_sdc.data.variable import Batch, VariableInfo, batch_length
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.arrow.arrow_texts import info_of, texts_of
from constraint_sdc.files.tables.arrow.container import ArrowContainer, IpcContainer, ParquetContainer
from constraint_sdc.files.tables.arrow.masked_arrow import arrow_skeleton, spelled_columns, write_masked_arrow
from constraint_sdc.files.tables.csv.dialect import refuse_headers
from constraint_sdc.files.tables.document import NumberedRows
from constraint_sdc.files.tables.raw_file import SteadyFile
from constraint_sdc.files.tables.table_format import TableChange, TableCopied
from constraint_sdc.settings.table_reading import TableReading

STRUCTURAL = frozenset((b"pandas", b"ARROW:schema"))
"""Metadata of a file that describe its columns."""


class OpenArrow:
    """An open Parquet or Arrow file."""

    def __init__(self, path: Path) -> None:
        self._file = SteadyFile(path)
        try:
            is_parquet = path.suffix.lower() == ".parquet"
            stream: Any = self._file.stream
            self.container: ArrowContainer = (ParquetContainer if is_parquet else IpcContainer)(stream, path)
            self.schema = self.container.schema
            refuse_headers(list(self.schema.names), path, line=None)
            self.names = tuple(map(xml_name, self.schema.names))
            self.infos: tuple[VariableInfo, ...] = tuple(map(info_of, self.names, self.schema))
            self.readers = [texts_of(field, path) for field in self.schema]
        except BaseException:
            self._file.close()
            raise
        self._path = path
        self._done = 0
        self._sha256: str | None = None

    def batches(self) -> Iterator[Batch]:
        """Yield the texts of all rows; the file must still be the same after the last."""
        for batch in self.container.batches():
            self._done += batch.num_rows
            columns = zip(self.names, self.readers, batch.columns, strict=True)
            yield {name: texts(column) for name, texts, column in columns}
        self.confirm()

    def confirm(self) -> str:
        """Return the digest of the file after the last row was read."""
        self._sha256 = self._file.confirmed()
        return self._sha256

    def presented(self) -> Iterator[bytes]:
        """Yield the rows as a document; record i stands on line i."""
        rows = NumberedRows(self._path, self.schema.names, self.names)
        yield rows.opening(self.infos, self._remarks())
        for batch in self.batches():
            if batch_length(batch):
                yield rows.records(batch)
        yield rows.closing()

    def _remarks(self) -> dict[str, str]:
        """Return what a file says besides its columns, each as a digest: somebody has to decide on it."""
        found = self.schema.metadata or {}
        return {
            xml_name(key.decode("utf-8", "backslashreplace")): hashlib.sha256(value).hexdigest()
            for key, value in found.items()
            if key not in STRUCTURAL
        }

    @property
    def sha256(self) -> str:
        """Return the digest of the file."""
        return self.confirm() if self._sha256 is None else self._sha256

    @property
    def share(self) -> float | None:
        """Return what share of the rows was read."""
        return self._done / self.container.rows if self.container.rows else None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> OpenArrow:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_arrow(path: Path) -> OpenArrow:
    """Open a file by the ending of its name."""
    return OpenArrow(path)


@dataclass(frozen=True, slots=True)
class ArrowTable:
    """Typed columns: the types, the order of columns, their metadata and the groups of rows stay as they are."""

    name: str
    options: frozenset[str] = frozenset()

    def open(self, path: Path, _: TableReading) -> OpenArrow:
        """Open a file."""
        return open_arrow(path)

    def read_as(self, _path: Path, _: TableReading) -> TableReading:
        """Return that the file itself says how it is read."""
        return TableReading()

    def spelled(self, path: Path, change: TableChange, _: TableReading) -> TableChange:
        """Return the change with every value as it is spelled once it is stored."""
        with open_arrow(path) as table:
            return spelled_columns(table.schema, table.names, change, path)

    def write_masked(self, source: Path, target: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Write a file with other values."""
        with open_arrow(source) as table:
            skeleton = write_masked_arrow(table.container, table.names, target, change, source)
            return TableCopied(table.confirm(), skeleton)

    def skeleton(self, path: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Return the digests of a copy."""
        with open_arrow(path) as table:
            skeleton = arrow_skeleton(table.container, table.names, change, path, is_source=False)
            return TableCopied(table.confirm(), skeleton)


REGISTERED = {"parquet": ArrowTable("parquet"), "feather": ArrowTable("feather"), "arrow": ArrowTable("arrow")}
