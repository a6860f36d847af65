"""Read records from SPSS (.sav, .zsav) and Stata (.dta) files as texts, with their labels and user-missing codes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, get_args

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.model.number_text import double_text
from constraint_sdc.model.rows import Batch, Rows
from constraint_sdc.model.survey import Survey
from constraint_sdc.model.variable import Measure, VariableInfo
from constraint_sdc.model.xml_name import xml_name

BATCH = 50_000
_OPEN_ENDS = (float("-inf"), float("inf"))
Values: TypeAlias = Mapping[str, list[Any]]


@dataclass(slots=True)
class _Seen:
    """What a pass over one variable's values found."""

    survey: Survey = field(default_factory=Survey)
    codes: set[float | str] = field(default_factory=set)


def read_statistics(path: Path) -> Rows:
    """Return the rows of an SPSS or Stata file; reads it once before it returns.

    System-missing values and empty strings are absent. Numbers are written as their shortest text, dates and times as
    ISO text. User-missing values stay values and are listed as the variable's missing codes: of a range, its finite
    ends and every value of the data inside; Stata's extended missing values as `.a` to `.z`.
    """
    read = _reader(path)
    _, meta = _read(read, path, metadataonly=True)
    names = {column: xml_name(column) for column in meta.column_names}
    ranges = {column: [_ends(entry) for entry in entries] for column, entries in meta.missing_ranges.items()}
    numbers = {c for c, kind in meta.readstat_variable_types.items() if kind != "string"}
    seen = _survey(_parts(read, path), names, ranges, numbers)
    infos = tuple(_info(column, name, seen[column], meta, column in numbers) for column, name in names.items())
    return Rows(infos, lambda: _batches(read, path, names, numbers), _notes(meta))


def _reader(path: Path) -> Callable[..., tuple[Values, Any]]:
    try:
        import pyreadstat
    except ImportError as error:
        raise UsageError(
            "SPSS and Stata files need pyreadstat", file=str(path), hint="pip install 'constraint-sdc[spss]'"
        ) from error
    reader: Callable[..., tuple[Values, Any]] = (
        pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    )
    return reader


def _read(read: Callable[..., tuple[Values, Any]], path: Path, **options: Any) -> tuple[Values, Any]:
    from pyreadstat import PyreadstatError, ReadstatError

    try:
        return read(path, user_missing=True, output_format="dict", **options)
    except (ReadstatError, PyreadstatError, OSError, ValueError, OverflowError) as error:
        raise DataError(f"cannot read: {error}", file=str(path)) from error


def _parts(read: Callable[..., tuple[Values, Any]], path: Path) -> Iterator[Values]:
    offset = 0
    while True:
        values, _ = _read(read, path, row_offset=offset, row_limit=BATCH)
        count = len(next(iter(values.values()), []))
        if count:
            yield values
        if count < BATCH:
            return
        offset += count


def _batches(
    read: Callable[..., tuple[Values, Any]], path: Path, names: Mapping[str, str], numbers: set[str]
) -> Iterator[Batch]:
    for values in _parts(read, path):
        yield {name: [_text(v, column in numbers) for v in values[column]] for column, name in names.items()}


def _text(value: Any, is_number: bool) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return f".{value}" if is_number else value
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return double_text(float(value)) if isinstance(value, int | float) else str(value)


def _ends(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    return entry["lo"], entry["hi"]


def _survey(
    parts: Iterable[Values],
    names: Mapping[str, str],
    ranges: Mapping[str, list[tuple[Any, Any]]],
    numbers: set[str],
) -> dict[str, _Seen]:
    """Find each variable's missing codes, and describe the texts of the values that are none."""
    seen = {column: _Seen() for column in names}
    for values in parts:
        for column, found in seen.items():
            distinct = {value for value in values[column] if value is not None and value != ""}
            codes = {v for v in distinct if _is_missing(v, ranges.get(column, []), column in numbers)}
            found.codes |= codes
            found.survey.add([_text(value, column in numbers) for value in distinct - codes])
    for column, entries in ranges.items():
        seen[column].codes.update(end for ends in entries for end in ends if end not in _OPEN_ENDS)
    return seen


def _is_missing(value: Any, ranges: list[tuple[Any, Any]], is_number: bool) -> bool:
    if isinstance(value, str) and is_number:
        return True
    return any(
        low <= value <= high for low, high in ranges if isinstance(value, str if isinstance(low, str) else int | float)
    )


def _info(column: str, name: str, seen: _Seen, meta: Any, is_number: bool) -> VariableInfo:
    type_, decimals = seen.survey.type() if is_number else ("text", None)
    measure = meta.variable_measure.get(column)
    codes = sorted(seen.codes, key=lambda code: (isinstance(code, str), code))
    return VariableInfo(
        name,
        type_,
        decimals,
        measure if measure in get_args(Measure) else None,
        meta.column_names_to_labels.get(column) or None,
        tuple(text for code in codes if (text := _text(code, is_number)) is not None),
    )


def _notes(meta: Any) -> tuple[str, ...]:
    labelled = ", ".join(meta.variable_value_labels)
    return (f"the labels of single values are not carried over: {labelled}",) if labelled else ()
