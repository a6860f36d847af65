"""From a format to XML, through the product's own reader, and back."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather

from constraint_sdc.census import VARIABLES, generate, generate_file
from constraint_sdc.data.variable import RowSource, VariableInfo, rows_of_chunks
from constraint_sdc.files.domain_file import distinct_values, write_domain
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.rows_file import write_rows
from constraint_sdc.files.tables.arrow.parquet_file import read_parquet, write_parquet
from constraint_sdc.files.tables.csv.csv_file import read_csv, write_csv
from constraint_sdc.files.tables.statistics.statistics_file import read_statistics, write_statistics

TEXTS = st.from_regex(r"[ 0-9.eE+\-=@,;\"'\n\r\t&<>äé€𝄞]{0,12}", fullmatch=True)


def rows_of_xml(path: Path, declared: tuple[VariableInfo, ...] = ()) -> RowSource:
    return rows_of_chunks(lambda: open_microdata(path).chunks(), declared)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    headers = draw(st.lists(TEXTS.filter(bool), min_size=width, max_size=width, unique=True))
    return [headers, *draw(st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=2, max_size=6))]


@settings(max_examples=60, deadline=None)
@given(tables())
def test_csv_comes_back_from_the_xml_that_we_read(table: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first, xml, second = (Path(folder) / name for name in ("first.csv", "rows.xml", "second.csv"))
        with first.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, quoting=csv.QUOTE_ALL).writerows(table)
        rows = read_csv(first, delimiter=",", empty="empty")
        write_rows(xml, rows)
        write_csv(second, rows_of_xml(xml, rows.infos))
        with second.open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == table


def test_census_like_data_go_through_every_format(tmp_path: Path) -> None:
    rows = RowSource(VARIABLES, lambda: generate(2000, 1, 0.01))
    write_rows(tmp_path / "0.xml", rows)
    xml = (tmp_path / "0.xml").read_bytes()
    write_csv(tmp_path / "1.csv", rows_of_xml(tmp_path / "0.xml", VARIABLES))
    write_parquet(tmp_path / "2.parquet", read_csv(tmp_path / "1.csv"))
    write_parquet(tmp_path / "2.feather", read_parquet(tmp_path / "2.parquet"))
    assert feather.read_table(tmp_path / "2.feather").equals(pq.read_table(tmp_path / "2.parquet"))
    assert write_statistics(tmp_path / "3.sav", read_parquet(tmp_path / "2.feather")).notes == ()
    assert write_statistics(tmp_path / "4.dta", read_statistics(tmp_path / "3.sav")).notes == ()
    last = read_statistics(tmp_path / "4.dta")
    write_rows(tmp_path / "5.xml", RowSource(VARIABLES, last.batches))
    assert (tmp_path / "5.xml").read_bytes() == xml
    assert [info.type for info in last.infos] == [info.type for info in VARIABLES]
    assert str(pq.read_schema(tmp_path / "2.parquet").field("V1").type) == "int64"


def test_the_generated_file_reads_as_generated(tmp_path: Path) -> None:
    generate_file(tmp_path / "a.xml", 500, 3, indent=True)
    rows = rows_of_xml(tmp_path / "a.xml")
    (batch,) = generate(500, 3)
    assert {name: [t for b in rows.batches() for t in b[name]] for name in rows.names} == dict(batch)
    assert [(info.name, info.type) for info in rows.infos] == [(info.name, info.type) for info in VARIABLES]


def test_a_domain_file_reads_as_rows_with_the_same_values(tmp_path: Path) -> None:
    generate_file(tmp_path / "a.xml", 500, 3)
    values = distinct_values(open_microdata(tmp_path / "a.xml").chunks(), ["V1", "V3"])
    write_domain(tmp_path / "d.xml", values)
    assert distinct_values(open_microdata(tmp_path / "d.xml").chunks(), ["V1", "V3"]) == values
