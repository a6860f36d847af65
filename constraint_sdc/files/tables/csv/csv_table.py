"""CSV and TSV as formats of tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.files.tables.csv.masked_csv import csv_skeleton, write_masked_csv
from constraint_sdc.files.tables.csv.presented_csv import PresentedCsv
from constraint_sdc.files.tables.csv.text import CsvText
from constraint_sdc.files.tables.table_format import TableChange, TableCopied
from constraint_sdc.settings.table_reading import TableReading


@dataclass(frozen=True, slots=True)
class CsvTable:
    """Cells between delimiters; a `.tsv` file has tabs unless something else is said."""

    name: str
    options: frozenset[str] = frozenset(("delimiter", "encoding", "empty", "decimal"))

    def _text(self, path: Path, reading: TableReading) -> CsvText:
        return CsvText(path, reading, is_tsv=self.name == "tsv")

    def open(self, path: Path, reading: TableReading) -> PresentedCsv:
        """Open a file; its headers are read."""
        return PresentedCsv(self._text(path, reading), path)

    def read_as(self, path: Path, reading: TableReading) -> TableReading:
        """Return the dialect of a file as a user would state it."""
        with self._text(path, reading) as text:
            return text.dialect.reading()

    def spelled(self, _path: Path, change: TableChange, _: TableReading) -> TableChange:
        """Return the change as it is: a cell holds any text."""
        return change

    def write_masked(self, source: Path, target: Path, change: TableChange, reading: TableReading) -> TableCopied:
        """Copy a file with other values."""
        with self._text(source, reading) as text:
            return write_masked_csv(text, source, target, change)

    def skeleton(self, path: Path, change: TableChange, reading: TableReading) -> TableCopied:
        """Return the digests of a copy."""
        with self._text(path, reading) as text:
            return csv_skeleton(text, change)


REGISTERED = {"csv": CsvTable("csv"), "tsv": CsvTable("tsv")}
