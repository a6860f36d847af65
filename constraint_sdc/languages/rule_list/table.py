"""Read a list of rules from CSV or Excel: what each row says, and its line."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.errors import RulesError, UsageError
from constraint_sdc.languages.rule_book import NA_POLICIES, decoded
from constraint_sdc.limits import RULE_FILE_BYTES, TRANSLATED_RULES

_MEANINGS = {
    "id": "id",
    "name": "id",
    "rule": "rule",
    "expr": "rule",
    "expression": "rule",
    "language": "language",
    "label": "label",
    "description": "description",
    "severity": "severity",
    "na": "na",
    "missing": "na",
}
_NOT_READ = ("note", "comment", "author", "created", "origin")
_SEVERITIES = {"": "", "error": "", "warning": "warning", "information": "information", "info": "information"}
_SEPARATORS = ",;\t"
_MOST_COLUMNS = 100


@dataclass(frozen=True, slots=True)
class ListedRule:
    """One row: the texts of its cells by meaning, "" for an empty one, and the line of the row."""

    cells: dict[str, str]
    line: int

    def get(self, meaning: str) -> str:
        """Return a cell."""
        return self.cells.get(meaning, "")


def read_list(content: bytes, path: Path) -> list[ListedRule]:
    """Return the rows of a list that have a rule; a row without one must be empty."""
    rows = _excel_rows(content, path) if path.suffix.lower() == ".xlsx" else _csv_rows(content, path)
    head = next(rows, None)
    if head is None:
        raise RulesError("the file is empty", file=str(path), hint="the first row has the names of the columns")
    meanings = _meanings(head[1], path, head[0])
    found = [one for line, cells in rows if (one := _row(line, cells, meanings, path)) is not None]
    if len(found) > TRANSLATED_RULES:
        raise RulesError(f"more than {TRANSLATED_RULES} rules", file=str(path), hint="divide the file")
    return found


def _csv_rows(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    text = decoded(content, path)
    first = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    line = 1
    try:
        for row in reader:
            yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise RulesError(
            f"not CSV: {error}", file=str(path), line=line, hint="close quotes, double those inside"
        ) from None


def _excel_rows(content: bytes, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the first sheet; formulas count by the value that Excel saved."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        hint = "pip install 'constraint-sdc[excel]', or save the list as CSV"
        raise UsageError("reading .xlsx needs the package openpyxl", file=str(path), hint=hint) from None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            size = sum(part.file_size for part in packed.infolist())
        if size > RULE_FILE_BYTES:
            raise RulesError(f"unpacks to more than {RULE_FILE_BYTES >> 20} MB", file=str(path), hint="save it as CSV")
        sheet = load_workbook(io.BytesIO(content), read_only=True, data_only=True).worksheets[0]
        cells = sheet.iter_rows(max_row=TRANSLATED_RULES + 2, max_col=_MOST_COLUMNS, values_only=True)
        rows = [["" if cell is None else str(cell) for cell in row] for row in cells]
    except RulesError:
        raise
    except Exception as error:  # openpyxl raises what its parts raise: of zip files, XML, keys
        raise RulesError(f"not an Excel file: {error}", file=str(path), hint="save it again, or as CSV") from None
    yield from enumerate(rows, 1)


def _meanings(head: list[str], path: Path, line: int) -> list[str]:
    found: list[str] = []
    if all(one.strip().lower() not in _MEANINGS for one in head):
        hint = "if this is the data, --rules is to name the rules; a list of rules has a column 'rule'"
        raise RulesError("is no list of rules: none of its columns is known", file=str(path), line=line, hint=hint)
    for name in (one.strip().lower() for one in head):
        meaning = _MEANINGS.get(name, "" if name in ("", *_NOT_READ) else None)
        if meaning is None:
            near = nearest_name(name, tuple(_MEANINGS))
            hint = f"did you mean {near!r}?" if near else f"use: {', '.join((*_MEANINGS, *_NOT_READ))}"
            raise RulesError(f"unknown column {name!r}", file=str(path), line=line, hint=hint)
        if meaning and meaning in found:
            raise RulesError(f"two columns mean {meaning!r}", file=str(path), line=line, hint="remove one of them")
        found.append(meaning)
    if "rule" not in found:
        raise RulesError("no column is called 'rule'", file=str(path), line=line, hint=f"found: {', '.join(head)}")
    return found


def _row(line: int, cells: list[str], meanings: list[str], path: Path) -> ListedRule | None:
    if not any(cell.strip() for cell in cells):
        return None
    if len(cells) > len(meanings):
        hint = "quote a cell that has a separator inside"
        raise RulesError(f"{len(cells)} cells under {len(meanings)} columns", file=str(path), line=line, hint=hint)
    row = ListedRule({name: " ".join(cell.split()) for name, cell in zip(meanings, cells, strict=False) if name}, line)
    if not row.get("rule"):
        raise RulesError("a row without a rule", file=str(path), line=line, hint="write the rule, or empty the row")
    for meaning, known in (("severity", tuple(_SEVERITIES)), ("na", ("", *NA_POLICIES))):
        if row.get(meaning).lower() not in known:
            what = f"unknown {meaning} {row.get(meaning)!r}"
            raise RulesError(what, file=str(path), line=line, hint=f"use one of: {', '.join(filter(None, known))}")
    return row


def severity_of(row: ListedRule) -> str:
    """Return the severity of a row, "" for an error."""
    return _SEVERITIES[row.get("severity").lower()]
