"""A CSV file as XML rows whose line numbers are those of the CSV file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import ILLEGAL_IN_XML, RECORD, text_xml
from constraint_sdc.files.tables.csv.cells import CsvBlock, CsvRow, cell_value
from constraint_sdc.files.tables.csv.decimal_comma import to_point
from constraint_sdc.files.tables.csv.dialect import Dialect
from constraint_sdc.files.tables.csv.sdmx_csv import NO_VALUE
from constraint_sdc.files.tables.csv.text import CsvText
from constraint_sdc.files.tables.document import CLOSING, OPENING

# What a bare cell cannot hold as it is in XML; a line end is never inside one.
_SPECIAL = re.compile("[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class PresentedCsv:
    """A CSV file on its way to a reader of XML."""

    def __init__(self, text: CsvText, path: Path) -> None:
        self._text = text
        self._rows = RowWriter(text.dialect, path)

    def presented(self) -> Iterator[bytes]:
        """Yield the document: the opening stands on the lines of the headers, each record where its row begins."""
        yield OPENING
        is_first = True
        for block in self._text.blocks():
            if is_first:
                yield b"\n" * (1 + sum(cell.count("\n") for cell in block.rows[0].cells))
                block = CsvBlock(block.rows[1:], block.text)
                is_first = False
            yield self._rows.records(block).encode("utf-8")
        yield CLOSING

    @property
    def names(self) -> tuple[str, ...]:
        """Return the XML names of the headers."""
        return self._text.dialect.names

    @property
    def sha256(self) -> str:
        """Return the digest of the CSV file."""
        return self._text.sha256

    @property
    def share(self) -> float | None:
        """Return what share of the file was read."""
        return self._text.share

    def close(self) -> None:
        """Close the file."""
        self._text.close()


class RowWriter:
    """Writes rows of cells as record elements, one after another."""

    def __init__(self, dialect: Dialect, path: Path) -> None:
        self._dialect = dialect
        self._path = path
        self._width = len(dialect.names)
        self._measure = dialect.measure
        self._template = f"<{RECORD}>{''.join(f'<{name}>%s</{name}>' for name in dialect.names)}</{RECORD}>\n"
        self._tags = [(f"<{name}>", f"</{name}>") for name in dialect.names]

    def records(self, block: CsvBlock) -> str:
        """Return the records of a block; blank lines stay blank."""
        has_codes = self._measure is not None and NO_VALUE in block.text
        is_plain = not has_codes and not self._dialect.has_decimal_comma and _SPECIAL.search(block.text) is None
        fast = self._fast if self._dialect.is_empty_absent else self._filled
        return "".join([fast(row) if is_plain and not row.has_quotes else self._careful(row) for row in block.rows])

    def _fast(self, row: CsvRow) -> str:
        return self._careful(row) if "" in row.cells else self._template % tuple(row.cells)

    def _filled(self, row: CsvRow) -> str:
        return self._template % tuple(row.cells) if len(row.cells) == self._width else "\n"

    def _careful(self, row: CsvRow) -> str:
        if row.cells == [""]:
            return "\n"
        is_absent = self._dialect.is_empty_absent
        values = self.values(row)
        cells = [
            "" if is_absent and not value else f"{opening}{_xml(value)}{closing}"
            for (opening, closing), value in zip(self._tags, values, strict=True)
        ]
        return f"<{RECORD}>{''.join(cells)}</{RECORD}>\n"

    def values(self, row: CsvRow) -> Sequence[str]:
        """Return the values of a row as XML has them; refuse what it cannot hold."""
        values = [cell_value(cell) for cell in row.cells] if row.has_quotes else row.cells
        joined = "".join(values)
        if found := ILLEGAL_IN_XML.search(joined):
            self._refuse(row, values, ILLEGAL_IN_XML, f"the character U+{ord(found[0]):04X}, which XML cannot hold")
        if self._measure is not None and values[self._measure].strip() == NO_VALUE:
            values = [*values[: self._measure], "", *values[self._measure + 1 :]]
        return self._with_points(row, values) if self._dialect.has_decimal_comma else values

    def _with_points(self, row: CsvRow, values: Sequence[str]) -> Sequence[str]:
        changed = [to_point(value) for value in values]
        for header, value, point in zip(self._dialect.headers, values, changed, strict=True):
            if point is None:
                what = f"{header} has a number with a decimal point, and numbers have a decimal comma"
                hint = f"write {value!r} with a comma, or leave --decimal out"
                refusal = DataError(what, file=str(self._path), line=row.line, hint=hint)
                refusal.quotes_data = True
                raise refusal
        return [point for point in changed if point is not None]

    def _refuse(self, row: CsvRow, values: Sequence[str], pattern: re.Pattern[str], what: str) -> None:
        headers = self._dialect.headers
        guilty = next(header for header, value in zip(headers, values, strict=True) if pattern.search(value))
        raise DataError(f"{guilty} has {what}", file=str(self._path), line=row.line, hint="remove it")


def _xml(value: str) -> str:
    return text_xml(value) if _SPECIAL.search(value) or "\r" in value else value
