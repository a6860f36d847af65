"""Write records as SPSS (.sav) or Stata (.dta) files with labels, measures and user-missing codes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.model.rows import Rows, Written
from constraint_sdc.model.survey import Survey, survey_batches
from constraint_sdc.model.variable import VariableInfo
from constraint_sdc.write.atomic import atomic_path
from constraint_sdc.write.csv_file import headers_of
from constraint_sdc.write.missing_values import is_finite_code, missing_values

_EXTENDED = re.compile(r"\.[a-z]")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A variable on its way to the file. `letters` are its Stata extended missing codes."""

    info: VariableInfo
    header: str
    survey: Survey
    is_number: bool
    letters: frozenset[str]


def write_statistics(path: Path, rows: Rows, *, overwrite: bool = False) -> Written:
    """Write the records as SPSS or, if the name ends in .dta, as Stata, staged and renamed at the end.

    The columns are held in memory: the formats' library asks for them all at once. A variable that the metadata call a
    number is stored as doubles if every text has exactly a double's value (`1.50` gets a display format of two
    decimals), as text otherwise. Absent and empty are system-missing, or an empty string. What is lost is in the notes;
    missing codes that SPSS cannot mark are refused.
    """
    writer = _writer(path)
    is_stata = path.suffix.lower() == ".dta"
    stored = _stored(rows, path, is_stata)
    frame = _frame(rows, stored)
    options: dict[str, Any] = {"column_labels": {s.header: s.info.label for s in stored if s.info.label}}
    if is_stata:
        options["missing_user_values"] = {s.header: [c[1] for c in sorted(s.letters)] for s in stored if s.letters}
    else:
        options["compress"] = path.suffix.lower() == ".zsav"
        marks = {s.header: missing_values(s.info, frame[s.header], s.is_number, path) for s in stored}
        options["missing_ranges"] = {header: marked for header, marked in marks.items() if marked}
        options["variable_measure"] = {s.header: s.info.measure for s in stored if s.info.measure}
        options["variable_format"] = {s.header: _format(s.survey) for s in stored if s.is_number}
    with atomic_path(path, overwrite) as staged:
        _write(writer, frame, staged, path, options)
    return Written(len(frame), tuple(f"{s.info.name}: {note}" for s in stored for note in _notes(s, frame, is_stata)))


def _writer(path: Path) -> Callable[..., None]:
    try:
        import pyreadstat
    except ImportError as error:
        raise UsageError(
            "SPSS and Stata files need pyreadstat", file=str(path), hint="pip install 'constraint-sdc[spss]'"
        ) from error
    writer: Callable[..., None] = pyreadstat.write_dta if path.suffix.lower() == ".dta" else pyreadstat.write_sav
    return writer


def _write(writer: Callable[..., None], frame: pd.DataFrame, staged: Path, path: Path, options: dict[str, Any]) -> None:
    from pyreadstat import PyreadstatError, ReadstatError

    try:
        writer(frame, staged, **options)
    except (PyreadstatError, ReadstatError) as error:
        raise DataError(f"the format cannot hold these records: {error}", file=str(path)) from error


def _stored(rows: Rows, path: Path, is_stata: bool) -> tuple[_Stored, ...]:
    headers = headers_of(rows.names, path)
    folded = [header.casefold() for header in headers]
    for i, header in enumerate(headers):
        if not is_stata and folded[i] in folded[:i]:
            raise DataError(f"SPSS cannot tell {header!r} from {headers[folded.index(folded[i])]!r}", file=str(path))
    letters = {i.name: frozenset(c for c in i.missing if is_stata and _EXTENDED.fullmatch(c)) for i in rows.infos}
    surveys = survey_batches(rows.batches(), [replace(i, missing=tuple(letters[i.name])) for i in rows.infos])
    return tuple(
        _Stored(info, header, surveys[info.name], _is_number(info, surveys[info.name]), letters[info.name])
        for info, header in zip(rows.infos, headers, strict=True)
    )


def _is_number(info: VariableInfo, survey: Survey) -> bool:
    return info.type != "text" and survey.is_same_value


def _frame(rows: Rows, stored: Sequence[_Stored]) -> pd.DataFrame:
    columns: dict[str, list[Any]] = {s.header: [] for s in stored}
    for batch in rows.batches():
        for s in stored:
            value = _value_of(s)
            columns[s.header].extend(value(text) for text in batch[s.info.name])
    return pd.DataFrame(
        {
            s.header: pd.Series(columns[s.header], dtype=np.float64 if s.is_number and not s.letters else object)
            for s in stored
        }
    )


def _value_of(stored: _Stored) -> Callable[[str | None], Any]:
    if not stored.is_number:
        return lambda text: text or ""
    if not stored.letters:
        return lambda text: float(text) if text else np.nan
    return lambda text: text[1] if text in stored.letters and text else float(text) if text else None


def _format(survey: Survey) -> str:
    """Return the SPSS display format, which alone tells that `1.50` had two decimals."""
    decimals = min(max(survey.decimals, default=0), 16)
    return f"F{min(max(8, survey.digits + decimals + 2), 40)}.{decimals}"


def _notes(stored: _Stored, frame: pd.DataFrame, is_stata: bool) -> Iterator[str]:
    info, survey = stored.info, stored.survey
    if info.type != "text" and not stored.is_number:
        yield "stored as text, because some of its texts have no exact number"
    if stored.is_number and not survey.is_double:
        yield f"zeros that close a fraction are {'lost' if is_stata else 'kept as a display format only'}"
    if survey.empty and (survey.absent or stored.is_number):
        yield f"{survey.empty} empty values are no longer told from absent ones"
    if not is_stata and not stored.is_number and any(text.endswith(" ") for text in frame[stored.header]):
        yield "SPSS does not keep blanks at the end of a text"
    if is_stata and info.measure:
        yield "Stata keeps no measure"
    if is_stata and set(info.missing) - stored.letters:
        yield "Stata cannot mark its missing codes, which become plain values"
    if not is_stata and stored.is_number and not all(map(is_finite_code, info.missing)):
        yield "missing codes that are no numbers, and do not occur, are dropped"
