"""Write records as CSV: one line of headers, UTF-8, texts exactly as the XML has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.model.rows import Batch, Rows, Written, batch_length
from constraint_sdc.model.xml_name import header_of, local_name
from constraint_sdc.write.atomic import atomic_file

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def write_csv(
    path: Path, rows: Rows, *, delimiter: str = ",", spreadsheet_safe: bool = False, overwrite: bool = False
) -> Written:
    """Write the records as CSV with `\\n` line ends, staged and renamed at the end.

    An absent and an empty value are both an empty cell; a note counts them when the rows have both. With
    `spreadsheet_safe` a cell that a spreadsheet would run as a formula (it begins with = + - @ tab or carriage return
    and is no number) gets a leading apostrophe, which changes the data; notes say how many.
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
    """Return the column headers: local names, with escaped characters restored; two alike are refused."""
    headers = [header_of(local_name(name)) for name in names]
    for i, header in enumerate(headers):
        if header in headers[:i]:
            raise DataError(
                f"two variables would have the header {header!r}: {names[headers.index(header)]} and {names[i]}",
                file=str(path),
                hint="they differ by namespace or kind only, which a table cannot show",
            )
    return headers


def _quoted(texts: Sequence[str | None], delimiter: str) -> list[str]:
    """Quote what must be quoted; a first cell that begins with a byte order mark is, or a reader would take it away."""
    special = re.compile(f'[{re.escape(delimiter)}"\r\n]|^\ufeff')
    cells = [text or "" for text in texts]
    if any(character in "".join(cells) for character in (delimiter, '"', "\r", "\n", "\ufeff")):
        return ['"' + cell.replace('"', '""') + '"' if special.search(cell) else cell for cell in cells]
    return cells


def _line(cells: tuple[str, ...], delimiter: str) -> str:
    """Join the cells; a single empty cell is quoted, since a blank line is no record."""
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
