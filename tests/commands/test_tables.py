"""Commands on tables: the same verdicts and values as for XML of the same rows, and files that stay as they are."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pyreadstat
import pytest

import constraint_sdc as cs
from constraint_sdc.commands.reproduce import reproduce_file
from constraint_sdc.errors import UsageError
from constraint_sdc.files.dataset import read_dataset
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.files.tables.registry import current_reading, reading_tables
from constraint_sdc.reports.description import render_description_json, render_description_text
from constraint_sdc.settings.table_reading import TableReading

RULES = "income >= 0\ntotal = income + other\nif income > 5000 then age >= 18\n"
RECIPE = """
variables:
  id: {role: identifier, remove: true}
  age: {role: confidential}
  income: {role: confidential}
  other: {role: confidential}
  total: {role: confidential}
  Place_x0020_of_x0020_birth: {role: untouched, keep: a country}
"""
HEADERS = ["id", "age", "income", "other", "total", "Place of birth"]


def rows() -> list[list[str]]:
    found = []
    for i in range(24):
        income, other = 700 + 389 * i % 7000, 53 * i % 400
        found.append([str(i), str(20 + i * 7 % 50), str(income), str(other), str(income + other), "GÖ;T"[i % 3 :]])
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.txt").write_text(RULES)
    (tmp_path / "recipe.yml").write_text(RECIPE)
    with (tmp_path / "data.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator="\r\n").writerows([HEADERS, *rows()])
    return tmp_path


def test_a_table_is_masked_like_its_xml_and_stays_the_file_it_was(folder: Path) -> None:
    data, xml, rules = folder / "data.csv", folder / "data.xml", folder / "rules.txt"
    cs.convert_file(data, xml)
    masked = {}
    for file in (data, xml):
        output = folder / f"masked{file.suffix}"
        result = cs.mask_file(file, rules, output, k=4, partition="mdav", recipe=folder / "recipe.yml")
        masked[file.suffix] = {name: column.texts() for name, column in read_dataset(output).table.columns.items()}
        assert cs.verify_certificate(output, rules, original=file).exit_code == 0
        assert reproduce_file(result.certificate, file, rules).is_same
    assert masked[".csv"] == masked[".xml"]
    content = (folder / "masked.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbfage;income;other;total;Place of birth\r\n")
    assert content.count(b"\r\n") == content.count(b"\n") == 25
    found = list(csv.DictReader(content.decode("utf-8-sig").splitlines(), delimiter=";"))
    assert [row["Place of birth"] for row in found] == [row[-1] for row in rows()]
    assert all(int(row["total"]) == int(row["income"]) + int(row["other"]) for row in found)


def test_a_certificate_states_how_the_table_was_read(folder: Path) -> None:
    rules, output = folder / "rules.txt", folder / "masked.csv"
    (folder / "data.csv").write_bytes((folder / "data.csv").read_bytes().decode("utf-8-sig").encode("cp1252"))
    reading = TableReading(encoding="cp1252")
    options = {"k": 4, "partition": "mdav", "recipe": folder / "recipe.yml"}
    result = cs.mask_file(folder / "data.csv", rules, output, table=reading, **options)
    stated = json.loads(result.certificate.read_text())["options"]["table"]
    assert stated == {"delimiter": ";", "encoding": "cp1252", "empty": "absent", "decimal": "."}
    assert reproduce_file(result.certificate, folder / "data.csv", rules).is_same
    with reading_tables(TableReading(encoding="latin-1")), pytest.raises(UsageError, match="encoding of the table is"):
        cs.verify_certificate(output, rules)
    with reading_tables(reading):
        assert cs.verify_certificate(output, rules).exit_code == 0


@pytest.mark.parametrize("engine", ["auto", "saxon"])
def test_violations_have_the_lines_of_the_csv_file(folder: Path, engine: str) -> None:
    lines = (folder / "data.csv").read_text("utf-8-sig").splitlines()
    lines[7] = '7;19;-5;5;"0";"two\nlines"'
    lines[9] = "9;19;1;1;3;x"
    (folder / "data.csv").write_text("\n".join(lines))
    found = cs.check_file(folder / "data.csv", folder / "rules.txt", engine=engine)  # type: ignore[arg-type]
    places = {(one.rule, v.record, v.line) for one in found.results for v in one.violations}
    assert places == {("rule-1", 7, 8), ("rule-2", 9, 11)}


def test_a_recipe_that_says_how_a_table_is_read_is_followed(folder: Path) -> None:
    (folder / "data.csv").write_bytes((folder / "data.csv").read_bytes().decode("utf-8-sig").encode("cp1252"))
    (folder / "recipe.yml").write_text(RECIPE + "table: {encoding: cp1252, delimiter: ';'}\n")
    plan = cs.plan_file(folder / "data.csv", folder / "rules.txt", k=4, recipe=folder / "recipe.yml")
    assert plan.records == 24


def test_blocks_that_read_tables_may_end_in_any_order() -> None:
    first, second = reading_tables(TableReading(delimiter=";")), reading_tables(TableReading(encoding="cp1252"))
    first.__enter__()
    second.__enter__()
    assert current_reading() == TableReading(";", "cp1252")
    first.__exit__(None, None, None)
    assert current_reading() == TableReading(None, "cp1252")
    second.__exit__(None, None, None)
    assert current_reading() == TableReading()


def test_a_table_is_described_as_a_table(folder: Path) -> None:
    described = cs.describe_file(folder / "data.csv")
    text = render_description_text(described)
    assert text.splitlines()[1] == "CSV, cells separated by semicolons, UTF-8, decimal point, an empty cell is no value"
    assert "\nPlace of birth " in text
    content = json.loads(render_description_json(described))
    schema = json.loads(shipped_file("schemas", "describe.schema.json").read_text("utf-8"))
    jsonschema.validate(content, schema)
    assert content["table"] == {
        "format": "csv",
        "delimiter": ";",
        "encoding": "utf-8",
        "empty": "absent",
        "decimal": ".",
    }
    assert [one["header"] for one in content["variables"]] == HEADERS
    pd.DataFrame({"a b": [1, 2]}).to_parquet(folder / "data.parquet")
    assert render_description_text(cs.describe_file(folder / "data.parquet")).splitlines()[1] == "Parquet"


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_spss_and_stata_files_are_masked_like_csv_and_keep_their_labels(folder: Path, ending: str) -> None:
    frame = pd.DataFrame([[float(one) for one in row[:5]] for row in rows()], columns=HEADERS[:5])
    data, output, rules = folder / f"data.{ending}", folder / f"masked.{ending}", folder / "rules.txt"
    frame.to_csv(folder / "plain.csv", index=False, float_format="%.0f")
    labels: dict[str, Any] = {"column_labels": {"income": "Income in EUR"}, "variable_value_labels": {"age": {20: "x"}}}
    if ending == "dta":
        pyreadstat.write_dta(frame, data, **labels)
    else:
        pyreadstat.write_sav(frame, data, compress=ending == "zsav", **labels)
    recipe = folder / "short.yml"
    recipe.write_text("\n".join(line for line in RECIPE.splitlines() if "Place" not in line))
    options: dict[str, Any] = {"k": 4, "partition": "mdav", "recipe": recipe}
    result = cs.mask_file(data, rules, output, **options)
    cs.mask_file(folder / "plain.csv", rules, folder / "masked.csv", **options)
    found, expected = read_dataset(output).table.columns, read_dataset(folder / "masked.csv").table.columns
    assert {name: column.texts() for name, column in found.items()} == {n: c.texts() for n, c in expected.items()}
    _, meta = (pyreadstat.read_dta if ending == "dta" else pyreadstat.read_sav)(output)
    assert meta.column_names_to_labels["income"] == "Income in EUR"
    assert meta.variable_value_labels == {"age": {20: "x"}}
    assert cs.verify_certificate(output, rules, original=data).exit_code == 0
    assert reproduce_file(result.certificate, data, rules).is_same
    assert cs.check_file(output, rules).exit_code == 0
    assert render_description_text(cs.describe_file(data)).splitlines()[1].startswith(("SPSS", "Stata"))
    assert cs.assess_files(data, output).records == 24
