"""The same CSV file with other values in some columns: everything else is kept byte for byte.

Rows are copied as they are written; only masked cells are replaced, and cells of removed columns left out with their
delimiter. So quotes, line ends, a byte order mark, the encoding, the delimiter, blank lines at the end and a missing
last line end stay as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.data.table import State
from constraint_sdc.errors import DataError
from constraint_sdc.files.publication.disk import open_to_write
from constraint_sdc.files.tables.csv.cells import CsvBlock, CsvRow, cell_value, written_cell
from constraint_sdc.files.tables.csv.decimal_comma import to_comma
from constraint_sdc.files.tables.csv.dialect import Dialect
from constraint_sdc.files.tables.csv.sdmx_csv import NO_VALUE
from constraint_sdc.files.tables.csv.text import CsvText
from constraint_sdc.files.tables.table_format import TableChange, TableCopied


def write_masked_csv(text: CsvText, source: Path, target: Path, change: TableChange) -> TableCopied:
    """Copy the rows into the staged file with the values of the change; the digests are those of the source."""
    dialect = text.dialect
    writer = _MaskedRows(dialect, change, source)
    skeleton = _CsvSkeleton(dialect, change, is_source=True)
    back = _WayBack(dialect, source)
    with open_to_write(target) as file:
        file.write(dialect.mark)
        for block in text.blocks(back.feed):
            file.write(back.encode(writer.rows(block)))
            skeleton.feed(block)
            back.compare(block.text)
    writer.finish()
    back.finish()
    return TableCopied(text.sha256, skeleton.digest())


def csv_skeleton(text: CsvText, change: TableChange) -> TableCopied:
    """Return the digests of a file that `write_masked_csv` has written."""
    skeleton = _CsvSkeleton(text.dialect, change, is_source=False)
    for block in text.blocks():
        skeleton.feed(block)
    return TableCopied(text.sha256, skeleton.digest())


class _WayBack:
    """Proves that the text of the file can be written back byte for byte: its encoding has one way to write it."""

    def __init__(self, dialect: Dialect, path: Path) -> None:
        self._codec = dialect.codec
        self._path = path
        self._read = hashlib.sha256()
        self._written = hashlib.sha256()

    def feed(self, raw: bytes) -> None:
        if self._codec != "utf-8":  # valid UTF-8 can be written in one way only
            self._read.update(raw)

    def compare(self, text: str) -> None:
        if self._codec != "utf-8":
            self._written.update(self.encode(text))

    def encode(self, text: str) -> bytes:
        try:
            return text.encode(self._codec)
        except UnicodeEncodeError as error:
            what = f"its encoding {self._codec} cannot hold the character U+{ord(text[error.start]):04X} of a new value"
            raise DataError(what, file=str(self._path), hint="convert the file to UTF-8 first") from None

    def finish(self) -> None:
        if self._read.digest() != self._written.digest():
            what = f"its {self._codec} text cannot be written back byte for byte"
            raise DataError(what, file=str(self._path), hint="convert the file to UTF-8 first")


class _MaskedRows:
    """Writes row after row with the new values."""

    def __init__(self, dialect: Dialect, change: TableChange, path: Path) -> None:
        self._dialect = dialect
        self._path = path
        self._columns = [(at, change.columns[name]) for at, name in enumerate(dialect.names) if name in change.columns]
        self._kept = _kept(dialect, change)
        self._measure = dialect.measure
        self._records = {len(column) for column in change.columns.values()}
        self._count = 0
        self._is_header = True

    def rows(self, block: CsvBlock) -> str:
        """Return the text of the rows."""
        rows = block.rows
        opening = ""
        if self._is_header:
            opening, rows, self._is_header = self._text(rows[0].cells, rows[0].end), rows[1:], False
        records = [row for row in rows if row.cells != [""]]
        texts = [self._texts(at, len(records)) for at, _ in self._columns]
        places = [at for at, _ in self._columns]
        self._count += len(records)
        lines = [opening]
        for row, *values in zip(records, *texts, strict=True) if texts else ((row,) for row in records):
            cells = list(row.cells)
            for at, value in zip(places, values, strict=True):
                if value or at != self._measure or cell_value(cells[at]).strip() != NO_VALUE:
                    cells[at] = self._cell(value, cells[at])
            lines.append(self._text(cells, row.end))
        lines.extend(row.end for row in rows[len(records) :])
        return "".join(lines)

    def _texts(self, at: int, count: int) -> list[str]:
        column = dict(self._columns)[at]
        if self._count + count > len(column):
            raise self._changed()
        part = column.of(slice(self._count, self._count + count))
        is_there = part.state == State.VALUE
        return [text or "" if there else "" for text, there in zip(part.texts(), is_there, strict=True)]

    def _cell(self, value: str, before: str) -> str:
        text = to_comma(value) if self._dialect.has_decimal_comma else value
        return written_cell(text, self._dialect.delimiter, is_quoted=before.startswith('"'))

    def _text(self, cells: Sequence[str], end: str) -> str:
        cells = cells if self._kept is None else [cells[at] for at in self._kept]
        if cells == [""]:  # would be a blank line
            cells = ['""']
        return self._dialect.delimiter.join(cells) + end

    def finish(self) -> None:
        """Refuse a file with another number of rows than there are values."""
        if self._records - {self._count}:
            raise self._changed()

    def _changed(self) -> DataError:
        what = "the file has changed since it was read: it has another number of rows"
        return DataError(what, file=str(self._path), hint="run again")


def _kept(dialect: Dialect, change: TableChange) -> list[int] | None:
    """Return the places of columns that stay; None if all do."""
    if change.removed.isdisjoint(dialect.names):
        return None
    kept = [at for at, name in enumerate(dialect.names) if name not in change.removed]
    if not kept:
        raise DataError("no column would be left", hint="keep a variable")
    return kept


class _CsvSkeleton:
    """A CSV file without the values of masked columns and without removed columns, as a SHA-256."""

    def __init__(self, dialect: Dialect, change: TableChange, *, is_source: bool) -> None:
        self._delimiter = dialect.delimiter
        self._kept = _kept(dialect, change) if is_source else None
        names = [name for name in dialect.names if not is_source or name not in change.removed]
        self._masked = [at for at, name in enumerate(names) if name in change.columns]
        self._digest = hashlib.sha256(repr((dialect.codec, dialect.mark, dialect.delimiter)).encode())
        self._is_header = True
        self._is_single = len(names) == 1

    def feed(self, block: CsvBlock) -> None:
        """Take the next rows."""
        self._digest.update("".join(self._lines(block.rows)).encode("utf-8", "surrogatepass"))

    def _lines(self, rows: Sequence[CsvRow]) -> Iterator[str]:
        for row in rows:
            cells = row.cells
            if cells != [""]:
                cells = list(cells) if self._kept is None else [cells[at] for at in self._kept]
                if not self._is_header:
                    for at in self._masked:
                        cells[at] = ""
                if self._is_single and cells in ([""], ['""']):
                    cells = ['""']
            self._is_header = False
            yield f"{self._delimiter.join(cells)}{row.end}"

    def digest(self) -> bytes:
        """Return the digest; call it after the last row."""
        return self._digest.digest()
