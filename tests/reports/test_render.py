"""The registry of formats: what must be in it, and that nothing in the folder is forgotten."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import constraint_sdc.reports
from constraint_sdc.errors import UsageError
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import FORMATS, render
from tests.reports.text_of_report import text_of

FOLDER = Path(constraint_sdc.reports.__file__).parent


def test_every_promised_format_is_registered() -> None:
    assert list(FORMATS) == [
        "text",
        "json",
        "svrl",
        "junit",
        "sarif",
        "github",
        "html",
        "csv",
        "csv-rules",
        "csv-records",
        "parquet",
    ]


def test_every_format_file_is_registered() -> None:
    written = {
        line.split("(")[0].removeprefix("def ")
        for path in FOLDER.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if line.startswith("def render_") and "result: CheckResult" in line
    }
    assert written == {found.render.__name__ for found in FORMATS.all()}


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_ends_with_one_line_feed_and_is_reproducible(census: CheckResult, format: str) -> None:
    text = text_of(census, format)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert text == text_of(census, format)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_names_every_broken_rule(census: CheckResult, format: str) -> None:
    text = text_of(census, format)
    assert all(name in text for name in ("total", "tenure", "late"))


@pytest.mark.parametrize("format", FORMATS)
def test_a_check_without_rules_is_reported_as_such(census: CheckResult, format: str) -> None:
    text = text_of(replace(census, results=()), format)
    assert "nothing was checked" in text


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "text"])
def test_colour_concerns_text_alone(census: CheckResult, format: str) -> None:
    assert text_of(census, format, colour=True) == text_of(census, format)


def test_choosing_a_format_does_not_load_heavy_packages() -> None:
    heavy = "{'jinja2', 'lxml', 'numpy', 'pandas', 'saxonche'}"
    code = f"import sys, constraint_sdc.reports.check.render; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_binary_format_has_no_text(census: CheckResult) -> None:
    with pytest.raises(UsageError, match="parquet is binary"):
        render(census, "parquet")
