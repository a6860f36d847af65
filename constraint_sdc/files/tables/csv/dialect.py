"""How a CSV file is written: its encoding and byte order mark, its delimiter, its headers."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.rows_file import RECORD, xml_name
from constraint_sdc.files.tables.csv.cells import MalformedCsvError, cell_value, first_row
from constraint_sdc.files.tables.csv.sdmx_csv import MEASURE, component_ids, sdmx_standard
from constraint_sdc.files.tables.foreign import refuse_foreign
from constraint_sdc.limits import VARIABLES
from constraint_sdc.settings.table_reading import TableReading

OPENING = 1 << 20
"""Bytes in which the headers must end."""

# Codecs of Python that decode text but are no encoding of a file: escapes of programs and of host names.
_NOT_ENCODINGS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "utf-7"})
_DELIMITERS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the file is written. `codec` has the byte order, `mark` are the bytes of a byte order mark.

    `names` are the XML names of the headers; of SDMX-CSV, of the components that they name. `standard` says that.
    """

    codec: str
    mark: bytes
    delimiter: str
    is_empty_absent: bool
    has_decimal_comma: bool
    headers: tuple[str, ...]
    names: tuple[str, ...]
    standard: str | None = None

    @property
    def measure(self) -> int | None:
        """Return the place of the column in which SDMX-CSV writes `NaN` for no value; None for another CSV file."""
        return self.names.index(MEASURE) if self.standard is not None and MEASURE in self.names else None

    def reading(self) -> TableReading:
        """Return what a user would have to say to get this dialect."""
        return TableReading(
            self.delimiter,
            self.codec,
            "absent" if self.is_empty_absent else "empty",
            "," if self.has_decimal_comma else ".",
        )


def find_dialect(path: Path, opening: bytes, reading: TableReading, *, is_tsv: bool) -> Dialect:
    """Return the dialect by the first bytes of the file, all of them if it is short, and what a user says.

    Unless given, the delimiter is the most frequent of comma, semicolon, tab and bar in the header line (a tab in a
    `.tsv` file), and the encoding is that of the byte order mark, or UTF-8 without one.
    """
    refuse_foreign(opening, path, "CSV")
    codec, mark = _encoding(path, opening, reading.encoding)
    is_whole = len(opening) < OPENING
    text = _decoded(opening[len(mark) :], codec, is_whole=is_whole, path=path)
    if text.lstrip()[:5].lower() == "<?xml":
        raise DataError("is XML, not CSV", file=str(path), line=1, hint="let its name end in .xml")
    delimiter = _checked(reading.delimiter) or ("\t" if is_tsv else _delimiter(text, is_whole=is_whole))
    headers = _headers(text, delimiter, path, is_whole=is_whole)
    standard = sdmx_standard(headers)
    components = headers if standard is None else component_ids(headers)
    refuse_headers(components, path)
    return Dialect(
        codec,
        mark,
        delimiter,
        reading.empty != "empty",
        reading.decimal == ",",
        tuple(headers),
        tuple(map(xml_name, components)),
        standard,
    )


def _checked(delimiter: str | None) -> str | None:
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise UsageError(f"{delimiter!r} cannot separate cells", hint="one character, such as , or ;")
    return delimiter


def _encoding(path: Path, opening: bytes, asked: str | None) -> tuple[str, bytes]:
    """Return the codec, its byte order included, and the byte order mark."""
    mark, marked = next(((mark, name) for mark, name in _MARKS if opening.startswith(mark)), (b"", None))
    if asked is None:
        return marked or "utf-8", mark
    try:
        codec = codecs.lookup(asked)
        if codec.name in _NOT_ENCODINGS or not codec._is_text_encoding:
            raise LookupError(asked)
    except (LookupError, ValueError) as error:  # ValueError: a name with a NUL
        hint = "name an encoding of text, such as utf-8, cp1252 or iso-8859-15"
        raise UsageError(f"{asked!r} is not an encoding of text", file=str(path), hint=hint) from error
    name = "utf-8" if codec.name == "utf-8-sig" else codec.name
    if marked is not None and marked.startswith(name):
        return marked, mark
    if marked is not None and mark != codecs.BOM_UTF16_LE:  # two letters of a Western encoding
        raise UsageError(f"its byte order mark says {marked}, not {name}", file=str(path), hint="leave --encoding out")
    return (f"{name}-le" if name in ("utf-16", "utf-32") else name), b""


def _decoded(data: bytes, codec: str, *, is_whole: bool, path: Path) -> str:
    if codec.startswith(("utf-16", "utf-32")) and data and b"\0" not in data:  # a delimiter or a line end has one
        raise not_text(path, codec, 1)
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(data, final=is_whole)
    except UnicodeDecodeError as error:
        good = data[: error.start].decode(codec, "replace")
        raise not_text(path, codec, 1 + good.count("\n")) from None


def not_text(path: Path, codec: str, line: int | None) -> DataError:
    """Return the error of bytes that are no text of the encoding."""
    hint = f"name its encoding, such as --encoding {'utf-8' if codec.startswith('utf-16') else 'cp1252'}"
    return DataError(f"the text is not {codec}", file=str(path), line=line, hint=hint)


def malformed(error: MalformedCsvError, path: Path) -> DataError:
    """Return the error of a text that is not CSV."""
    hint = f"look at cell {error.cell} of the row: a quote inside a quoted cell is written twice"
    return DataError(f"malformed CSV: {error.what}", file=str(path), line=error.line, hint=hint)


def _delimiter(text: str, *, is_whole: bool) -> str:
    return max(_DELIMITERS, key=lambda delimiter: _header_cells(text, delimiter, is_whole=is_whole))


def _header_cells(text: str, delimiter: str, *, is_whole: bool) -> int:
    try:
        row = first_row(text, delimiter, is_whole=is_whole)
    except MalformedCsvError:
        return 0
    return len(row.cells) if row else 0


def _headers(text: str, delimiter: str, path: Path, *, is_whole: bool) -> list[str]:
    try:
        row = first_row(text, delimiter, is_whole=is_whole)
    except MalformedCsvError as error:
        raise malformed(error, path) from None
    if row is None and not is_whole:
        raise DataError(f"the headers do not end in the first {OPENING >> 20} MB", file=str(path), line=1)
    headers = [cell_value(cell) for cell in row.cells] if row else []
    if headers in ([], [""]):
        raise DataError("the file has no header line", file=str(path), line=1)
    return headers


def refuse_headers(headers: list[str], path: Path, line: int | None = 1) -> None:
    """Refuse headers that are empty or equal, and one that is the name of a record."""
    if len(headers) > VARIABLES:
        raise DataError(f"more than {VARIABLES:,} columns", file=str(path), line=line)
    seen = set[str]()
    for column, header in enumerate(headers, start=1):
        if not header:
            raise DataError(f"column {column} has no header", file=str(path), line=line, hint="name it or remove it")
        if header in seen:
            what, hint = f"two columns have the header {header!r}", "rename one of them"
            raise DataError(what, file=str(path), line=line, hint=hint)
        if header == RECORD:
            what = f"column {column} has the header {header!r}, which is the name of a row in rules"
            raise DataError(what, file=str(path), line=line, hint="rename it")
        seen.add(header)
