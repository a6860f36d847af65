"""Read records from CSV as texts: nothing is trimmed or converted (`007`, `1.50`, ` 5` stay as they are)."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

from constraint_sdc.data.variable import Batch, RowSource, VariableInfo, Written, batch_length, describe, survey_batches
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.rows_file import ILLEGAL_IN_XML, header_of, local_name, xml_name

EmptyCell: TypeAlias = Literal["absent", "empty"]

# Codecs of Python that decode text but are no encoding of a file: escapes of programs and of host names.
_NOT_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"})

BATCH = 20_000
_DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class _Source:
    path: Path
    encoding: str
    delimiter: str
    empty: EmptyCell
    headers: tuple[str, ...]
    names: tuple[str, ...]


def read_csv(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, empty: EmptyCell = "absent"
) -> RowSource:
    """Return the rows of a CSV file with a line of headers, described by their texts.

    Reads the file once before it returns, so that a malformed line is found before anything is written. Unless given,
    the delimiter is the most frequent of comma, semicolon, tab and bar in the header line, and the encoding is that of
    the byte order mark, or UTF-8 without one. `empty` decides whether an empty cell is an absent or an empty value,
    because CSV cannot distinguish `""` from nothing. Headers become XML names (see `xml_name`).
    """
    rows = csv_texts(path, delimiter=delimiter, encoding=encoding, empty=empty)
    surveys = survey_batches(rows.batches(), rows.infos)
    return RowSource(tuple(describe(info, surveys[info.name]) for info in rows.infos), rows.batches)


def csv_texts(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, empty: EmptyCell = "absent"
) -> RowSource:
    """Return the rows of a CSV file as `read_csv` does, but all variables as texts and after its headers are read.

    A malformed line is found when its batch is read.
    """
    source = _source(path, delimiter, encoding, empty)
    return RowSource(tuple(VariableInfo(name, "text") for name in source.names), lambda: _batches(source))


def _source(path: Path, delimiter: str | None, encoding: str | None, empty: EmptyCell) -> _Source:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise UsageError(f"{delimiter!r} cannot separate cells", hint="one character, such as , or ;")
    codec = _encoding(path, encoding)
    first = _Source(path, codec, delimiter or _delimiter(path, codec), empty, (), ())
    _, headers = next(_lines(first), (1, []))
    _refuse_bad_headers(headers, path)
    return _Source(path, codec, first.delimiter, empty, tuple(headers), tuple(map(xml_name, headers)))


def _encoding(path: Path, asked: str | None) -> str:
    """Return the codec; for UTF-8 always the variant that skips a byte order mark."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
        name = asked or next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")
        codec = codecs.lookup(name)
        if codec.name in _NOT_ENCODINGS or not codec._is_text_encoding:
            raise LookupError(name)
        return "utf-8-sig" if codec.name == "utf-8" else name
    except OSError as error:
        raise DataError(f"cannot read: {error.strerror or error}", file=str(path)) from error
    except (LookupError, ValueError) as error:  # ValueError: a name with a NUL
        hint = "name an encoding of text, such as utf-8, cp1252 or iso-8859-15"
        raise UsageError(f"{asked!r} is not an encoding of text", file=str(path), hint=hint) from error


def _delimiter(path: Path, encoding: str) -> str:
    return max(_DELIMITERS, key=lambda delimiter: _header_cells(path, encoding, delimiter))


def _header_cells(path: Path, encoding: str, delimiter: str) -> int:
    with path.open(encoding=encoding, newline="", errors="replace") as file:
        try:
            return len(next(csv.reader(file, delimiter=delimiter), []))
        except csv.Error:
            return 0


def _refuse_bad_headers(headers: list[str], path: Path) -> None:
    if not headers:
        raise DataError("the file has no header line", file=str(path), line=1)
    for column, header in enumerate(headers, start=1):
        if not header:
            raise DataError(f"column {column} has no header", file=str(path), line=1, hint="name it or remove it")
        if header in headers[: column - 1]:
            raise DataError(f"two columns have the header {header!r}", file=str(path), line=1)


def _batches(source: _Source) -> Iterator[Batch]:
    lines = _lines(source)
    next(lines)
    width = len(source.names)
    absent = source.empty == "absent"
    while block := list(islice(lines, BATCH)):
        for line, cells in block:
            if len(cells) != width:
                raise DataError(
                    f"the line has {len(cells)} cells, the header has {width}", file=str(source.path), line=line
                )
        columns = list(zip(*(cells for _, cells in block), strict=True))
        _refuse_illegal(columns, [line for line, _ in block], source)
        yield {
            name: [cell or None for cell in column] if absent else list(column)
            for name, column in zip(source.names, columns, strict=True)
        }


def _refuse_illegal(columns: list[tuple[str, ...]], lines: list[int], source: _Source) -> None:
    for header, column in zip(source.headers, columns, strict=True):
        if ILLEGAL_IN_XML.search("".join(column)):
            number, found = next((i, hit) for i, cell in enumerate(column) if (hit := ILLEGAL_IN_XML.search(cell)))
            raise DataError(
                f"{header} has the character U+{ord(found.group()):04X}, which XML cannot hold",
                file=str(source.path),
                line=lines[number],
            )


def _lines(source: _Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each row begins, and its cells; blank lines are allowed at the end of the file only."""
    path, start, blank = str(source.path), 1, 0
    try:
        with source.path.open(encoding=source.encoding, newline="") as file:
            reader = csv.reader(file, delimiter=source.delimiter, strict=True)
            for cells in reader:
                if not cells:
                    blank = blank or start
                elif blank:
                    raise DataError(
                        "blank line", file=path, line=blank, hint='remove it, or write "" for one empty cell'
                    )
                else:
                    yield start, cells
                start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"malformed CSV: {error}", file=path, line=start) from error
    except UnicodeError as error:
        line = _undecodable_line(source)
        raise DataError(
            f"the text is not {source.encoding.removesuffix('-sig')}", file=path, line=line, hint="name its encoding"
        ) from error


def _undecodable_line(source: _Source) -> int | None:
    """Find the line by decoding one at a time; UTF-16 and UTF-32 cannot be cut into lines of bytes."""
    if codecs.lookup(source.encoding).name.startswith(("utf-16", "utf-32")):
        return None
    with source.path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode(source.encoding)
            except UnicodeError:
                return number
    return None


# Write records as CSV: one line of headers, UTF-8, texts exactly as the XML has them.

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def write_csv(
    path: Path, rows: RowSource, *, delimiter: str = ",", spreadsheet_safe: bool = False, overwrite: bool = False
) -> Written:
    """Write the records as CSV with `\\n` line ends, staged and renamed at the end.

    Absent and empty values are both written as empty cells; a note counts them when the rows have both. With
    `spreadsheet_safe` a cell that a spreadsheet would run as a formula (it begins with = + - @ tab or carriage return
    and is not a number) gets a leading apostrophe, which changes the data; a note counts these cells.
    """
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise UsageError(f"{delimiter!r} cannot separate cells", hint="one character, such as , or ;")
    headers = headers_of(rows.names, path)
    count = absent = empty = guarded = 0
    with atomic_file(path, overwrite) as file:
        file.write((delimiter.join(_quoted(headers, delimiter)) + "\n").encode())
        for batch in rows.batches():
            count += batch_length(batch)
            absent += sum(list(column).count(None) for column in batch.values())
            empty += sum(list(column).count("") for column in batch.values())
            if spreadsheet_safe:
                batch, changed = _guard(batch)
                guarded += changed
            columns = [_quoted(batch[name], delimiter) for name in rows.names]
            file.write("".join(_line(cells, delimiter) for cells in zip(*columns, strict=True)).encode())
    return Written(count, _notes(absent, empty, guarded))


def headers_of(names: Sequence[str], path: Path) -> list[str]:
    """Return the column headers: local names, with escaped characters restored; equal headers are refused."""
    headers = [header_of(local_name(name)) for name in names]
    for i, header in enumerate(headers):
        if header in headers[:i]:
            raise DataError(
                f"two variables would have the header {header!r}: {names[headers.index(header)]} and {names[i]}",
                file=str(path),
                hint="they differ only in namespace or by being an attribute, which a table cannot show; rename one",
            )
    return headers


def _quoted(texts: Sequence[str | None], delimiter: str) -> list[str]:
    """Quote the cells that need it, also one that begins with a byte order mark, which a reader would drop."""
    special = re.compile(f'[{re.escape(delimiter)}"\r\n]|^\ufeff')
    cells = [text or "" for text in texts]
    if any(character in "".join(cells) for character in (delimiter, '"', "\r", "\n", "\ufeff")):
        return ['"' + cell.replace('"', '""') + '"' if special.search(cell) else cell for cell in cells]
    return cells


def _line(cells: tuple[str, ...], delimiter: str) -> str:
    """Join the cells; a single empty cell is quoted, because a blank line is not a record."""
    return (delimiter.join(cells) or '""') + "\n" if len(cells) == 1 else delimiter.join(cells) + "\n"


def _guard(batch: Batch) -> tuple[Batch, int]:
    changed = 0
    guarded = {}
    for name, texts in batch.items():
        cells = [f"'{text}" if text and _is_formula(text) else text for text in texts]
        changed += sum(before is not after for before, after in zip(texts, cells, strict=True))
        guarded[name] = cells
    return guarded, changed


def _is_formula(text: str) -> bool:
    return text[0] in "=+-@\t\r" and _NUMBER.fullmatch(text) is None


def _notes(absent: int, empty: int, guarded: int) -> tuple[str, ...]:
    notes = []
    if absent and empty:
        notes.append(f"{absent} absent and {empty} empty values are both written as empty cells")
    if guarded:
        notes.append(f"{guarded} cells that a spreadsheet would run as formulas were given a leading apostrophe")
    return tuple(notes)
