"""Parquet to XML and back: values do not change, and no text is turned into a number that it is not."""

from __future__ import annotations

import datetime as dt
import json
import math
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.variable import (
    Batch,
    RowSource,
    VariableInfo,
    describe,
    info_from_json,
    info_json,
    survey_batches,
)
from constraint_sdc.errors import DataError
from constraint_sdc.files.rows_file import write_rows
from constraint_sdc.files.tables.arrow.parquet_file import read_parquet, write_parquet
from tests.draws import draws

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufffe\uffff", exclude_categories=("Cc", "Cs")))
DECIMALS = st.decimals(-(10**9), 10**9, places=2, allow_nan=False)
LEXICAL = st.from_regex(r"-?[0-9]{1,4}(\.[0-9]{1,3})?([eE][0-9])?| 5|007|\+1|NaN|-?INF|x?", fullmatch=True)


def described(columns: Batch, missing: tuple[str, ...] = ()) -> RowSource:
    plain = [VariableInfo(name, "text", missing=missing) for name in columns]
    surveys = survey_batches([columns], plain)
    return RowSource(tuple(describe(info, surveys[info.name]) for info in plain), lambda: iter([columns]))


@settings(max_examples=draws(50), deadline=None)
@given(
    values=st.lists(
        st.tuples(
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(),
            st.none() | DECIMALS,
            st.none() | TEXT,
        ),
        min_size=1,
        max_size=8,
    )
)
def test_parquet_to_xml_to_parquet_keeps_values_and_types(
    values: list[tuple[Any, ...]], records_of_xml: Callable[[Path], list[dict[str, str]]]
) -> None:
    types = {"I": pa.int64(), "D": pa.float64(), "N": pa.decimal128(18, 2), "T": pa.string()}
    table = pa.table(
        {name: pa.array(v, t) for (name, t), v in zip(types.items(), zip(*values, strict=True), strict=True)}
    )
    with tempfile.TemporaryDirectory() as folder:
        first, xml, second = (Path(folder) / name for name in ("a.parquet", "a.xml", "b.parquet"))
        pq.write_table(table, first)
        rows = read_parquet(first)
        write_rows(xml, rows)
        columns = {name: [r.get(name) for r in records_of_xml(xml)] for name in rows.names}
        write_parquet(second, RowSource(rows.infos, lambda: iter([columns])))
        again = pq.read_table(second)
    assert [again.schema.field(name).type for name in ("I", "D", "T")] == [pa.int64(), pa.float64(), pa.string()]
    for name in ("I", "N", "T"):
        assert again[name].to_pylist() == table[name].to_pylist()
    for before, after in zip(table["D"].to_pylist(), again["D"].to_pylist(), strict=True):
        assert after == before or (math.isnan(before) and math.isnan(after))


@settings(max_examples=draws(80), deadline=None)
@given(st.lists(st.none() | LEXICAL, min_size=1, max_size=6), st.booleans())
def test_any_text_comes_back_from_parquet_as_it_was(texts: list[str | None], is_coded: bool) -> None:
    rows = described({"V1": texts}, ("-9",) if is_coded else ())
    with tempfile.TemporaryDirectory() as folder:
        write_parquet(Path(folder) / "a.parquet", rows)
        again = read_parquet(Path(folder) / "a.parquet")
        assert again.infos == rows.infos
        assert [text for batch in again.batches() for text in batch["V1"]] == texts


@pytest.mark.parametrize(
    ("texts", "type_"),
    [
        (["1", None, "-20"], pa.int64()),
        (["1.50", "2.25"], pa.decimal128(5, 2)),
        (["0.5", "0.25"], pa.float64()),
        (["0.0006101281269066504", "2"], pa.float64()),
        (["007", "8"], pa.string()),
        (["1e5"], pa.string()),
        ([" 5"], pa.string()),
        (["1.50", "2.5"], pa.string()),
        (["9223372036854775808"], pa.decimal128(19, 0)),
        (["9" * 39], pa.string()),
        (["NaN", "1"], pa.float64()),
        (["-0"], pa.float64()),
        (["1", ""], pa.string()),
        ([None, None], pa.string()),
    ],
)
def test_a_variable_is_stored_as_numbers_only_if_its_texts_come_back(
    tmp_path: Path, texts: list[str | None], type_: pa.DataType
) -> None:
    write_parquet(tmp_path / "a.parquet", described({"V1": texts}))
    assert pq.read_schema(tmp_path / "a.parquet").field("V1").type == type_
    assert [t for batch in read_parquet(tmp_path / "a.parquet").batches() for t in batch["V1"]] == texts


def test_a_number_that_is_stored_as_text_is_said_so(tmp_path: Path) -> None:
    infos = (VariableInfo("V1", "integer", 0), VariableInfo("V2", "integer", 0), VariableInfo("V3", "integer", 0))
    columns = {"V1": ["1", "02"], "V2": ["1", ""], "V3": ["1", "2"]}
    notes = write_parquet(tmp_path / "a.parquet", RowSource(infos, lambda: iter([columns]))).notes
    assert notes == (
        "V1: stored as text, because some of its texts cannot be restored from a number",
        "V2: stored as text, because an empty text cannot be restored from a number",
    )


def test_empty_texts_may_be_missing_values_on_request(tmp_path: Path) -> None:
    rows = described({"V1": ["1", "", None]})
    summary = write_parquet(tmp_path / "a.parquet", rows, empty_is_missing=True)
    assert pq.read_table(tmp_path / "a.parquet")["V1"].to_pylist() == [1, None, None]
    assert summary.notes == ("V1: 1 empty values are written as null, like absent ones",)


def test_labels_measures_and_missing_codes_travel_with_the_columns(tmp_path: Path) -> None:
    infos = (VariableInfo("Total_x0020_income", "integer", 0, "scale", "Income, €", ("-9", "-8")),)
    columns = {"Total_x0020_income": ["1", "-9"]}
    write_parquet(tmp_path / "a.parquet", RowSource(infos, lambda: iter([columns])))
    assert pq.read_schema(tmp_path / "a.parquet").names == ["Total income"]
    assert read_parquet(tmp_path / "a.parquet").infos == infos


@pytest.mark.parametrize("note", [b"", b"{", b"[]", b'{"type": "money"}', b'{"type":"text","decimals":"2"}'])
def test_a_foreign_note_on_a_column_is_ignored(tmp_path: Path, note: bytes) -> None:
    schema = pa.schema([pa.field("V1", pa.int64(), metadata={b"constraint_sdc": note})])
    pq.write_table(pa.table({"V1": [1]}, schema=schema), tmp_path / "a.parquet")
    assert read_parquet(tmp_path / "a.parquet").infos == (VariableInfo("V1", "integer", 0),)


OURS = {"type": "decimal", "decimals": 2, "measure": "scale", "label": "Income", "missing": ["-9"]}


@pytest.mark.parametrize(
    "stated", [{}, {"decimals": 0}, {"decimals": None}, {"measure": None}, {"label": None}, {"missing": []}], ids=str
)
def test_a_note_of_ours_describes_its_column(stated: dict[str, object]) -> None:
    note = {**OURS, **stated}
    info = info_from_json("V1", json.dumps(note).encode())
    assert info is not None
    assert json.loads(info_json(info)) == note


@pytest.mark.parametrize(
    "stated",
    [{"type": "money"}, {"decimals": "2"}, {"decimals": -1}, {"measure": "gauge"}, {"label": 7}, {"missing": [-9]}],
    ids=str,
)
def test_a_note_with_one_thing_that_we_never_write_is_not_ours(stated: dict[str, object]) -> None:
    assert info_from_json("V1", json.dumps({**OURS, **stated}).encode()) is None


@pytest.mark.parametrize(
    ("array", "texts"),
    [
        (pa.array([1, None], pa.uint64()), ["1", None]),
        (pa.array([2**64 - 1], pa.uint64()), ["18446744073709551615"]),
        (pa.array([0.1], pa.float32()), ["0.1"]),
        (pa.array([1e-05, 1e22, -0.0, 5.0]), ["0.00001", "10000000000000000000000", "-0", "5"]),
        (pa.array([float("nan"), float("-inf")]), ["NaN", "-INF"]),
        (pa.array([Decimal("1.50"), Decimal("0.00")], pa.decimal128(9, 2)), ["1.50", "0.00"]),
        (pa.array([Decimal("0.00000001")], pa.decimal128(9, 8)), ["0.00000001"]),
        (pa.array([True, False, None]), ["true", "false", None]),
        (pa.array([dt.date(2020, 2, 29), None], pa.date32()), ["2020-02-29", None]),
        (pa.array([dt.date(2020, 2, 29)], pa.date64()), ["2020-02-29"]),
        (pa.array([dt.time(1, 2, 3)], pa.time32("s")), ["01:02:03"]),
        (pa.array([dt.datetime(2020, 1, 2, 3, 4, 5)], pa.timestamp("s")), ["2020-01-02T03:04:05"]),
        (pa.array([1], pa.timestamp("ns")), ["1970-01-01T00:00:00.000000001"]),
        (pa.array([0], pa.timestamp("us", "Europe/Madrid")), ["1970-01-01T00:00:00Z"]),
        (pa.array(["a", None, "a"]).dictionary_encode(), ["a", None, "a"]),
        (pa.array(["a"], pa.large_string()), ["a"]),
        (pa.array([None, None], pa.null()), [None, None]),
    ],
)
def test_every_value_has_one_text(tmp_path: Path, array: pa.Array, texts: list[str | None]) -> None:
    pq.write_table(pa.table({"V1": array}), tmp_path / "a.parquet")
    assert [t for batch in read_parquet(tmp_path / "a.parquet").batches() for t in batch["V1"]] == texts


@pytest.mark.parametrize(
    "array", [pa.array([[1]]), pa.array([{"a": 1}]), pa.array([b"x"]), pa.array([1], pa.duration("s"))]
)
def test_a_column_without_text_is_refused_by_name(tmp_path: Path, array: pa.Array) -> None:
    pq.write_table(pa.table({"V1": array}), tmp_path / "a.parquet")
    with pytest.raises(DataError, match="column 'V1' is of type"):
        read_parquet(tmp_path / "a.parquet")


def test_a_file_that_is_not_parquet_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"V1,V2\n1,2\n")
    with pytest.raises(DataError, match="is not a Parquet file"):
        read_parquet(tmp_path / "a.parquet")
    with pytest.raises(DataError, match="no such file"):
        read_parquet(tmp_path / "none.parquet")


def test_a_failing_source_leaves_no_file(tmp_path: Path) -> None:
    calls = []

    def batches() -> Any:
        yield {"V1": ["1"]}
        calls.append(1)
        if len(calls) == 2:
            raise DataError("the source broke")

    with pytest.raises(DataError, match="the source broke"):
        write_parquet(tmp_path / "a.parquet", RowSource((VariableInfo("V1", "integer", 0),), batches))
    assert list(tmp_path.iterdir()) == []
