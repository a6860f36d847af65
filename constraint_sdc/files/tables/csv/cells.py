"""Cut the text of a CSV file into rows of cells, each as it is written, so that it can be written again.

The language is that of RFC 4180 with any delimiter: a cell that begins with a quote ends with one, and a quote inside
is doubled; every other cell is its own text. Rows end with CR LF, LF or CR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from constraint_sdc.limits import RECORD_BYTES

_QUOTED = re.compile('"[^"]*+(?:""[^"]*+)*+"')


class CsvRow(NamedTuple):
    """A row as it is written: the line on which it begins, its cells, and its line end."""

    line: int
    cells: list[str]
    end: str
    has_quotes: bool = False


class MalformedCsvError(Exception):
    """The text is not CSV: what is wrong, the line, and the number of the cell in its row."""

    def __init__(self, what: str, line: int, cell: int) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.cell = cell


@dataclass(frozen=True, slots=True)
class CsvBlock:
    """Some rows, and their text."""

    rows: list[CsvRow]
    text: str


def cut_blocks(texts: Iterable[str], delimiter: str) -> Iterator[CsvBlock]:
    """Yield all rows; the texts are the file's, in order, cut anywhere."""
    cutter = _Cutter(delimiter)
    waiting: list[str] = []
    size, rest = 0, ""
    for text in texts:
        waiting.append(text)
        size += len(text)
        # An incomplete row is cut again only after its text has doubled, so the time is linear in its length.
        if size < len(rest):
            continue
        data = "".join((rest, *waiting))
        rows, taken = cutter.cut(data, is_last=False)
        rest, waiting, size = data[taken:], [], 0
        if len(rest) > RECORD_BYTES:
            raise MalformedCsvError(f"a row is longer than {RECORD_BYTES >> 20} MB", cutter.line, 1)
        if rows:
            yield CsvBlock(rows, data[:taken])
    data = "".join((rest, *waiting))
    rows, _ = cutter.cut(data, is_last=True)
    if rows:
        yield CsvBlock(rows, data)


def first_row(text: str, delimiter: str, *, is_whole: bool) -> CsvRow | None:
    """Return the first row of a text, None if the text ends before it does; `is_whole` says that nothing follows."""
    rows, _ = _Cutter(delimiter).cut(text, is_last=is_whole, most=1)
    return rows[0] if rows else None


class _Cutter:
    """Cuts text after text; `line` is where the next row begins."""

    def __init__(self, delimiter: str) -> None:
        self._delimiter = delimiter
        self._bare = re.compile(f"[^{re.escape(delimiter)}\r\n]*+")
        self._after = re.compile(f"{re.escape(delimiter)}|\r\n|\n|\r")
        self.line = 1

    def cut(self, text: str, *, is_last: bool, most: int | None = None) -> tuple[list[CsvRow], int]:
        """Return the complete rows of the text, at most so many, and where the next one begins."""
        rows: list[CsvRow] = []
        at = 0
        has_returns = "\r" in text
        while at < len(text) and len(rows) != most:
            stop = text.find("\n", at)
            line = text[at:stop] if stop >= 0 else text[at:] if is_last else None
            end = "\n" if stop >= 0 else ""
            if line is not None and has_returns and line.endswith("\r") and end:
                line, end = line[:-1], "\r\n"
            if line is None or '"' in line or (has_returns and "\r" in line):
                row, after = self._careful(text, at, is_last=is_last)
                if row is None:
                    break
                rows.append(row)
                at = after
            else:
                rows.append(CsvRow(self.line, line.split(self._delimiter), end))
                self.line += 1
                at = stop + 1 if stop >= 0 else len(text)
        return rows, at

    def _careful(self, text: str, at: int, *, is_last: bool) -> tuple[CsvRow | None, int]:
        """Return the row that begins here and where it ends; None if the text ends before it does."""
        begin, cells = at, list[str]()
        while True:
            found = (_QUOTED if text.startswith('"', at) else self._bare).match(text, at)
            if found is None:
                if not is_last:
                    return None, begin
                what = "a quoted cell has no closing quote"
                raise MalformedCsvError(what, self._line(text, begin, at), len(cells) + 1)
            cells.append(found[0])
            at = found.end()
            after = self._after.match(text, at)
            if after is None and at < len(text):
                what = "a closing quote is not followed by a delimiter or a line end"
                raise MalformedCsvError(what, self._line(text, begin, at), len(cells))
            if not is_last and (after is None or (after[0] == "\r" and after.end() == len(text))):
                return None, begin
            if after is None or after[0] != self._delimiter:
                end = after[0] if after else ""
                row = CsvRow(self.line, cells, end, has_quotes=True)
                self.line += text.count("\n", begin, at) + 1
                return row, at + len(end)
            at = after.end()

    def _line(self, text: str, begin: int, at: int) -> int:
        return self.line + text.count("\n", begin, at)


def cell_value(cell: str) -> str:
    """Return the value of a cell.

    >>> [cell_value(cell) for cell in ("a", '"a;b"', '"say ""so"" now"', '5" pipe')]
    ['a', 'a;b', 'say "so" now', '5" pipe']
    """
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def written_cell(value: str, delimiter: str, *, is_quoted: bool = False) -> str:
    """Return a value as a cell: quoted where it must be, or where the cell that it replaces was.

    >>> [written_cell(value, ";") for value in ("a", "a;b", 'say "so" now')]
    ['a', '"a;b"', '"say ""so"" now"']
    """
    must = value.startswith("\ufeff") or any(sign in value for sign in (delimiter, '"', "\r", "\n"))
    return '"' + value.replace('"', '""') + '"' if must or (is_quoted and value) else value
