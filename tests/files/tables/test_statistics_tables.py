"""SPSS and Stata files as tables: nothing but masked cells changes, also by the eyes of another reader."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.errors import DataError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.files.tables.table_format import TableChange, TableFormat
from constraint_sdc.settings.table_reading import TableReading

READING = TableReading()
TEXTS: dict[str, list[str | None]] = {
    "num": ["1.5", "2", None],
    "code": ["1", "-9", "3"],
    "Long_name_of_it": ["a", None, "éx"],
    "day": ["2020-02-29", None, "1900-01-01"],
    "whenever": ["2020-01-01T10:00:00.500000", None, "1999-01-01T00:00:00"],
    "lng": ["x" * 300, "y", None],
    "last": ["123456", "0.1", "-7"],
}
FILES = ["plain.sav", "rows.sav", "zip.zsav", "v10.dta", "v12.dta", "v13.dta", "v14.dta", "v15.dta"]


def example() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "num": [1.5, 2, np.nan],
            "code": [1.0, -9.0, 3.0],
            "Long_name_of_it": ["a", "", "éx"],
            "day": [dt.date(2020, 2, 29), None, dt.date(1900, 1, 1)],
            "whenever": [dt.datetime(2020, 1, 1, 10, 0, 0, 500000), None, dt.datetime(1999, 1, 1)],
            "lng": ["x" * 300, "y", ""],
            "last": [123456, 0.1, -7.0],
        }
    )


def written(folder: Path, name: str) -> Path:
    path = folder / name
    labels = {"num": "Hours", "code": "Sex", "last": "Income"}
    values = {"code": {1: "male", 3: "other"}}
    if path.suffix == ".dta":
        version = int(path.stem[1:])
        frame = example()
        frame = frame.drop(columns="lng") if version < 13 else frame
        if version < 14:
            frame["Long_name_of_it"] = ["a", "", "ex"]
        pyreadstat.write_dta(
            frame, path, file_label="A file", column_labels=labels, variable_value_labels=values, version=version
        )
    else:
        options: dict[str, Any] = {"missing_ranges": {"code": [-9]}, "note": "a note", "file_label": "A file"}
        options |= {"compress": path.suffix == ".zsav", "row_compress": path.stem == "rows"}
        texts = {**values, "Long_name_of_it": {"a": "A"}, "lng": {"y": "Y"}}
        measure = {"num": "scale", "code": "nominal"}
        pyreadstat.write_sav(
            example(), path, column_labels=labels, variable_value_labels=texts, variable_measure=measure, **options
        )
    return path


def format_of(path: Path) -> TableFormat:
    known = table_format(path)
    assert known is not None
    return known


def read(path: Path) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    values, meta = (pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav)(
        path, user_missing=True, output_format="dict"
    )
    said = ("column_names_to_labels", "variable_value_labels", "missing_ranges", "variable_measure", "file_label")
    more = (
        "original_variable_types",
        "readstat_variable_types",
        "variable_display_width",
        "notes",
        "variable_to_label",
    )
    return values, {name: getattr(meta, name) for name in (*said, *more)}


@pytest.fixture(params=FILES)
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return written(tmp_path, request.param)


def test_every_value_has_one_text_and_a_row_its_number(source: Path) -> None:
    dataset = read_dataset(source)
    assert dataset.lines.tolist() == [1, 2, 3]
    found = {name: column.texts() for name, column in dataset.table.columns.items()}
    expected = {name: TEXTS[name] for name in found}
    if source.stem in ("v10", "v12", "v13"):
        expected["Long_name_of_it"] = ["a", None, "ex"]
    assert found == expected
    paths = [one.path for one in dataset.surroundings.found]
    assert "/Microdata/FileMetadata/label" in paths
    assert ("/Microdata/FileMetadata/documents" in paths) == (source.suffix != ".dta")


def test_a_file_in_which_nothing_is_masked_is_the_same_bytes(source: Path) -> None:
    target = source.with_name(f"copy{source.suffix}")
    copied = format_of(source).write_masked(source, target, TableChange({}), READING)
    assert target.read_bytes() == source.read_bytes()
    assert format_of(target).skeleton(target, TableChange({}), READING) == copied


def test_masked_cells_change_and_nothing_else(source: Path) -> None:
    target = source.with_name(f"masked{source.suffix}")
    known = format_of(source)
    new: dict[str, list[str | None]] = {
        "num": ["2.50", None, "3"],
        "Long_name_of_it": ["b", "a", None],
        "day": ["2021-01-01", "2021-01-01", None],
        "whenever": [None, "2000-01-01T00:00:01.250000", "1999-01-01T00:00:00"],
    }
    change = TableChange({name: column_of(name, texts) for name, texts in new.items()})
    change = known.spelled(source, change, READING)
    assert change.columns["num"].texts() == ["2.5", None, "3"]
    copied = known.write_masked(source, target, change, READING)
    found = read_dataset(target).table.columns
    assert {name: found[name].texts() for name in new} == {**new, "num": ["2.5", None, "3"]}
    before, after = read(source), read(target)
    assert after[1] == before[1]
    assert {n: v for n, v in after[0].items() if n not in new} == {n: v for n, v in before[0].items() if n not in new}
    assert known.skeleton(target, change, READING).skeleton == copied.skeleton


def test_another_cell_or_label_is_a_lie(source: Path) -> None:
    target = source.with_name(f"masked{source.suffix}")
    known = format_of(source)
    change = TableChange({"num": column_of("num", ["1", "1", "1"])})
    copied = known.write_masked(source, target, change, READING)
    other = TableChange({"num": change.columns["num"], "last": column_of("last", ["1", "2", "3"])})
    known.write_masked(source, target, other, READING)
    assert known.skeleton(target, change, READING).skeleton != copied.skeleton
    target.write_bytes(source.read_bytes().replace(b"Hours", b"House"))
    assert known.skeleton(target, change, READING).skeleton != copied.skeleton


@pytest.mark.parametrize("removed", [["num"], ["code", "Long_name_of_it"], ["lng", "last"]])
def test_removed_variables_and_remarks_are_gone_everywhere(source: Path, removed: list[str]) -> None:
    target = source.with_name(f"masked{source.suffix}")
    known = format_of(source)
    gone = frozenset(("/Microdata/FileMetadata/label", "/Microdata/FileMetadata/documents"))
    change = TableChange({"day": column_of("day", [None, None, "2021-01-01"])}, frozenset(removed), gone)
    copied = known.write_masked(source, target, change, READING)
    before, after = read(source), read(target)
    assert list(after[0]) == [name for name in before[0] if name not in removed]
    assert {n: v for n, v in after[0].items() if n != "day"} == {
        n: v for n, v in before[0].items() if n in after[0] and n != "day"
    }
    assert after[0]["day"] == [None, None, dt.date(2021, 1, 1)]
    for name, said in after[1].items():
        if isinstance(said, dict) and name != "variable_to_label":  # numbered anew by the reader
            assert said == {key: value for key, value in before[1][name].items() if key not in removed}, name
    assert not after[1]["file_label"]
    assert not after[1]["notes"]
    content = target.read_bytes()
    assert not any(name.encode() in content for name in removed)
    assert ("code" in removed) == (b"other" not in content)
    assert known.skeleton(target, change, READING).skeleton == copied.skeleton


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Long_name_of_it", "longer than it"),
        ("Long_name_of_it", "abcd"),
        ("day", "soon"),
        ("num", "1e999"),
        ("num", ".a"),
        ("num", "0.12345678901234567"),
    ],
)
def test_a_value_that_a_variable_cannot_hold_is_refused_with_column_and_row(
    tmp_path: Path, name: str, text: str
) -> None:
    source = written(tmp_path, "plain.sav")
    change = TableChange({name: column_of(name, [None, text, None])})
    with pytest.raises(DataError, match=rf"column '{name}' .*{text} of row 2"):
        format_of(source).spelled(source, change, READING)


def test_stata_types_have_their_own_limits_and_missing_codes(tmp_path: Path) -> None:
    source, target = tmp_path / "types.dta", tmp_path / "masked.dta"
    frame = pd.DataFrame(
        {
            "b": np.array([1, 2, 3], np.int8),
            "i": np.array([1, 2, 3], np.int16),
            "l": np.array([1, 2, 3], np.int32),
            "f": np.array([0.1, 2, 3], np.float32),
            "d": [1.5, 2, 3],
        }
    )
    frame.to_stata(source, write_index=False, version=118)
    known = format_of(source)
    assert read_dataset(source).table.columns["f"].texts() == ["0.1", "2", "3"]
    new = {name: column_of(name, ["100", None, ".b"]) for name in frame}
    known.write_masked(source, target, TableChange(new), READING)
    assert all(column.texts() == ["100", None, ".b"] for column in read_dataset(target).table.columns.values())
    for name, text in (("b", "101"), ("i", "32741"), ("l", "2147483621"), ("f", "0.123456789"), ("b", "1.5")):
        with pytest.raises(DataError, match=rf"column '{name}' .*{text} of row 1"):
            known.spelled(source, TableChange({name: column_of(name, [text, None, None])}), READING)


def test_long_texts_are_kept_or_removed_but_not_masked(tmp_path: Path) -> None:
    source = written(tmp_path, "plain.sav")
    with pytest.raises(DataError, match="'lng' holds long texts"):
        format_of(source).spelled(source, TableChange({"lng": column_of("lng", ["a", "b", None])}), READING)
    long = tmp_path / "long.dta"
    frame = pd.DataFrame({"a": [1.0, 2.0], "t": ["x" * 3000, "y"]})
    frame.to_stata(long, write_index=False, version=118, convert_strl=["t"])
    known, target = format_of(long), tmp_path / "masked.dta"
    known.write_masked(long, target, TableChange({"a": column_of("a", ["5", "5"])}), READING)
    assert read_dataset(target).table.columns["t"].texts() == ["x" * 3000, "y"]
    with pytest.raises(DataError, match="strL"):
        known.write_masked(long, target, TableChange({}, frozenset("a")), READING)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    content = written(tmp_path, "rows.sav").read_bytes()
    (tmp_path / "cut.sav").write_bytes(content[:-40])
    (tmp_path / "text.dta").write_bytes(b"a,b\n1,2\n")
    (tmp_path / "empty.sav").write_bytes(b"")
    for name, what in {
        "cut.sav": "cannot",
        "text.dta": "cannot read",
        "empty.sav": "empty",
        "no.dta": "no such",
    }.items():
        with pytest.raises(DataError, match=what):
            read_dataset(tmp_path / name)
