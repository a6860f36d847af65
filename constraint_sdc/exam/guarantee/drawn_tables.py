"""The records of a case as a table: a drawn format, written and read by programs that share no code with ours.

A table format says less of a missing value than XML does, and a number loses its spelling in a column of numbers. A
format is drawn for a case only if it gives every cell back as it was. The draws have a stream of their own.
"""

from __future__ import annotations

import csv
import io
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

TableRow: TypeAlias = dict[str, str | None]
"""A record: its cells by header; None is no value, which is not a text of no length."""

_NUMBER = re.compile(r"-?[0-9]+(?:[.][0-9]+)?")
_COMMA = re.compile(r"-?[0-9]+(?:,[0-9]+)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DELIMITERS = (",", ";", "\t", "|")
_ENCODINGS = ("utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252", "iso-8859-2")
_FORMATS = {"csv": 5, "parquet": 3, "feather": 1, "sav": 2, "dta": 2, "xml": 1}
_DIGITS = 12
_LONGEST = 240  # bytes of a text in SPSS


@dataclass(frozen=True)
class TypeDemands:
    """What narrows the choice of types: `loose` columns may get other digits when they are masked.

    Rules that `are_exact` make sums of decimals, and the sum of two doubles of many digits is none.
    """

    loose: frozenset[str] = frozenset()
    are_exact: bool = False


@dataclass(frozen=True)
class DrawnTable:
    """How the records of a case are written: the ending of the file, the dialect, and the type of each column.

    `reading` is what the recipe must say of the table under `table`.
    """

    ending: str
    headers: tuple[str, ...]
    dialect: tuple[tuple[str, Any], ...] = ()
    types: tuple[str, ...] = ()

    @property
    def reading(self) -> dict[str, str]:
        """Return the dialect as a recipe states it."""
        told = dict(self.dialect)
        return {name: told[name] for name in ("delimiter", "encoding", "empty", "decimal") if name in told}

    def __str__(self) -> str:
        said = [f"{name} {value!r}" for name, value in self.dialect]
        return ", ".join((self.ending, *said, *dict.fromkeys(kind for kind in self.types if kind != "text")))

    def write(self, path: Path, rows: Sequence[TableRow]) -> None:
        """Write the table."""
        _WRITERS[self.ending](self, path, rows)

    def read(self, path: Path) -> list[TableRow]:
        """Read a table of this format; it may have fewer columns."""
        return _READERS[self.ending](self, path)


def table_stream(seed: int) -> random.Random:
    """Return where the table of a case is drawn from; nothing else is."""
    return random.Random(f"table {seed}")


def drawn_table(
    rng: random.Random, rows: Sequence[TableRow], headers: Sequence[str], demands: TypeDemands
) -> DrawnTable:
    """Return a format that gives every cell back."""
    names = list(_FORMATS)
    for ending in _drawn_order(rng, names, [_FORMATS[name] for name in names]):
        table = _DRAWS[ending](rng, rows, tuple(headers), demands)
        if table is not None:
            return table
    raise ValueError("XML writes any cell")  # it is among the formats


def _drawn_order(rng: random.Random, names: list[str], weights: list[int]) -> list[str]:
    order: list[str] = []
    while names:
        name = rng.choices(names, weights)[0]
        weights.pop(names.index(name))
        names.remove(name)
        order.append(name)
    return order


def _columns(rows: Sequence[TableRow], headers: Sequence[str]) -> list[list[str | None]]:
    return [[row.get(header) for row in rows] for header in headers]


# CSV.


def _draw_csv(
    rng: random.Random, rows: Sequence[TableRow], headers: tuple[str, ...], demands: TypeDemands
) -> DrawnTable | None:
    del demands
    delimiter, decimal = rng.choice(_DELIMITERS), rng.choice((".", ".", ","))
    cells = [cell for row in rows for cell in row.values()]
    texts = [cell for cell in cells if cell]
    encoding = rng.choice(_ENCODINGS)
    try:
        "".join((*texts, *headers)).encode(encoding)
    except UnicodeEncodeError:
        encoding = "utf-8"
    if "" in cells and None in cells:
        return None
    if decimal == "," and not all(_NUMBER.fullmatch(text) or "." not in text + "," for text in texts):
        decimal = "."
    if decimal == "," and any(_COMMA.fullmatch(text) and "," in text for text in texts):
        decimal = "."
    dialect = {
        "delimiter": delimiter,
        "encoding": encoding.removesuffix("-sig") if encoding != "utf-16" else "utf-16",
        "empty": "empty" if "" in cells else "absent",
        "decimal": decimal,
        "signed": encoding in ("utf-8-sig", "utf-16"),
        "quoting": rng.choice(("minimal", "minimal", "all")),
        "lines": rng.choice(("\n", "\n", "\r\n")),
    }
    return DrawnTable("csv", headers, tuple(dialect.items()))


def _write_csv(table: DrawnTable, path: Path, rows: Sequence[TableRow]) -> None:
    told = dict(table.dialect)
    stream = io.StringIO()
    how: dict[str, Any] = {"quoting": csv.QUOTE_ALL if told["quoting"] == "all" else csv.QUOTE_MINIMAL}
    writer = csv.writer(stream, delimiter=told["delimiter"], lineterminator=told["lines"], **how)
    writer.writerow(table.headers)
    for row in rows:
        cells = [row.get(header) or "" for header in table.headers]
        if told["decimal"] == ",":
            cells = [cell.replace(".", ",") if _NUMBER.fullmatch(cell) else cell for cell in cells]
        writer.writerow(cells)
    path.write_bytes(stream.getvalue().encode(_signed(told)))


def _read_csv(table: DrawnTable, path: Path) -> list[TableRow]:
    told = dict(table.dialect)
    text = path.read_bytes().decode(_signed(told))
    headers, *lines = csv.reader(io.StringIO(text, newline=""), delimiter=told["delimiter"], strict=True)
    if told["decimal"] == ",":
        lines = [[cell.replace(",", ".") if _COMMA.fullmatch(cell) else cell for cell in line] for line in lines]
    missing = "" if told["empty"] == "empty" else None
    return [{header: cell or missing for header, cell in zip(headers, line, strict=True)} for line in lines]


def _signed(told: dict[str, Any]) -> str:
    return f"{told['encoding']}-sig" if told["signed"] and told["encoding"] == "utf-8" else str(told["encoding"])


# Columns with types: a type fits a column if it gives every text back.


def number_text(value: float) -> str:
    """Return the shortest text of a double, without an exponent."""
    return "0" if value == 0 else str(np.format_float_positional(value, trim="-"))


def _is_double(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and number_text(float(text)) == text


def _is_whole(text: str, limit: int) -> bool:
    return _NUMBER.fullmatch(text) is not None and str(int(float(text))) == text and abs(int(text)) < limit


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _fitting(column: Sequence[str | None], demands: TypeDemands, header: str, *, kinds: Sequence[str]) -> list[str]:
    """Return the types of these kinds that fit a column; a text always does."""
    is_loose = header in demands.loose
    texts = [text for text in column if text is not None]
    scales = {len(text.partition(".")[2]) for text in texts}
    fits: dict[str, Callable[[], bool]] = {
        "int32": lambda: not is_loose and all(_is_whole(text, 2**31) for text in texts),
        "int64": lambda: not is_loose and all(_is_whole(text, 2**53) for text in texts),
        "double": lambda: all(_is_double(text) and not (demands.are_exact and len(text) > _DIGITS) for text in texts),
        "decimal": lambda: (
            not is_loose
            and len(scales) == 1
            and all(_NUMBER.fullmatch(t) and len(t) < 18 and t[:2] != "-0" for t in texts)
        ),
        "day": lambda: all(_is_day(text) for text in texts),
        "category": lambda: len(set(texts)) < 20,
        "text": lambda: True,
    }
    return [kind for kind in kinds if texts and fits[kind]()] or ["text"]


def _draw_arrow(
    ending: str, rng: random.Random, rows: Sequence[TableRow], headers: tuple[str, ...], demands: TypeDemands
) -> DrawnTable | None:
    kinds = ("int32", "int64", "double", "decimal", "day", "category", "text")
    types = [
        rng.choice(_fitting(column, demands, header, kinds=kinds))
        for header, column in zip(headers, _columns(rows, headers), strict=True)
    ]
    compression = rng.choice(("snappy", "zstd", "none")) if ending == "parquet" else "uncompressed"
    return DrawnTable(ending, headers, (("compression", compression),), tuple(types))


def _arrow_array(column: Sequence[str | None], kind: str) -> Any:
    import pyarrow as pa

    if kind in ("int32", "int64"):
        return pa.array([None if text is None else int(text) for text in column], kind)
    if kind == "double":
        return pa.array([None if text is None else float(text) for text in column], pa.float64())
    if kind == "decimal":
        scale = max(len((text or "").partition(".")[2]) for text in column)
        values = [None if text is None else Decimal(text) for text in column]
        return pa.array(values, pa.decimal128(30, scale))
    if kind == "day":
        return pa.array([None if text is None else date.fromisoformat(text) for text in column], pa.date32())
    texts = pa.array(column, pa.string())
    return texts.dictionary_encode() if kind == "category" else texts


def _write_arrow(table: DrawnTable, path: Path, rows: Sequence[TableRow]) -> None:
    import pyarrow as pa
    from pyarrow import feather, parquet

    columns = zip(_columns(rows, table.headers), table.types, strict=True)
    arrow = pa.table([_arrow_array(column, kind) for column, kind in columns], names=list(table.headers))
    compression = dict(table.dialect)["compression"]
    if table.ending == "parquet":
        parquet.write_table(arrow, path, compression=compression, row_group_size=max(len(rows) // 2, 1))
    else:
        feather.write_feather(arrow, str(path), compression=compression)


def _read_arrow(table: DrawnTable, path: Path) -> list[TableRow]:
    from pyarrow import feather, parquet

    arrow = parquet.read_table(path) if table.ending == "parquet" else feather.read_table(str(path))
    return [{name: _text_of(value) for name, value in row.items()} for row in arrow.to_pylist()]


def _text_of(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float):
        return number_text(value)
    return format(value, "f") if isinstance(value, Decimal) else str(value)


# SPSS and Stata.


def _draw_statistics(
    ending: str, rng: random.Random, rows: Sequence[TableRow], headers: tuple[str, ...], demands: TypeDemands
) -> DrawnTable | None:
    columns = _columns(rows, headers)
    texts = [text for column in columns for text in column]
    is_fine = len({header.lower() for header in headers}) == len(headers) and "" not in texts
    # A text that ends with a blank is one without it in these formats.
    if not is_fine or any(text != text.rstrip() or len(text.encode()) > _LONGEST for text in texts if text):
        return None
    if any(not any(column) for column in columns):
        return None
    types = []
    for header, column in zip(headers, columns, strict=True):
        numbers = ("int32", "double") if ending == "dta" and None not in column else ("double",)
        is_number = all(_NUMBER.fullmatch(text) for text in column if text is not None)
        types.append(rng.choice(_fitting(column, demands, header, kinds=numbers if is_number else ("text",))))
        if is_number and types[-1] == "text":
            return None  # its width would refuse longer numbers
    is_ascii = "".join(text or "" for text in texts).isascii()  # Stata files before version 14 are not UTF-8
    versions = (10, 12, 14, 15) if is_ascii else (14, 15)
    dialect = {"packed": rng.choice((True, False))} if ending == "sav" else {"version": rng.choice(versions)}
    return DrawnTable(ending, headers, tuple(dialect.items()), tuple(types))


def _write_statistics(table: DrawnTable, path: Path, rows: Sequence[TableRow]) -> None:
    import pandas as pd
    import pyreadstat

    made: dict[str, Any] = {}
    for header, column, kind in zip(table.headers, _columns(rows, table.headers), table.types, strict=True):
        if kind == "int32":
            made[header] = pd.Series([int(text or 0) for text in column], dtype="int32")
        elif kind == "double":
            made[header] = pd.Series([np.nan if text is None else float(text) for text in column], dtype="float64")
        else:
            made[header] = pd.Series(["" if text is None else text for text in column], dtype=object)
    told = dict(table.dialect)
    if table.ending == "sav":
        pyreadstat.write_sav(pd.DataFrame(made), str(path), row_compress=told["packed"])
    else:
        pyreadstat.write_dta(pd.DataFrame(made), str(path), version=told["version"])


def _read_statistics(table: DrawnTable, path: Path) -> list[TableRow]:
    import pyreadstat

    frame, _ = pyreadstat.read_sav(str(path)) if table.ending == "sav" else pyreadstat.read_dta(str(path))
    kinds = dict(zip(table.headers, table.types, strict=True))
    rows = frame.to_dict("records")
    return [{str(name): _stored_text(value, kinds[str(name)]) for name, value in row.items()} for row in rows]


def _stored_text(value: Any, kind: str) -> str | None:
    if kind == "text":
        return None if not isinstance(value, str) or not value else value
    return None if value is None or np.isnan(value) else number_text(float(value))


# XML rows, without anything around them.


def _write_rows(table: DrawnTable, path: Path, rows: Sequence[TableRow]) -> None:
    from lxml import etree

    root = etree.Element("Microdata")
    for row in rows:
        record = etree.SubElement(root, "Record")
        for header in table.headers:
            if (cell := row.get(header)) is not None:
                etree.SubElement(record, header).text = cell
    path.write_bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _read_rows(table: DrawnTable, path: Path) -> list[TableRow]:
    from lxml import etree

    del table
    return [
        {str(leaf.tag): leaf.text or "" for leaf in record.iterchildren(etree.Element)}
        for record in etree.fromstring(path.read_bytes())
    ]


_DRAWS: dict[str, Callable[..., DrawnTable | None]] = {
    "csv": _draw_csv,
    "parquet": lambda *given: _draw_arrow("parquet", *given),
    "feather": lambda *given: _draw_arrow("feather", *given),
    "sav": lambda *given: _draw_statistics("sav", *given),
    "dta": lambda *given: _draw_statistics("dta", *given),
    "xml": lambda _rng, _rows, headers, _demands: DrawnTable("xml", headers),
}
_WRITERS: dict[str, Callable[[DrawnTable, Path, Sequence[TableRow]], None]] = {
    "csv": _write_csv,
    "parquet": _write_arrow,
    "feather": _write_arrow,
    "sav": _write_statistics,
    "dta": _write_statistics,
    "xml": _write_rows,
}
_READERS: dict[str, Callable[[DrawnTable, Path], list[TableRow]]] = {
    "csv": _read_csv,
    "parquet": _read_arrow,
    "feather": _read_arrow,
    "sav": _read_statistics,
    "dta": _read_statistics,
    "xml": _read_rows,
}
