"""Found rules in the language of the office: what is written has the verdicts of the Schematron, the rest is named."""

from __future__ import annotations

import random
from pathlib import Path

import pandas as pd
import pytest

import constraint_sdc as cs
from constraint_sdc.cli import main
from tests.in_process import run_in_process

ENDINGS = ("txt", "yml", "sql", "csv", "vtl")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose headers are no XML names, with a product of doubles and a sum that one record breaks."""
    chance = random.Random(6)
    rows = []
    for number in range(200):
        wage, other = chance.randint(100, 9000), chance.randint(0, 900)
        rate = chance.random()
        rows.append(
            {
                "Person": f"p{chance.randint(0, 9999):04}-{number}",
                "Wage (EUR)": wage,
                "Other income": other,
                "Income": wage + other + (number == 30),
                "Kind": chance.choice(("a", "b")),
                "Rate": repr(rate),
                "Due": repr(rate * wage),
            }
        )
    path = tmp_path_factory.mktemp("table") / "table.csv"
    pd.DataFrame(rows).to_csv(path, index=False, sep=";")
    return path


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_has_the_verdicts_of_the_schematron(table: Path, ending: str, tmp_path: Path) -> None:
    target = tmp_path / f"found.{ending}"
    found = cs.discover_rules(table, exceptions=0.01, output=target)
    named = dict(found.unwritten)
    verdict = cs.check_file(table, target)
    assert {one.rule: one.failed for one in verdict.results} == {
        one.id: one.exceptions for one in found.proposals if one.id not in named
    }
    assert "compares records with each other" in named["key-Person"]
    # In double arithmetic the product holds digit for digit, exactly it does not.
    assert "would break it" in named["product-Due"]
    assert ("sum-Income" in named) == (ending == "sql")


def test_text_names_columns_by_their_headers_and_tells_the_support(table: Path, tmp_path: Path) -> None:
    cs.discover_rules(table, exceptions=0.01, output=tmp_path / "found.txt")
    lines = (tmp_path / "found.txt").read_text("utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("sum-Income"))
    assert '"sum; tested on 100 records searched and 100 kept aside, 1 exception (0.50%)"' in line
    assert "`Wage (EUR)` + `Other income` = Income @warning" in line


def test_a_frame_is_written_too(table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table, sep=";")
    found = cs.discover_rules(frame, output=tmp_path / "found.yml")
    assert 'Kind %in% c("a", "b")' in (tmp_path / "found.yml").read_text("utf-8")
    assert found.data == "data frame"
    with pytest.raises(cs.ConstraintSdcError, match="exists"):
        cs.discover_rules(frame, output=tmp_path / "found.yml")


def test_the_command_names_what_it_did_not_write(table: Path, tmp_path: Path) -> None:
    words = ["constraint-sdc", "rules", "discover", str(table), "-o", "found.txt"]
    code, text, _ = run_in_process(main, words, tmp_path)
    assert code == 0
    assert "note: not written: key-Person: no value of Person occurs twice: compares records with each other" in text


@pytest.mark.parametrize(
    ("name", "says"),
    [("found.R", "write .yml"), ("found.json", "JSON Schema cannot say all rules"), ("found.doc", "no rule language")],
)
def test_a_language_that_is_not_written_is_refused_before_the_search(
    table: Path, name: str, says: str, tmp_path: Path
) -> None:
    words = ["constraint-sdc", "rules", "discover", str(table), "-o", name]
    code, text, complaint = run_in_process(main, words, tmp_path)
    assert (code, text) == (2, "")
    assert says in complaint
    assert not (tmp_path / name).exists()
