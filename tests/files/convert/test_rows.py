"""Our XML rows: metadata first, one record a line, nothing of a text lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from constraint_sdc.data.table import Chunk, Layout, column_of
from constraint_sdc.data.variable import RowSource, VariableInfo, rows_of_chunks
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import write_rows


def test_the_file_reads_as_the_format_says(tmp_path: Path, rows_from: Callable[..., RowSource]) -> None:
    infos = (
        VariableInfo("V1", "integer", 0, "scale", "Age & <more>", ("-9", "-8")),
        VariableInfo("V2", "text", None, "nominal", 'two "lines"\nand\ta tab', ()),
    )
    rows = rows_from({"V1": ["1", None, "-9"], "V2": ["a&b", "", None]}, infos)
    assert write_rows(tmp_path / "a.xml", rows).records == 3
    assert (tmp_path / "a.xml").read_text(encoding="utf-8").splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<Microdata>",
        "<Metadata>",
        '<Variable name="V1" type="integer" decimals="0" measure="scale" label="Age &amp; &lt;more&gt;">'
        '<Missing code="-9"/><Missing code="-8"/></Variable>',
        '<Variable name="V2" type="text" measure="nominal" label="two &quot;lines&quot;&#10;and&#9;a tab"/>',
        "</Metadata>",
        "<Record><V1>1</V1><V2>a&amp;b</V2></Record>",
        "<Record><V2></V2></Record>",
        "<Record><V1>-9</V1></Record>",
        "</Microdata>",
    ]
    variables = etree.parse(str(tmp_path / "a.xml")).findall("Metadata/Variable")
    assert [v.get("label") for v in variables] == [info.label for info in infos]


def test_a_character_that_xml_cannot_hold_is_refused_by_record(
    tmp_path: Path, rows_from: Callable[..., RowSource]
) -> None:
    with pytest.raises(DataError, match="V1 of record 3 has a character that XML cannot hold"):
        write_rows(tmp_path / "a.xml", rows_from({"V1": ["1", None, "a\x07"]}))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["@V1", "{urn:x}V1", "2nd", "Record"])
def test_a_name_that_no_variable_can_have_is_refused(
    tmp_path: Path, name: str, rows_from: Callable[..., RowSource]
) -> None:
    with pytest.raises(DataError, match="a variable cannot have the name"):
        write_rows(tmp_path / "a.xml", rows_from({name: ["1"]}))


def test_a_file_without_records_is_refused(tmp_path: Path, rows_from: Callable[..., RowSource]) -> None:
    with pytest.raises(DataError, match="no records to write"):
        write_rows(tmp_path / "a.xml", rows_from({"V1": []}))
    assert list(tmp_path.iterdir()) == []


def test_rows_of_chunks_find_variables_that_come_late() -> None:
    def chunk(**columns: list[str | None]) -> Chunk:
        size = len(next(iter(columns.values())))
        nothing = np.zeros(size, np.int64)
        texts = {name: column_of(name, values) for name, values in columns.items()}
        layout = Layout(("Microdata",), "Record", "elements", b"<Microdata>", b"</Microdata>")
        return Chunk(layout, 0, texts, np.zeros(1, np.uint8), nothing, nothing, nothing)

    declared = (VariableInfo("V2", "decimal", 2, "scale", "Income"),)
    chunks = [chunk(V1=["1", "2"], V2=["x", None]), chunk(V1=["3"], V3=["0.5"])]
    rows = rows_of_chunks(lambda: chunks, declared)
    assert rows.infos == (*declared, VariableInfo("V1", "integer", 0), VariableInfo("V3", "decimal", 1))
    assert list(rows.batches()) == [
        {"V2": ["x", None], "V1": ["1", "2"], "V3": [None, None]},
        {"V2": [None], "V1": ["3"], "V3": ["0.5"]},
    ]
