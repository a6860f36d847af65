"""Read and write records as CSV for conversion: texts are neither trimmed nor converted (`007`, `1.50`, ` 5` stay)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from constraint_sdc.data.variable import Batch, RowSource, VariableInfo, Written, batch_length, describe, survey_batches
from constraint_sdc.errors import UsageError
from constraint_sdc.files.atomic import atomic_file
from constraint_sdc.files.tables.csv.presented_csv import RowWriter
from constraint_sdc.files.tables.csv.text import CsvText
from constraint_sdc.files.tables.headers import headers_of
from constraint_sdc.settings.table_reading import EmptyCell, TableReading


def read_csv(
    path: Path, *, delimiter: str | None = None, encoding: str | None = None, empty: EmptyCell = "absent"
) -> RowSource:
    """Return the rows of a CSV file with a line of headers, described by their texts.

    Reads the file once before it returns, so that a malformed line is found before anything is written. Unless given,
    delimiter and encoding are found (see `find_dialect`). `empty` decides whether an empty cell is an absent or an
    empty value, because CSV cannot distinguish `""` from nothing. Headers become XML names (see `xml_name`).
    """
    reading = TableReading(delimiter, encoding, empty)
    with _opened(path, reading) as text:
        infos = tuple(VariableInfo(name, "text") for name in text.dialect.names)
    surveys = survey_batches(_batches(path, reading), infos)
    return RowSource(tuple(describe(info, surveys[info.name]) for info in infos), lambda: _batches(path, reading))


def _opened(path: Path, reading: TableReading) -> CsvText:
    return CsvText(path, reading, is_tsv=path.suffix.lower() == ".tsv")


def _batches(path: Path, reading: TableReading) -> Iterator[Batch]:
    with _opened(path, reading) as text:
        dialect, rows = text.dialect, RowWriter(text.dialect, path)
        is_header = True
        for block in text.blocks():
            records = [rows.values(row) for row in block.rows[is_header:] if row.cells != [""]]
            is_header = False
            columns = list(zip(*records, strict=True)) if records else [() for _ in dialect.names]
            yield {
                name: [cell or None for cell in column] if dialect.is_empty_absent else list(column)
                for name, column in zip(dialect.names, columns, strict=True)
            }


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
