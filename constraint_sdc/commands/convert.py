"""Convert: rows in one file format become rows in another, one side being our XML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.data.variable import RowSource, Written, rows_of_chunks
from constraint_sdc.errors import UsageError
from constraint_sdc.files.tables.foreign import refuse_foreign
from constraint_sdc.files.tables.raw_file import open_binary
from constraint_sdc.files.tables.registry import is_message
from constraint_sdc.settings.table_reading import EmptyCell


@dataclass(frozen=True, slots=True)
class ConvertOptions:
    """How to convert; the options of CSV concern the CSV side alone."""

    record: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    empty: EmptyCell = "absent"
    spreadsheet_safe: bool = False
    empty_is_missing: bool = False
    overwrite: bool = False


_OPENING = 4096
FORMATS = {
    ".xml": "xml",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".feather": "parquet",
    ".arrow": "parquet",
    ".sav": "statistics",
    ".zsav": "statistics",
    ".dta": "statistics",
}


def convert_file(source: Path, target: Path, options: ConvertOptions | None = None) -> Written:
    """Convert by the file names' endings; nothing stands under the target's name unless everything went well."""
    options = options or ConvertOptions()
    source_format, target_format = _format(source), _format(target)
    if source_format == target_format == "xml" and not is_message(source):
        raise UsageError("both files are XML", hint="convert one of them to or from CSV, Parquet, SPSS or Stata")
    _refuse_idle_options(source_format, target_format, options)
    rows = _READERS[source_format](source, options)
    written = _WRITERS[target_format](target, rows, options)
    return Written(written.records, (*rows.notes, *written.notes))


def _format(path: Path) -> str:
    known = FORMATS.get(path.suffix.lower())
    if known is None:
        if path.is_file():
            with open_binary(path) as stream:
                refuse_foreign(stream.read(_OPENING), path, "a format that is converted")
        raise UsageError(f"no format has the ending {path.suffix!r}", file=str(path), hint=f"use {', '.join(FORMATS)}")
    return known


def _refuse_idle_options(source: str, target: str, options: ConvertOptions) -> None:
    """An option that would not act is refused, never ignored."""
    idle = {
        "--delimiter": options.delimiter is not None and "csv" not in (source, target),
        "--encoding": options.encoding is not None and source != "csv",
        "--empty": options.empty != "absent" and source != "csv",
        "--spreadsheet-safe": options.spreadsheet_safe and target != "csv",
        "--empty-is-missing": options.empty_is_missing and target != "parquet",
        "--record": options.record is not None and source != "xml",
    }
    for name, is_idle in idle.items():
        if is_idle:
            raise UsageError(f"{name} has nothing to act on when converting {source} to {target}", hint="leave it out")


def _read_xml(path: Path, options: ConvertOptions) -> RowSource:
    from constraint_sdc.files.microdata.metadata import read_metadata
    from constraint_sdc.files.microdata.microdata import open_microdata

    microdata = open_microdata(path, record=options.record)
    return rows_of_chunks(microdata.chunks, read_metadata(path))


def _read_csv(path: Path, options: ConvertOptions) -> RowSource:
    from constraint_sdc.files.tables.csv.csv_file import read_csv

    return read_csv(path, delimiter=options.delimiter, encoding=options.encoding, empty=options.empty)


def _read_parquet(path: Path, _: ConvertOptions) -> RowSource:
    from constraint_sdc.files.tables.arrow.parquet_file import read_parquet

    return read_parquet(path)


def _read_statistics(path: Path, _: ConvertOptions) -> RowSource:
    from constraint_sdc.files.tables.statistics.statistics_file import read_statistics

    return read_statistics(path)


def _write_xml(path: Path, rows: RowSource, options: ConvertOptions) -> Written:
    from constraint_sdc.files.rows_file import write_rows

    return write_rows(path, rows, overwrite=options.overwrite)


def _write_csv(path: Path, rows: RowSource, options: ConvertOptions) -> Written:
    from constraint_sdc.files.tables.csv.csv_file import write_csv

    delimiter = options.delimiter or ("\t" if path.suffix.lower() == ".tsv" else ",")
    return write_csv(
        path,
        rows,
        delimiter=delimiter,
        spreadsheet_safe=options.spreadsheet_safe,
        overwrite=options.overwrite,
    )


def _write_parquet(path: Path, rows: RowSource, options: ConvertOptions) -> Written:
    from constraint_sdc.files.tables.arrow.parquet_file import write_parquet

    return write_parquet(path, rows, empty_is_missing=options.empty_is_missing, overwrite=options.overwrite)


def _write_statistics(path: Path, rows: RowSource, options: ConvertOptions) -> Written:
    from constraint_sdc.files.tables.statistics.statistics_file import write_statistics

    return write_statistics(path, rows, overwrite=options.overwrite)


# Each format's library (pyarrow, pyreadstat) is imported only when that format is used.
_READERS: dict[str, Callable[[Path, ConvertOptions], RowSource]] = {
    "xml": _read_xml,
    "csv": _read_csv,
    "parquet": _read_parquet,
    "statistics": _read_statistics,
}
_WRITERS: dict[str, Callable[[Path, RowSource, ConvertOptions], Written]] = {
    "xml": _write_xml,
    "csv": _write_csv,
    "parquet": _write_parquet,
    "statistics": _write_statistics,
}
