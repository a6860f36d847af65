"""Judge records by rules of any language: the records in which each rule fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from constraint_sdc.commands.check import CheckOptions, check_file


def write_rows(path: Path, records: Sequence[Mapping[str, object]]) -> Path:
    """Write records as XML; a value that is None is left out or empty, by turns, and numbers have no exponent."""
    rows = []
    for number, record in enumerate(records):
        cells = (_cell(name, value, number) for name, value in record.items())
        rows.append(f"<Record>{''.join(cells)}</Record>")
    path.write_text(f"<Data>{''.join(rows)}</Data>", encoding="utf-8")
    return path


def _cell(name: str, value: object, number: int) -> str:
    if value is None:
        return ("", f"<{name}/>", f"<{name}> </{name}>")[number % 3]
    return f"<{name}>{escape(str(value))}</{name}>"


def failures(data: Path, rules: Path, **options: object) -> dict[str, frozenset[int]]:
    """Return for each rule the numbers of the records that fail it; 0 for a rule about the whole file."""
    result = check_file(data, rules, CheckOptions(max_examples=None, allow_idle=("all",), **options))  # type: ignore[arg-type]
    assert not [one.rule for one in result.results if one.status == "error"]
    return {one.rule: frozenset(found.record or 0 for found in one.violations) for one in result.results}
