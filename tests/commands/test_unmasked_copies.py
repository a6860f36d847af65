"""Every format in and out: where nothing is masked, the written file is the original, and reading it back proves it.

A new format without an example here fails `test_every_format_has_an_example`.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pyreadstat
import pytest

from constraint_sdc.commands.masking.staged import verify_staged, write_staged
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.registry import reading_tables, table_format, table_formats
from constraint_sdc.settings.table_reading import TableReading
from tests.sdmx_messages import MESSAGES, csv_1, csv_2, rows

XML = "xml"
"""Rows of XML, which are no table."""

Write = Callable[[Path], object]
_TEXT = 'a,"b c",Größe\r\n1,"x, ""y""",\r\n02,,3.50\r\n,"two\nlines",-0\r\n'
_CSV: dict[str, tuple[str, str, TableReading]] = {
    "comma": (_TEXT, "utf-8", TableReading()),
    "byte order mark": (_TEXT, "utf-8-sig", TableReading()),
    "semicolon": (_TEXT.replace(",", ";"), "cp1252", TableReading(encoding="cp1252")),
    "bar, no line end at the end": (_TEXT.replace(",", "|").rstrip(), "utf-8", TableReading()),
    "tab in a csv": (_TEXT.replace(",", "\t"), "utf-16", TableReading()),
    "blank lines at the end": (_TEXT + "\r\n\r\n", "utf-8", TableReading(empty="empty")),
    "decimal comma": ('a;b\n1,5;"2,25"\n;7\n', "utf-8", TableReading(decimal=",")),
    "old line ends": ("a,b\r1,2\r3,4\r", "utf-8", TableReading()),
    "one column": ('a\n1\n""\n', "utf-8", TableReading()),
    "SDMX-CSV 1.0": (csv_1(rows()), "utf-8", TableReading()),
    "SDMX-CSV 1.0 with labels": (csv_1(rows(), has_labels=True), "utf-8-sig", TableReading()),
    "SDMX-CSV 2.0": (csv_2(rows()), "utf-8", TableReading()),
    "SDMX-CSV without a value": (csv_1(rows()).replace(",700,", ",NaN,", 1), "utf-8", TableReading()),
}
_XML = (
    '<?xml version="1.0"?>\n<!-- c --><D a="1">\n<Head/>\n<R><A u=\'x\'>1</A><B><![CDATA[<]]></B></R>\n'
    "<R><A>&#49;<!-- d --></A></R><?p?>\n<R>\t<B/></R>\n</D>\n"
)
_DOCUMENTS = {
    "elements": (_XML, "utf-8"),
    "line ends": (_XML.replace("\n", "\r\n"), "utf-8-sig"),
    "two bytes": (_XML.replace("?>", ' encoding="UTF-16"?>', 1), "utf-16"),
    "attributes": ('<D><R a="1" b=\'2\'/>\n<R b="3"/><R a="&lt;"/></D>', "utf-8"),
}


def _arrow() -> pa.Table:
    codes = pa.array(["low", "high", None, "low"]).dictionary_encode()
    fields = [
        pa.field("a", pa.int16(), metadata={b"unit": b"EUR"}),
        pa.field("b", codes.type),
        pa.field("c", pa.float32()),
    ]
    columns = [pa.array([1, None, 3, 4], pa.int16()), codes, pa.array([0.1, 2, None, 4], pa.float32())]
    return pa.table(columns, schema=pa.schema(fields, {b"source": b"a survey"}))


def _frame() -> pd.DataFrame:
    return pd.DataFrame({"num": [1.5, 2.0, 3.25], "code": [1.0, -9.0, 3.0], "text": ["a", "", "zzz"]})


_LABELS = {"column_labels": {"num": "Hours"}, "variable_value_labels": {"code": {1: "male"}}}
EXAMPLES: dict[str, dict[str, Write]] = {
    "csv": {
        name: lambda path, one=one: path.write_bytes(one[0].encode(one[1]))  # type: ignore[misc]
        for name, one in _CSV.items()
    },
    "tsv": {"tabs": lambda path: path.write_text(_TEXT.replace(",", "\t"), "utf-8", newline="")},
    "parquet": {
        "groups": lambda path: pq.write_table(_arrow(), path, row_group_size=2, compression="gzip"),
        "pandas": lambda path: _frame().to_parquet(path),
    },
    "feather": {"plain": lambda path: pf.write_feather(_arrow(), path, compression="uncompressed")},
    "arrow": {"plain": lambda path: pf.write_feather(_arrow(), path, compression="uncompressed")},
    "sav": {
        "labels": lambda path: pyreadstat.write_sav(_frame(), path, missing_ranges={"code": [-9]}, **_LABELS),
        "compressed rows": lambda path: pyreadstat.write_sav(_frame(), path, row_compress=True, note="a note"),
    },
    "zsav": {"labels": lambda path: pyreadstat.write_sav(_frame(), path, compress=True, **_LABELS)},
    "dta": {
        f"version {v}": lambda path, v=v: pyreadstat.write_dta(_frame(), path, version=v, **_LABELS)
        for v in (10, 12, 13, 14, 15)
    },  # type: ignore[misc]
    "sdmx-ml": {
        name: lambda path, message=message: path.write_text(message(rows()))  # type: ignore[misc]
        for name, message in MESSAGES.items()
    },
    XML: {
        name: lambda path, one=one: path.write_bytes(one[0].encode(one[1]))  # type: ignore[misc]
        for name, one in _DOCUMENTS.items()
    },
}
_CASES = [(name, example) for name, examples in EXAMPLES.items() for example in examples]
_REWRITTEN = ("parquet", "feather", "arrow")
"""Formats whose masked file is written anew: the same table with the same metadata."""


def _reading(name: str, example: str) -> TableReading:
    return _CSV[example][2] if name == "csv" else TableReading()


@pytest.mark.parametrize(("name", "example"), _CASES)
def test_where_nothing_is_masked_the_file_stays_as_it_is(name: str, example: str, tmp_path: Path) -> None:
    ending = XML if name == "sdmx-ml" else name
    source, target = tmp_path / f"data.{ending}", tmp_path / f"masked.{ending}"
    EXAMPLES[name][example](source)
    target.write_bytes(b"")
    with reading_tables(_reading(name, example)):
        found = table_format(source)
        assert (XML if found is None else found.name) == name
        dataset = read_dataset(source)
        skeleton = write_staged(dataset, target, {})
        back = verify_staged(dataset, target, {}, skeleton)
    if name in _REWRITTEN:
        read = pq.read_table if name == "parquet" else pf.read_table
        before, after = read(source), read(target)
        assert after.equals(before)
        assert after.schema.equals(before.schema, check_metadata=True)
    else:
        assert target.read_bytes() == source.read_bytes()
        assert back.sha256 == dataset.sha256


@pytest.mark.parametrize("seed", range(20))
def test_drawn_csv_files_stay_as_they_are(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    delimiter, end = draw.choice(",;\t|"), draw.choice(("\n", "\r\n"))
    letters = string.ascii_letters + string.digits + " .'-äß&<>" + delimiter + '"\n'

    def cell() -> str:
        text = "".join(draw.choices(letters, k=draw.randrange(6)))
        must = any(sign in text for sign in (delimiter, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if must or draw.random() < 0.2 else text

    lines = [delimiter.join(("a", "b", "c"))]
    lines += [delimiter.join(cell() for _ in range(3)) for _ in range(30)]
    source, target = tmp_path / "data.csv", tmp_path / "masked.csv"
    source.write_bytes((end.join(lines) + end * draw.randrange(3)).encode("utf-8-sig" if seed % 2 else "utf-8"))
    target.write_bytes(b"")
    dataset = read_dataset(source)
    verify_staged(dataset, target, {}, write_staged(dataset, target, {}))
    assert target.read_bytes() == source.read_bytes()


def test_every_format_has_an_example() -> None:
    assert set(EXAMPLES) == {*table_formats().own_names, XML}
    assert all(EXAMPLES.values())
