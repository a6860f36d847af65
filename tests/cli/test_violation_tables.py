"""Violations as tables: rows of a real check in CSV, Parquet and data frames agree with one another."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import constraint_sdc as cs
from constraint_sdc.judge.finding import CheckResult
from tests.cli.conftest import Run
from tests.languages.judged import write_rows

ROWS = [
    {"id": "=1+1", "a": 1, "b": 2, "c": 3},
    {"id": "p2", "a": -1, "b": 2, "c": 3},
    {"id": "p3", "a": None, "b": 2, "c": 3},
    {"id": "p4", "a": -7, "b": 2, "c": -5},
]
RULES = 'sum "Adds up": a + b = c\nsign: a >= 0 @warning\nfilled: a is not missing'


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_rows(tmp_path / "data.xml", ROWS)
    (tmp_path / "rules.txt").write_text(RULES)
    return tmp_path


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_one_row_for_each_violation(run: Run, files: Path) -> None:
    given = ("check", files / "data.xml", "--rules", files / "rules.txt", "--key", "id")
    ran = run(*given, "--format", "csv")
    assert ran.code == 1
    rows = read_csv(ran.out)
    assert [(row["record"], row["key"], row["rule"], row["variables"]) for row in rows] == [
        ("2", "p2", "sum", "a b c"),
        ("2", "p2", "sign", "a"),
        ("4", "p4", "sign", "a"),
        ("3", "p3", "filled", "a"),
    ]
    assert {row["message"] for row in rows} == {"Adds up: a + b = c", "a >= 0", "a is not missing"}
    refused = run(*given, "--format", "parquet")
    assert (refused.code, refused.out) == (2, "")
    assert "give --output FILE" in refused.err
    assert run(*given, "--format", "parquet", "-o", files / "found.parquet").code == 1
    frame = pd.read_parquet(files / "found.parquet")
    assert [(row.record, row.key, row.rule, " ".join(row.variables)) for row in frame.itertuples()] == [
        (int(row["record"]), row["key"], row["rule"], row["variables"]) for row in rows
    ]


def test_summaries_by_rule_and_by_record(run: Run, files: Path) -> None:
    given = ("check", files / "data.xml", "--rules", files / "rules.txt", "--key", "id")
    by_rule = read_csv(run(*given, "--format", "csv-rules").out)
    counts = ("rule", "status", "checked", "broken", "holds", "missing_held", "missing_broken")
    assert [tuple(row[name] for name in counts) for row in by_rule] == [
        ("sum", "fail", "4", "1", "2", "1", "0"),
        ("sign", "fail", "4", "2", "1", "1", "0"),
        ("filled", "fail", "4", "1", "3", "0", "1"),
    ]
    by_record = read_csv(run(*given, "--format", "csv-records").out)
    named = ("record", "key", "violations", "severity", "rules")
    assert [tuple(row[name] for name in named) for row in by_record] == [
        ("2", "p2", "2", "error", "sum sign"),
        ("3", "p3", "1", "error", "filled"),
        ("4", "p4", "1", "warning", "sign"),
    ]


def test_what_is_not_listed_is_counted(run: Run, files: Path) -> None:
    given = ("check", files / "data.xml", "--rules", files / "rules.txt", "--max-examples", "1")
    rows = [row for row in read_csv(run(*given, "--format", "csv").out) if row["finding"] != "violation"]
    assert [(row["rule"], row["finding"], row["message"], row["violations_of_rule"]) for row in rows] == [
        ("sign", "unlisted", "1 violation not listed", "2")
    ]
    rows = read_csv(run(*given, "--format", "csv-records").out)
    assert [(row["record"], row["rules"]) for row in rows] == [("2", "sum sign"), ("3", "filled"), ("", "sign")]


def test_data_frames_have_the_same_rows(files: Path) -> None:
    result = cs.check_file(files / "data.xml", files / "rules.txt", key="id", max_examples=None)
    records, violations = result.to_frame("records"), result.to_frame("violations")
    assert list(records["rules"]) == ["sum, sign", "filled", "sign"]
    assert list(violations["variables"]) == ["a, b, c", "a", "a", "a"]


def test_a_spreadsheet_runs_no_cell(files: Path) -> None:
    result: CheckResult = cs.check_file(files / "data.xml", files / "rules.txt", key="id")
    rule = result.results[0]
    planted = tuple(replace(one, key="=cmd()", location="-1") for one in rule.violations)
    text = cs.render(replace(result, results=(replace(rule, violations=planted),)), "csv")
    assert (read_csv(text)[0]["key"], read_csv(text)[0]["location"]) == ("'=cmd()", "-1")
