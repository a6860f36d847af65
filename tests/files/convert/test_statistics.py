"""SPSS and Stata to XML and back: values, labels and user-missing codes stay."""

from __future__ import annotations

import builtins
import datetime as dt
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.variable import RowSource, VariableInfo
from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.rows_file import write_rows
from constraint_sdc.files.tables.statistics.statistics_file import read_statistics, write_statistics

INCOME = VariableInfo("V1", "integer", 0, "scale", "Income, €", ("-9", "-8"))
REGION = VariableInfo("V2", "text", None, "nominal", "Region", ("99",))
SHARE = VariableInfo("V3", "decimal", 2, "scale", "Share")


def texts_of(rows: RowSource) -> dict[str, list[str | None]]:
    return {name: [text for batch in rows.batches() for text in batch[name]] for name in rows.names}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.sampled_from(["-9", "-8"]) | st.integers(-(2**53), 2**53).map(str),
            st.none() | st.sampled_from(["99", "007", "Größe", " a", "x&y"]),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_xml_to_spss_to_xml_keeps_texts_labels_and_codes(records: list[tuple[str | None, str | None]]) -> None:
    columns = dict(zip(("V1", "V2"), map(list, zip(*records, strict=True)), strict=True))
    rows = RowSource((INCOME, REGION), lambda: iter([columns]))
    with tempfile.TemporaryDirectory() as folder:
        summary = write_statistics(Path(folder) / "a.sav", rows)
        again = read_statistics(Path(folder) / "a.sav")
        assert texts_of(again) == columns
        assert (summary.records, summary.notes) == (len(records), ())
    for before, after in zip(rows.infos, again.infos, strict=True):
        assert (after.label, after.measure, sorted(after.missing)) == (
            before.label,
            before.measure,
            sorted(before.missing),
        )
    has_numbers = any(text not in (None, "-9", "-8") for text in columns["V1"])
    assert [info.type for info in again.infos] == ["integer" if has_numbers else "text", "text"]


def test_spss_to_xml_keeps_what_spss_says(tmp_path: Path, records_of_xml: Callable[[Path], Any]) -> None:
    frame = pd.DataFrame({"age": [30.0, -9, None, 95], "name": ["x", "", "é", "NA"], "w": [0.1, 1e-05, 3, 4]})
    pyreadstat.write_sav(
        frame,
        tmp_path / "a.sav",
        column_labels={"age": "Age in years"},
        missing_ranges={"age": [{"lo": 90, "hi": 99}, -9], "name": ["NA"]},
        variable_measure={"age": "scale", "name": "nominal"},
        variable_value_labels={"age": {30: "thirty"}},
    )
    rows = read_statistics(tmp_path / "a.sav")
    assert rows.infos == (
        VariableInfo("age", "integer", 0, "scale", "Age in years", ("-9", "90", "95", "99")),
        VariableInfo("name", "text", None, "nominal", None, ("NA",)),
        VariableInfo("w", "decimal", 5, None, None, ()),
    )
    assert rows.notes == ("the labels of single values are not carried over: age",)
    write_rows(tmp_path / "a.xml", rows)
    assert records_of_xml(tmp_path / "a.xml") == [
        {"age": "30", "name": "x", "w": "0.1"},
        {"age": "-9", "w": "0.00001"},
        {"name": "é", "w": "3"},
        {"age": "95", "name": "NA", "w": "4"},
    ]


def test_a_missing_range_goes_back_as_a_range_when_no_value_lies_in_it(tmp_path: Path) -> None:
    info = VariableInfo("V1", "integer", 0, None, None, ("-9", "90", "95", "99"))
    rows = RowSource((info,), lambda: iter([{"V1": ["30", "-9", "95"]}]))
    write_statistics(tmp_path / "a.sav", rows)
    _, meta = pyreadstat.read_sav(tmp_path / "a.sav", user_missing=True)
    assert meta.missing_ranges["V1"] == [{"lo": 90.0, "hi": 99.0}, {"lo": -9.0, "hi": -9.0}]
    assert read_statistics(tmp_path / "a.sav").infos[0].missing == info.missing


def test_an_open_range_lists_the_values_of_the_data(tmp_path: Path) -> None:
    frame = pd.DataFrame({"V1": [1.0, -5, -7]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", missing_ranges={"V1": [{"lo": float("-inf"), "hi": -1}]})
    assert read_statistics(tmp_path / "a.sav").infos[0].missing == ("-7", "-5", "-1")


@pytest.mark.parametrize(
    ("info", "texts"),
    [
        (VariableInfo("V1", "integer", 0, None, None, ("1", "3", "5", "7")), ["2", "4", "6"]),
        (VariableInfo("V1", "text", None, None, None, ("a", "b", "c", "d")), ["x"]),
        (VariableInfo("V1", "text", None, None, None, ("ninebytes",)), ["x"]),
    ],
)
def test_codes_that_spss_cannot_mark_are_refused(tmp_path: Path, info: VariableInfo, texts: list[str]) -> None:
    with pytest.raises(DataError, match=r"V1 has .*missing codes.*SPSS|SPSS"):
        write_statistics(tmp_path / "a.sav", RowSource((info,), lambda: iter([{"V1": texts}])))
    assert list(tmp_path.iterdir()) == []


def test_stata_keeps_labels_and_extended_missing_codes(tmp_path: Path) -> None:
    info = VariableInfo("V1", "integer", 0, None, "Income", (".a", ".b"))
    columns = {"V1": ["1", ".a", None, ".b", "5"]}
    summary = write_statistics(tmp_path / "a.dta", RowSource((info,), lambda: iter([columns])))
    again = read_statistics(tmp_path / "a.dta")
    assert summary.notes == ()
    assert again.infos == (info,)
    assert texts_of(again) == columns


def test_what_stata_cannot_keep_is_said(tmp_path: Path) -> None:
    rows = RowSource((INCOME,), lambda: iter([{"V1": ["1", "-9"]}]))
    assert write_statistics(tmp_path / "a.dta", rows).notes == (
        "V1: Stata does not store the measure",
        "V1: Stata cannot mark its missing codes, which become plain values",
    )


def test_what_spss_cannot_keep_is_said(tmp_path: Path) -> None:
    infos = (
        SHARE,
        VariableInfo("V4", "integer", 0),
        VariableInfo("V5", "text"),
        VariableInfo("V6", "integer", 0, None, None, ("none",)),
    )
    columns = {"V3": ["1.50", "2"], "V4": ["007", "8"], "V5": ["a ", ""], "V6": ["1", ""]}
    assert write_statistics(tmp_path / "a.sav", RowSource(infos, lambda: iter([columns]))).notes == (
        "V3: trailing zeros of a fraction are kept as a display format only",
        "V4: stored as text, because some of its texts are not exact numbers",
        "V5: SPSS does not store trailing blanks of a text",
        "V6: 1 empty values can no longer be distinguished from absent ones",
        "V6: missing codes that are not numbers and do not occur are dropped",
    )
    _, meta = pyreadstat.read_sav(tmp_path / "a.sav")
    assert meta.original_variable_types["V3"] == "F8.2"
    assert texts_of(read_statistics(tmp_path / "a.sav"))["V4"] == ["007", "8"]


@pytest.mark.parametrize("text", ["12345678901234567", "0.12345678901234567890", "1e5", "NaN"])
def test_a_text_that_no_double_equals_is_stored_as_text(tmp_path: Path, text: str) -> None:
    rows = RowSource((VariableInfo("V1", "double"),), lambda: iter([{"V1": ["1", text]}]))
    assert "stored as text" in write_statistics(tmp_path / "a.sav", rows).notes[0]
    assert texts_of(read_statistics(tmp_path / "a.sav")) == {"V1": ["1", text]}


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_dates_and_times_are_iso_texts(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    frame = pd.DataFrame(
        {
            "d": [dt.date(2020, 2, 29), None],
            "t": [dt.datetime(2020, 1, 2, 3, 4, 5), None],
            "h": [dt.time(1, 2, 3), None],
        }
    )
    (pyreadstat.write_sav if suffix == ".sav" else pyreadstat.write_dta)(frame, path)
    rows = read_statistics(path)
    assert texts_of(rows) == {"d": ["2020-02-29", None], "t": ["2020-01-02T03:04:05", None], "h": ["01:02:03", None]}
    assert {info.type for info in rows.infos} == {"text"}


def test_long_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.files.tables.statistics.statistics_file.BATCH", 4)
    for count in (7, 8):
        pyreadstat.write_sav(pd.DataFrame({"V1": range(count)}), tmp_path / "a.sav")
        rows = read_statistics(tmp_path / "a.sav")
        assert [len(batch["V1"]) for batch in rows.batches()] == [4, count - 4]
        assert texts_of(rows)["V1"] == [str(i) for i in range(count)]


@pytest.mark.parametrize("names", [("ALL",), ("_x0032_nd",), ("V1", "v1")])
def test_names_that_spss_cannot_have_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    rows = RowSource(
        tuple(VariableInfo(name, "text") for name in names), lambda: iter([{name: ["1"] for name in names}])
    )
    with pytest.raises(DataError):
        write_statistics(tmp_path / "a.sav", rows)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_a_broken_or_missing_file_is_a_message(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").write_bytes(b"hello")
    for name in (f"a{suffix}", f"none{suffix}"):
        with pytest.raises(DataError, match=r"cannot read|no such file"):
            read_statistics(tmp_path / name)


def test_without_pyreadstat_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "pyreadstat":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'constraint-sdc\[spss\]'"):
        read_statistics(tmp_path / "a.sav")
    with pytest.raises(UsageError, match=r"pip install 'constraint-sdc\[spss\]'"):
        write_statistics(tmp_path / "a.sav", RowSource((), lambda: iter([])))
