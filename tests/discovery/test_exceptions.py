"""Rules with exceptions: planted ones are found with their number, as warnings; without the option nothing changes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pandas as pd
import pytest

import constraint_sdc as cs
from constraint_sdc.cli import main
from constraint_sdc.discovery.proposal import ALONE, Discovery
from constraint_sdc.reports.discovered_rules import proposal_label
from tests.discovery.files import noise_rows, planted_rows, write_rows
from tests.in_process import run_in_process

BROKEN = {"Total": (5, 60, 399), "Value": (17,), "Days": (8, 300), "Region": (44, 45, 46), "Old": (99, 200)}

NEGATIVE = (9, 10, 11, 12)


def damaged_rows() -> list[dict[str, str | None]]:
    """The planted rules, each broken by some records: what they were is known."""
    rows = [dict(row) for row in planted_rows(400, 3)]
    for row in BROKEN["Total"]:
        rows[row]["Total"] = "1.00"
    for row in BROKEN["Value"]:
        rows[row]["Value"] = "3"
    for row in BROKEN["Days"]:
        rows[row]["Days"] = "7"
    for row in BROKEN["Region"]:
        rows[row]["Region"] = "A" if rows[row]["Region"] != "A" else "B"
    for row in BROKEN["Old"]:
        rows[row]["Young"], rows[row]["Old"] = "50", "1"
    rows[120]["Id"] = rows[121]["Id"]
    rows[7]["Kind"] = "hut"
    for row in NEGATIVE:
        rows[row]["Rooms"] = "-9"
        rows[row]["Value"] = str(-9 * int(str(rows[row]["Price"])))
    return rows


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("damaged") / "damaged.xml", damaged_rows())


@pytest.fixture(scope="module")
def found(damaged: Path) -> Discovery:
    return cs.discover_rules(damaged, exceptions=0.02)


def counted(found: Discovery) -> dict[str, int]:
    return {proposal_label(one): one.exceptions for one in found.proposals}


@pytest.mark.parametrize(
    ("rule", "exceptions"),
    [
        ("Food + Rent + Other = Total", len(BROKEN["Total"])),
        ("Rooms * Price = Value", len(BROKEN["Value"])),
        ("30 * Months = Days", len(BROKEN["Days"])),
        ("Young <= Old", len(BROKEN["Old"])),
        ("Town decides Region", len(BROKEN["Region"])),
        ("no value of Id occurs twice", 2),
        ("Kind in {'farm', 'flat', 'house'}", 1),
        ("Rooms >= 0", len(NEGATIVE)),
        ("Months is a whole number", 0),
    ],
)
def test_a_planted_rule_is_found_with_its_exceptions(found: Discovery, rule: str, exceptions: int) -> None:
    assert counted(found)[rule] == exceptions


def test_the_judge_counts_the_same_exceptions_and_they_are_warnings(
    damaged: Path, found: Discovery, tmp_path: Path
) -> None:
    rules = tmp_path / "found.sch"
    rules.write_text(found.schema, encoding="utf-8")
    verdict = cs.check_file(damaged, rules, engine="saxon")
    assert {one.rule: one.failed for one in verdict.results} == {one.id: one.exceptions for one in found.proposals}
    assert {one.rule for one in verdict.results if one.severity == "warning"} == {
        one.id for one in found.proposals if one.exceptions
    }
    assert verdict.exit_code == 0
    assert "3 exceptions (0.75%); surprise" in found.schema


def test_a_smaller_share_leaves_rules_with_more_exceptions_out(damaged: Path) -> None:
    rules = counted(cs.discover_rules(damaged, exceptions=0.005))
    assert rules["Rooms * Price = Value"] == 1
    assert "Town decides Region" not in rules


def test_without_the_option_no_rule_has_an_exception(damaged: Path) -> None:
    rules = counted(cs.discover_rules(damaged))
    assert set(rules.values()) == {0}
    assert "Rooms * Price = Value" not in rules


def test_rules_without_exceptions_are_found_with_the_option_too(tmp_path: Path) -> None:
    file = write_rows(tmp_path / "planted.xml", planted_rows(400, 3))
    exact, near = counted(cs.discover_rules(file)), counted(cs.discover_rules(file, exceptions=0.02))
    assert {rule: near.get(rule) for rule in exact} == dict.fromkeys(exact, 0)


@pytest.mark.parametrize("seed", range(3))
def test_noise_gives_no_rule_with_exceptions_between_variables(seed: int, tmp_path: Path) -> None:
    file = write_rows(tmp_path / "noise.xml", noise_rows(300, seed))
    found = cs.discover_rules(file, exceptions=0.05)
    assert [proposal_label(one) for one in found.proposals if one.kind not in ALONE] == []


def test_zeros_that_equal_zeros_are_no_evidence(tmp_path: Path) -> None:
    """A and B are both zero in 97 of 100 records, and never equal otherwise."""
    chance = random.Random(4)
    rows = []
    for number in range(400):
        a = chance.randint(1, 900) if number % 33 == 0 else 0
        rows.append({"A": str(a), "B": str(a and a + chance.randint(1, 50)), "C": str(number)})
    found = cs.discover_rules(write_rows(tmp_path / "zeros.xml", rows), exceptions=0.05)
    assert "A = B" not in counted(found)


def test_a_rule_that_a_permuted_file_satisfies_almost_as_well_is_not_proposed(tmp_path: Path) -> None:
    """B is `no` in 97 of 100 records whatever A is: A decides nothing."""
    chance = random.Random(5)
    rows = [
        {"A": str(chance.randint(10, 80)), "B": "no" if chance.random() < 0.97 else "yes", "C": str(number)}
        for number in range(2000)
    ]
    found = cs.discover_rules(write_rows(tmp_path / "mostly.xml", rows), exceptions=0.05)
    assert [rule for rule in counted(found) if "decides" in rule] == []


def test_the_command_takes_per_cent_and_reports_exceptions(damaged: Path, found: Discovery, tmp_path: Path) -> None:
    words = ["constraint-sdc", "rules", "discover", str(damaged), "--exceptions", "2%", "-o", "found.sch"]
    code, text, _ = run_in_process(main, words, tmp_path)
    assert (code, (tmp_path / "found.sch").read_text("utf-8")) == (0, found.schema)
    assert "searched kept aside exceptions surprise" in " ".join(text.split())
    assert "are written as warnings" in text
    code, text, _ = run_in_process(main, [*words[:4], "--exceptions", "0.02", "--json"], tmp_path)
    assert {one["id"]: one["exceptions"] for one in json.loads(text)["rules"]} == {
        one.id: one.exceptions for one in found.proposals
    }


@pytest.mark.parametrize(
    ("share", "says"), [("11%", "exceptions is 11%"), ("-1%", "exceptions is -1%"), ("few", "is not a share")]
)
def test_a_share_that_cannot_be_is_refused(damaged: Path, share: str, says: str, tmp_path: Path) -> None:
    words = ["constraint-sdc", "rules", "discover", str(damaged), "--exceptions", share]
    code, _, complaint = run_in_process(main, words, tmp_path)
    assert code == 2
    assert says in complaint


def test_a_frame_and_a_table_give_the_rules_of_the_file(found: Discovery, tmp_path: Path) -> None:
    rows = pd.DataFrame(damaged_rows())
    rows.to_csv(tmp_path / "damaged.csv", index=False)
    rows.to_parquet(tmp_path / "damaged.parquet")
    given = {"frame": rows, "csv": tmp_path / "damaged.csv", "parquet": tmp_path / "damaged.parquet"}
    for kind, data in given.items():
        assert counted(cs.discover_rules(data, exceptions=0.02)) == counted(found), kind
    assert cs.discover_rules(rows).data == "data frame"
