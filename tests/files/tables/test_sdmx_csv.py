"""SDMX-CSV: recognised by its first columns, named by the ids of its components, `NaN` observed is no value."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.errors import DataError
from constraint_sdc.evidence.structure import SAFE, structural_columns
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.tables.registry import table_format
from constraint_sdc.files.tables.standard import standard_of
from constraint_sdc.files.tables.table_format import TableChange
from constraint_sdc.settings.table_reading import TableReading
from tests.sdmx_messages import NAMES, csv_1, csv_2, rows


def _file(folder: Path, content: str) -> Path:
    path = folder / "data.csv"
    path.write_text(content, newline="")
    return path


@pytest.mark.parametrize("has_labels", [False, True])
def test_version_1_has_the_names_of_its_components(has_labels: bool, tmp_path: Path) -> None:
    path = _file(tmp_path, csv_1(rows(), has_labels=has_labels))
    assert standard_of(path) == "SDMX-CSV 1.0"
    assert tuple(read_dataset(path).table.columns) == ("DATAFLOW", *NAMES)


def test_version_2_may_name_a_sign_after_its_first_header(tmp_path: Path) -> None:
    path = _file(tmp_path, csv_2(rows()).replace("STRUCTURE;", "STRUCTURE[|];", 1))
    assert standard_of(path) == "SDMX-CSV 2.0"
    names = tuple(read_dataset(path).table.columns)
    assert names == ("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION", *NAMES)


@pytest.mark.parametrize("content", ["a: b,c: d\n1,2\n", "STRUCTURE,Wages: net\na,2\n", "FREQ,DATAFLOW\nA,b\n"])
def test_other_files_keep_their_headers(content: str, tmp_path: Path) -> None:
    path = _file(tmp_path, content)
    assert standard_of(path) is None
    headers = content.splitlines()[0].split(",")
    assert [
        name.replace("_x003A_", ":").replace("_x0020_", " ") for name in read_dataset(path).table.columns
    ] == headers


def test_two_labels_of_one_component_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two columns have the header 'FREQ'"):
        read_dataset(_file(tmp_path, "DATAFLOW,FREQ: One,FREQ: Two\nA:B(1.0),A,A\n"))


_SPOILT = {
    "another structure": (
        "STAT:FIRMS(1.0);Firms;I;A;AT;F000;2021",
        "STAT:OTHER(1.0);Firms;I;A;AT;F000;2021",
        "STRUCTURE_ID",
    ),
    "a record to delete": (";I;A;AT;F000;2020", ";D;A;AT;F000;2020", "ACTION"),
    "no action": (";I;A;AT;F000;2020", ";;A;AT;F000;2020", "ACTION"),
}


@pytest.mark.parametrize("case", _SPOILT)
def test_columns_of_the_structure_are_safe_if_all_records_have_the_same(case: str, tmp_path: Path) -> None:
    table = read_dataset(_file(tmp_path, csv_2(rows()))).table
    assert {name: reason.code for name, reason in structural_columns(table).items()} == dict.fromkeys(
        ("STRUCTURE", "STRUCTURE_ID", "STRUCTURE_NAME", "ACTION"), SAFE
    )
    before, after, name = _SPOILT[case]
    content = csv_2(rows())
    assert before in content
    spoilt = structural_columns(read_dataset(_file(tmp_path, content.replace(before, after, 1))).table)
    assert {one for one, reason in spoilt.items() if reason.code != SAFE} == {name}


@pytest.mark.parametrize(("action", "code"), [("M", SAFE), ("Replace", SAFE), ("D", "structure-unknown")])
def test_only_an_action_that_brings_observations_is_safe(action: str, code: str, tmp_path: Path) -> None:
    table = read_dataset(_file(tmp_path, csv_2(rows(), action))).table
    assert structural_columns(table)["ACTION"].code == code


def test_a_dataflow_that_is_no_reference_is_not_decided(tmp_path: Path) -> None:
    content = csv_1(rows()).replace("STAT:FIRMS(1.0)", "Anna B")
    assert structural_columns(read_dataset(_file(tmp_path, content)).table)["DATAFLOW"].code == "structure-unknown"


def test_an_observed_value_that_is_nan_is_no_value_and_stays(tmp_path: Path) -> None:
    path, target = _file(tmp_path, csv_1(rows()).replace(",700,700,", ",NaN,700,")), tmp_path / "masked.csv"
    column = read_dataset(path).table.columns["OBS_VALUE"]
    assert [text is None for text in column.texts()] == [True, *(False for _ in rows()[1:])]
    known = table_format(path)
    assert known is not None
    new = [None, *("7" for _ in rows()[1:])]
    known.write_masked(path, target, TableChange({"OBS_VALUE": column_of("OBS_VALUE", new)}), TableReading())
    cells = [line.split(",")[5] for line in target.read_text().splitlines()]
    assert cells == ["OBS_VALUE", "NaN", *("7" for _ in rows()[1:])]
    column = column_of("OBS_VALUE", ["8" for _ in rows()])
    known.write_masked(path, target, TableChange({"OBS_VALUE": column}), TableReading())
    assert {line.split(",")[5] for line in target.read_text().splitlines()} == {"OBS_VALUE", "8"}
