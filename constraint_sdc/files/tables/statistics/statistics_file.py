"""Read records from SPSS (.sav, .zsav) and Stata (.dta) files as texts, with their labels and user-missing codes."""

from __future__ import annotations

import datetime as dt
import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from constraint_sdc.data.variable import Batch, Measure, RowSource, Survey, VariableInfo, Written, survey_batches
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.atomic import atomic_path
from constraint_sdc.files.rows_file import xml_name
from constraint_sdc.files.tables.foreign import refuse_foreign
from constraint_sdc.files.tables.headers import headers_of
from constraint_sdc.files.tables.raw_file import open_binary
from constraint_sdc.files.tables.statistics.stored_values import number_text
from constraint_sdc.limits import require_cells

BATCH = 50_000
_OPEN_ENDS = (float("-inf"), float("inf"))
StoredValues: TypeAlias = Mapping[str, list[Any]]
_Read: TypeAlias = Callable[..., tuple[StoredValues, Any]]


@dataclass(slots=True)
class _SeenColumn:
    """What one pass over the values of a variable found."""

    survey: Survey = field(default_factory=Survey)
    codes: set[float | str] = field(default_factory=set)


def read_statistics(path: Path) -> RowSource:
    """Return the rows of an SPSS or Stata file; reads it once before it returns.

    System-missing values and empty strings are absent. Numbers are written as their shortest text, dates and times as
    ISO text. User-missing values stay values and are listed as the variable's missing codes: for a range, its finite
    ends and every data value inside it; Stata's extended missing values as `.a` to `.z`.
    """
    content = read_content(path)
    return RowSource(content.infos, content.batches, _notes(content.meta))


@dataclass(frozen=True, slots=True)
class StatisticsContent:
    """A file in memory: its bytes, their digest, what it says about itself, and its variables."""

    raw: bytes
    sha256: str
    meta: Any
    infos: tuple[VariableInfo, ...]
    _read: _Read

    def batches(self) -> Iterator[Batch]:
        """Yield the texts of all rows."""
        for values in _parts(self._read):
            columns = self.meta.readstat_variable_types.items()
            yield {xml_name(column): [_text(v, kind) for v in values[column]] for column, kind in columns}


_kept: list[StatisticsContent] = []  # the last file: a command opens the same one several times


def read_content(path: Path) -> StatisticsContent:
    """Read a file; its variables are described by a first pass over its values."""
    reader = _reader(path)
    with open_binary(path) as stream:
        raw = stream.read()
    _refuse_other(raw[:_OPENING], path)
    sha256 = hashlib.sha256(raw).hexdigest()
    for known in _kept:
        if known.sha256 == sha256 and known.raw == raw:
            return known

    def read(**options: Any) -> tuple[StoredValues, Any]:
        return _read(reader, raw, path, **options)

    _, meta = read(metadataonly=True)
    require_cells(meta.number_rows or 0, len(meta.column_names), path)
    kinds = meta.readstat_variable_types
    ranges = {column: [_ends(entry) for entry in entries] for column, entries in meta.missing_ranges.items()}
    seen = _survey(_parts(read), kinds, ranges)
    infos = tuple(_info(column, seen[column], meta, kind != "string") for column, kind in kinds.items())
    _kept[:] = [StatisticsContent(raw, sha256, meta, infos, read), *_kept[:1]]
    return _kept[0]


_OPENING = 4096
_OURS = {".dta": (b"<stata_dta>",), ".sav": (b"$FL2", b"$FL3"), ".zsav": (b"$FL2", b"$FL3")}


def _refuse_other(opening: bytes, path: Path) -> None:
    """Refuse a file that is certainly of another format; versions of Stata before 13 have no mark of their own."""
    if not opening.startswith(_OURS[path.suffix.lower()]):
        refuse_foreign(opening, path, "a Stata file" if path.suffix.lower() == ".dta" else "an SPSS file")


def _reader(path: Path) -> Callable[..., tuple[StoredValues, Any]]:
    try:
        import pyreadstat
    except ImportError as error:
        raise UsageError(
            "SPSS and Stata files need pyreadstat", file=str(path), hint="pip install 'constraint-sdc[spss]'"
        ) from error
    reader: Callable[..., tuple[StoredValues, Any]] = (
        pyreadstat.read_dta if path.suffix.lower() == ".dta" else pyreadstat.read_sav
    )
    return reader


def _read(
    reader: Callable[..., tuple[StoredValues, Any]], raw: bytes, path: Path, **options: Any
) -> tuple[StoredValues, Any]:
    from pyreadstat import PyreadstatError, ReadstatError

    try:
        return reader(io.BytesIO(raw), user_missing=True, output_format="dict", **options)
    except (ReadstatError, PyreadstatError, OSError, ValueError, OverflowError) as error:
        kind = "Stata" if path.suffix.lower() == ".dta" else "SPSS"
        hint = f"it is cut off, damaged or no {kind} file: write or copy it again"
        raise DataError(f"cannot read {kind}: {error}", file=str(path), hint=hint) from error


def _parts(read: _Read) -> Iterator[StoredValues]:
    offset = 0
    while True:
        values, _ = read(row_offset=offset, row_limit=BATCH)
        count = len(next(iter(values.values()), []))
        if count:
            yield values
        if count < BATCH:
            return
        offset += count


def _text(value: Any, kind: str) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return value if kind == "string" else f".{value}"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return number_text(float(value), kind) if isinstance(value, int | float) else str(value)


def _ends(entry: Mapping[str, Any]) -> tuple[Any, Any]:
    return entry["lo"], entry["hi"]


def _survey(
    parts: Iterable[StoredValues], kinds: Mapping[str, str], ranges: Mapping[str, list[tuple[Any, Any]]]
) -> dict[str, _SeenColumn]:
    """Find each variable's missing codes, and describe the texts of its other values."""
    seen = {column: _SeenColumn() for column in kinds}
    for values in parts:
        for column, found in seen.items():
            kind = kinds[column]
            distinct = {value for value in values[column] if value is not None and value != ""}
            codes = {v for v in distinct if _is_missing(v, ranges.get(column, []), kind != "string")}
            found.codes |= codes
            found.survey.add([_text(value, kind) for value in distinct - codes])
    for column, entries in ranges.items():
        seen[column].codes.update(end for ends in entries for end in ends if end not in _OPEN_ENDS)
    return seen


def _is_missing(value: Any, ranges: list[tuple[Any, Any]], is_number: bool) -> bool:
    if isinstance(value, str) and is_number:
        return True
    return any(
        low <= value <= high for low, high in ranges if isinstance(value, str if isinstance(low, str) else int | float)
    )


def _info(column: str, seen: _SeenColumn, meta: Any, is_number: bool) -> VariableInfo:
    type_, decimals = seen.survey.type() if is_number else ("text", None)
    measure = meta.variable_measure.get(column)
    codes = sorted(seen.codes, key=lambda code: (isinstance(code, str), code))
    kind = meta.readstat_variable_types[column]
    return VariableInfo(
        xml_name(column),
        type_,
        decimals,
        measure if measure in get_args(Measure) else None,
        meta.column_names_to_labels.get(column) or None,
        tuple(text for code in codes if (text := _text(code, kind)) is not None),
    )


def _notes(meta: Any) -> tuple[str, ...]:
    labelled = ", ".join(meta.variable_value_labels)
    return (f"the labels of single values are not carried over: {labelled}",) if labelled else ()


# User-missing codes as SPSS can mark them: three single values, or one range and one value.

_MOST_VALUES = 3
_MOST_BYTES = 8


def missing_values(info: VariableInfo, values: pd.Series[Any], is_number: bool, path: Path) -> list[Any]:
    """Return what to mark so that exactly the variable's codes are missing among `values`.

    More than three numbers are covered by a range that contains no other value of the data, plus one separate code if
    needed; codes that SPSS cannot mark are refused.
    """
    if not is_number:
        return _texts(info, path)
    codes = sorted(float(code) for code in info.missing if is_finite_code(code))
    if len(codes) <= _MOST_VALUES:
        return codes
    data = values.to_numpy(np.float64)
    valid = data[np.isfinite(data) & ~np.isin(data, codes)]
    for inside, beside in ((codes, []), (codes[1:], codes[:1]), (codes[:-1], codes[-1:])):
        if not _any_between(valid, inside[0], inside[-1]):
            return [{"lo": inside[0], "hi": inside[-1]}, *beside]
    raise DataError(
        f"{info.name} has {len(codes)} missing codes with values between them",
        file=str(path),
        hint="SPSS can mark three codes, or one range and one code",
    )


def _texts(info: VariableInfo, path: Path) -> list[Any]:
    if len(info.missing) > _MOST_VALUES or any(len(code.encode()) > _MOST_BYTES for code in info.missing):
        raise DataError(
            f"{info.name} has missing codes that SPSS cannot mark",
            file=str(path),
            hint="SPSS can mark three codes of at most eight bytes in a text variable",
        )
    return list(info.missing)


def is_finite_code(code: str) -> bool:
    """Tell whether the code is a number that SPSS can mark."""
    try:
        return bool(np.isfinite(float(code)))
    except ValueError:
        return False


def _any_between(values: npt.NDArray[np.float64], low: float, high: float) -> bool:
    return bool(np.any((values >= low) & (values <= high)))


# Write records as SPSS (.sav) or Stata (.dta) files with labels, measures and user-missing codes.

_EXTENDED = re.compile(r"\.[a-z]")


@dataclass(frozen=True, slots=True)
class _Stored:
    """A variable to be written. `letters` are its Stata extended missing codes."""

    info: VariableInfo
    header: str
    survey: Survey
    is_number: bool
    letters: frozenset[str]


def write_statistics(path: Path, rows: RowSource, *, overwrite: bool = False) -> Written:
    """Write the records as SPSS or, if the name ends in .dta, as Stata, staged and renamed at the end.

    The columns are held in memory, because the formats' library needs them all at once. A variable that the metadata
    declare as a number is stored as doubles if every text has exactly a double's value (`1.50` gets a display format of
    two decimals), as text otherwise. Absent and empty are system-missing, or an empty string. The notes list what is
    lost; missing codes that SPSS cannot mark are refused.
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
    return Written(
        len(frame), tuple(f"{s.info.name}: {note}" for s in stored for note in _written_notes(s, frame, is_stata))
    )


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


def _stored(rows: RowSource, path: Path, is_stata: bool) -> tuple[_Stored, ...]:
    headers = headers_of(rows.names, path)
    folded = [header.casefold() for header in headers]
    for i, header in enumerate(headers):
        if not is_stata and folded[i] in folded[:i]:
            raise DataError(
                f"SPSS cannot distinguish {header!r} from {headers[folded.index(folded[i])]!r}", file=str(path)
            )
    letters = {i.name: frozenset(c for c in i.missing if is_stata and _EXTENDED.fullmatch(c)) for i in rows.infos}
    surveys = survey_batches(rows.batches(), [replace(i, missing=tuple(letters[i.name])) for i in rows.infos])
    return tuple(
        _Stored(info, header, surveys[info.name], _is_number(info, surveys[info.name]), letters[info.name])
        for info, header in zip(rows.infos, headers, strict=True)
    )


def _is_number(info: VariableInfo, survey: Survey) -> bool:
    return info.type != "text" and survey.is_same_value


def _frame(rows: RowSource, stored: Sequence[_Stored]) -> pd.DataFrame:
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
    """Return the SPSS display format, the only place that keeps the two decimals of `1.50`."""
    decimals = min(max(survey.decimals, default=0), 16)
    return f"F{min(max(8, survey.digits + decimals + 2), 40)}.{decimals}"


def _written_notes(stored: _Stored, frame: pd.DataFrame, is_stata: bool) -> Iterator[str]:
    info, survey = stored.info, stored.survey
    if info.type != "text" and not stored.is_number:
        yield "stored as text, because some of its texts are not exact numbers"
    if stored.is_number and not survey.is_double:
        yield f"trailing zeros of a fraction are {'lost' if is_stata else 'kept as a display format only'}"
    if survey.empty and (survey.absent or stored.is_number):
        yield f"{survey.empty} empty values can no longer be distinguished from absent ones"
    if not is_stata and not stored.is_number and any(text.endswith(" ") for text in frame[stored.header]):
        yield "SPSS does not store trailing blanks of a text"
    if is_stata and info.measure:
        yield "Stata does not store the measure"
    if is_stata and set(info.missing) - stored.letters:
        yield "Stata cannot mark its missing codes, which become plain values"
    if not is_stata and stored.is_number and not all(map(is_finite_code, info.missing)):
        yield "missing codes that are not numbers and do not occur are dropped"
