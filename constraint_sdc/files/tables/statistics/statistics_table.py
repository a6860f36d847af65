"""SPSS and Stata files as formats of tables: read by ReadStat, written by changing the bytes of masked cells alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraint_sdc.arrays import Bytes
from constraint_sdc.data.table import Column, State, column_of
from constraint_sdc.data.variable import batch_length
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.arrow.arrow_texts import NoValueError
from constraint_sdc.files.tables.csv.dialect import refuse_headers
from constraint_sdc.files.tables.document import NumberedRows
from constraint_sdc.files.tables.statistics.dta_file import DtaFile
from constraint_sdc.files.tables.statistics.sav_file import SavFile
from constraint_sdc.files.tables.statistics.statistics_file import StatisticsContent, read_content
from constraint_sdc.files.tables.statistics.stored_table import (
    Reduction,
    StoredTable,
    cells_of,
    reduction,
    rows_without,
    skeleton_of,
)
from constraint_sdc.files.tables.statistics.stored_values import clock_of, stored_cells
from constraint_sdc.files.tables.table_format import TableChange, TableCopied, is_same_number
from constraint_sdc.settings.table_reading import TableReading


class OpenStatistics:
    """An SPSS or Stata file in memory."""

    def __init__(self, path: Path) -> None:
        self.content: StatisticsContent = read_content(path)
        self.headers = tuple(self.content.meta.column_names)
        refuse_headers(list(self.headers), path, line=None)
        self.names = tuple(map(xml_name, self.headers))
        self._path = path
        self._done = 0

    @property
    def is_stata(self) -> bool:
        """Tell whether the file is Stata's."""
        return self._path.suffix.lower() == ".dta"

    def stored(self) -> StoredTable:
        """Return the file as its bytes describe it."""
        if self.is_stata:
            table: StoredTable = DtaFile(self.content.raw, self._path)
        else:
            table = SavFile(self.content.raw, self._path, self.content.meta.file_encoding or "cp1252")
        cells_of(self._path, table, self.names)
        return table

    def presented(self) -> Iterator[bytes]:
        """Yield the rows as a document; record i stands on line i."""
        rows = NumberedRows(self._path, self.headers, self.names)
        remarks = {xml_name(key): hashlib.sha256(said).hexdigest() for key, said in self.stored().remarks.items()}
        yield rows.opening(self.content.infos, remarks)
        for batch in self.content.batches():
            self._done += batch_length(batch)
            yield rows.records(batch)
        yield rows.closing()

    @property
    def sha256(self) -> str:
        """Return the digest of the file."""
        return self.content.sha256

    @property
    def share(self) -> float | None:
        """Return what share of the rows was read."""
        count = self.content.meta.number_rows
        return self._done / count if count else None

    def close(self) -> None:
        """Do nothing: the file is in memory."""


@dataclass(frozen=True, slots=True)
class StatisticsTable:
    """Rows of cells of fixed width, with labels, value labels, missing codes and formats that stay as they are."""

    name: str
    options: frozenset[str] = frozenset()

    def open(self, path: Path, _: TableReading) -> OpenStatistics:
        """Open a file."""
        return OpenStatistics(path)

    def read_as(self, _path: Path, _: TableReading) -> TableReading:
        """Return that the file itself says how it is read."""
        return TableReading()

    def spelled(self, path: Path, change: TableChange, _: TableReading) -> TableChange:
        """Return the change with every value as it is spelled once it is stored."""
        spelled = _new_cells(OpenStatistics(path), change, path)[1]
        return TableChange(spelled, change.removed, change.taken_out)

    def write_masked(self, source: Path, target: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Write a file with other values; one without a change is the same file."""
        table = OpenStatistics(source)
        stored = table.stored()
        left_out = reduction(table.names, stored, change)
        skeleton = skeleton_of(stored, left_out, source)
        written = table.content.raw
        if left_out != Reduction():
            cells = _new_cells(table, change, source)[0]
            rows = stored.rows.copy()
            for name, field in cells_of(source, stored, table.names).items():
                if name in cells:
                    rows[:, field.offset : field.offset + field.width] = cells[name]
            before, after = stored.around(left_out)
            written = stored.stored(rows_without(stored, rows, left_out.removed), before, after, left_out)
        target.write_bytes(written)
        return TableCopied(table.sha256, skeleton)

    def skeleton(self, path: Path, change: TableChange, _: TableReading) -> TableCopied:
        """Return the digests of a copy."""
        table = OpenStatistics(path)
        masked = TableChange({name: column for name, column in change.columns.items() if name not in change.removed})
        stored = table.stored()
        return TableCopied(table.sha256, skeleton_of(stored, reduction(table.names, stored, masked), path))


def _new_cells(table: OpenStatistics, change: TableChange, path: Path) -> tuple[dict[str, Bytes], dict[str, Column]]:
    """Return the bytes of masked cells by variable, and the values as they will be read."""
    stored = table.stored()
    fields = cells_of(path, stored, table.names)
    cells, columns = {}, {}
    for header, name in zip(table.headers, table.names, strict=True):
        if name not in change.columns or name in change.removed:
            continue
        column, kind = change.columns[name], str(table.content.meta.original_variable_types.get(header) or "")
        if len(column) != len(stored.rows):
            what = "the file has changed since it was read: it has another number of rows"
            raise DataError(what, file=str(path), hint="run again")
        texts = [
            text if state == State.VALUE else None for text, state in zip(column.texts(), column.state, strict=True)
        ]
        if fields[name].kind == "long text":
            what = f"column {header!r} holds long texts (more than 255 bytes, or strL), which are not masked"
            raise DataError(what, file=str(path), hint="keep or remove it in the recipe, or shorten the variable")
        if fields[name].kind == "text":
            _refuse_long(texts, header, kind, table, stored.encoding, path)
        try:
            cells[name], spelled = stored_cells(texts, fields[name], stored, clock_of(kind, table.is_stata))
        except NoValueError as error:
            raise _no_value(header, kind, fields[name].kind, texts[error.row], error.row, path) from None
        for row, (text, other) in enumerate(zip(texts, spelled, strict=True)):
            if text != other and not is_same_number(text, other):
                raise _no_value(header, kind, fields[name].kind, text, row, path)
        columns[name] = column_of(name, spelled)
    return cells, columns


def _refuse_long(
    texts: list[str | None], header: str, kind: str, table: OpenStatistics, encoding: str, path: Path
) -> None:
    """Refuse a text that fits the cell, which SPSS rounds up to eight bytes, but not the variable."""
    width = table.content.meta.variable_storage_width[header]
    for row, text in enumerate(texts):
        if text is not None and len(text.encode(encoding, "replace")) > width:
            raise _no_value(header, kind, "text", text, row, path)


def _no_value(header: str, format_: str, kind: str, text: Any, row: int, path: Path) -> DataError:
    what = f"column {header!r} is stored as {kind} ({format_}), which cannot hold the masked value {text}"
    hint = "give the variable a coarser grid in the recipe, or store it with another type"
    return DataError(f"{what} of row {row + 1}", file=str(path), hint=hint)


REGISTERED = {"sav": StatisticsTable("sav"), "zsav": StatisticsTable("zsav"), "dta": StatisticsTable("dta")}
