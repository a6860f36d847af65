"""Files of another format than their name says, or of one that is not read: what each is, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.errors import DataError

ENDINGS = "CSV, Parquet, Feather, SPSS and Stata files are known by their endings (.csv, .parquet, ...)"
"""How files are told apart."""

_SAS = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")
_EXPORT = "save it as CSV or Parquet first"


@dataclass(frozen=True, slots=True)
class _Mark:
    """A format by its bytes: `mark` stands at `at`."""

    mark: bytes
    name: str
    hint: str
    at: int = 0

    def fits(self, opening: bytes) -> bool:
        return opening.startswith(self.mark, self.at)


_MARKS = (
    _Mark(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel file (.xls)", "save the sheet as CSV UTF-8 first"),
    _Mark(_SAS, "a SAS data set", _EXPORT + ", in Python: pandas.read_sas(FILE, encoding='infer').to_parquet(NEW)"),
    _Mark(b"HEADER RECORD*******LIB", "a SAS transport file", _EXPORT + ", in Python: pandas.read_sas(FILE)"),
    _Mark(b"ASCII SPSS PORT FILE", "a portable file of SPSS", "save it as .sav first", 40),
    _Mark(b"RDX", "a file of R", _EXPORT + ", in R: arrow::write_parquet(data, NEW)"),
    _Mark(b"PAR1", "a Parquet file", "let its name end in .parquet"),
    _Mark(b"ARROW1", "an Arrow file", "let its name end in .feather"),
    _Mark(b"$FL2", "an SPSS file", "let its name end in .sav"),
    _Mark(b"$FL3", "an SPSS file", "let its name end in .zsav"),
    _Mark(b"<stata_dta>", "a Stata file", "let its name end in .dta"),
    _Mark(b"ORC", "an ORC file", _EXPORT),
    _Mark(b"SQLite format 3\0", "an SQLite database", _EXPORT),
)
_COMPRESSED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_ZIPPED = {
    (".xlsx", ".xlsm"): ("an Excel file", "save the sheet as CSV UTF-8 first"),
    (".ods",): ("a spreadsheet of OpenDocument", "save the sheet as CSV in UTF-8 first"),
}
_OFFICE = (b"[Content_Types].xml", b"xl/", b"_rels/")
_OF_R = (".rds", ".rda", ".rdata")


def refuse_foreign(opening: bytes, path: Path, expected: str) -> None:
    """Refuse an empty file, a compressed one, and one of another format; `expected` is what the file should be."""
    if not opening:
        raise DataError("the file is empty", file=str(path), hint=f"expected {expected}")
    ending = path.suffix.lower()
    for one in _MARKS:
        if one.fits(opening):
            raise DataError(f"is {one.name}, not {expected}", file=str(path), hint=one.hint)
    for magic, name in _COMPRESSED.items():
        if opening.startswith(magic):
            raise _compressed(opening, ending, name, path, expected)


def _compressed(opening: bytes, ending: str, name: str, path: Path, expected: str) -> DataError:
    what, hint = f"{name} data", "decompress it first"
    for endings, said in _ZIPPED.items():
        if name == "zip" and ending in endings:
            what, hint = said
    if name == "zip" and any(one in opening[:4096] for one in _OFFICE):
        what, hint = _ZIPPED[".xlsx", ".xlsm"]
    if name != "zip" and ending in _OF_R:
        what, hint = "a file of R", _EXPORT + ", in R: arrow::write_parquet(data, NEW)"
    return DataError(f"is {what}, not {expected}", file=str(path), hint=hint)


def refuse_text(opening: bytes, path: Path) -> None:
    """Refuse a text that cannot be XML: its first letter is no `<`."""
    begin = opening.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    if not begin or b"\0" in begin[:4] or not begin[:1].isascii() or begin[:1] == b"<" or begin[0] < 32:
        return
    hint = f"the name of a file says its format: {ENDINGS}, all others are read as XML"
    if begin[:1] in b"[{":
        raise DataError("is no XML: it looks like JSON", file=str(path), line=1, hint=f"write it as CSV first; {hint}")
    first = begin.splitlines()[0]
    found = next((name for sign, name in ((b";", ".csv"), (b",", ".csv"), (b"\t", ".tsv")) if sign in first), None)
    if found is not None:
        hint = f"if it is a table, let its name end in {found}"
    raise DataError("is no XML: it does not begin with `<`", file=str(path), line=1, hint=hint)
