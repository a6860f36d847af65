"""An intruder's own file on the command line: who its records are, what it may hold, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from constraint_sdc import limits
from constraint_sdc.files.json_file import shipped_file
from tests.cli.conftest import Run

SCHEMA = json.loads(shipped_file("schemas", "attack.schema.json").read_text("utf-8"))
PEOPLE = [
    ("a1", "10", "200.0", "03", "low"),
    ("a2", "20", "100.0", "03", "high"),
    ("a3", "30", "900.0", "17", "low"),
    ("a4", "40", "500.0", "17", "high"),
    ("a5", "50", "700.0", "22", "high"),
]
ONE = ("Id;Age", [("a1", "1")])
ROWS = ("--intruder", "own.csv", "--truth-rows")
KEY = ("--intruder", "own.csv", "--truth-key", "Id")


def csv(path: str, head: str, rows: list[tuple[str, ...]]) -> None:
    Path(path).write_text("\n".join([head, *(";".join(row) for row in rows)]) + "\n", "utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release without its key in which every value is almost as it was."""
    monkeypatch.chdir(tmp_path)
    csv("people.csv", "Id;Age;Pay;Town;Level", PEOPLE)
    csv("masked.csv", "Age;Pay;Town;Level", [(f"{age}.4", pay, town, level) for _, age, pay, town, level in PEOPLE])


def found(run: Run, *arguments: str) -> dict[str, float | None]:
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *arguments, "--json")
    assert ran.code == 0, ran.err
    content = json.loads(ran.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(content)
    return {name: figure["value"] for name, figure in content["figures"].items()}


def test_some_records_some_variables_and_a_stranger_by_key(run: Run) -> None:
    csv("own.csv", "Id;Age;Phone", [("a4", "41", "1"), ("a1", "9", "2"), ("zz", "31", "3")])
    figures = found(run, *KEY)
    assert figures["records"] == 3
    assert figures["present"] == 2
    assert figures["linked"] == pytest.approx(200 / 3)
    assert figures["found"] == 100
    assert figures["false"] == 1


def test_the_same_truth_by_record_numbers(run: Run) -> None:
    csv("own.csv", "Id;Age", [("a4", "41"), ("a1", "9"), ("zz", "31")])
    by_key = found(run, *KEY)
    csv("own.csv", "Age", [("41",), ("9",), ("31",)])
    assert found(run, *ROWS, "4,1,0") == by_key


def test_record_numbers_may_be_ranges(run: Run) -> None:
    csv("own.csv", "Age", [("20",), ("30",), ("40",), ("10",)])
    assert found(run, *ROWS, "2..4,1")["linked"] == 100


def test_other_notations_are_the_same_values(run: Run) -> None:
    csv("own.csv", "Id;Age;Pay;Town", [("a3", "+030", "9E2", "17.0"), ("a2", "20.00", "0100", "3")])
    plain = [("a3", "30", "900.0", "17"), ("a2", "20", "100.0", "03")]
    figures = found(run, *KEY)
    csv("own.csv", "Id;Age;Pay;Town", plain)
    assert figures == found(run, *KEY)
    assert figures["sure"] == 100


def test_categories_that_nobody_has_and_values_that_the_intruder_lacks(run: Run) -> None:
    csv("own.csv", "Id;Level;Town", [("a1", "low", ""), ("a2", "none", "03"), ("a3", "", "")])
    figures = found(run, *KEY)
    assert figures["not-linked"] == 1
    assert figures["right"] == pytest.approx(1 / 2 + 1 / 2)  # two are low; two live in 03


def test_an_order_of_the_recipe_places_values(run: Run) -> None:
    Path("recipe.yml").write_text("variables: {Level: {type: ordinal, order: [low, high]}}\n", "utf-8")
    csv("own.csv", "Id;Level", [("a1", "low"), ("a2", "high")])
    assert found(run, *KEY, "--recipe", "recipe.yml")["right"] == pytest.approx(1 / 2 + 1 / 3)
    csv("own.csv", "Id;Level", [("a1", "middle")])
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *KEY, "--recipe", "recipe.yml")
    assert ran.code == 2
    assert "the place of Level of record 1 in the order is not known" in ran.err


def test_known_says_which_variables_of_the_file_count(run: Run) -> None:
    csv("own.csv", "Id;Age;Pay", [("a1", "10", "900.0"), ("a3", "30", "200.0")])
    assert found(run, *KEY, "--known", "Age,Town")["linked"] == 100
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *KEY, "--known", "Age,Town")
    assert "Known variables that the intruder's file does not have: Town." in ran.out


def test_assess_takes_the_file_too_and_without_it_the_attack_is_absent(run: Run) -> None:
    csv("own.csv", "Id;Age", [("a4", "41"), ("zz", "31")])
    with_file = json.loads(run("assess", "people.csv", "masked.csv", *KEY, "--json").out)
    assert with_file["attacks"][-1]["measure"] == "intruder-linkage"
    assert with_file["attacks"][-1]["figures"]["linked"]["value"] == 50
    without = json.loads(run("assess", "people.csv", "masked.csv", "--json").out)
    assert "intruder-linkage" not in [one["measure"] for one in without["attacks"]]


def test_a_key_that_is_in_the_release_is_said_and_does_not_link(run: Run) -> None:
    csv("masked.csv", "Id;Age;Pay;Town;Level", PEOPLE)
    csv("own.csv", "Id;Level", [("a1", "low")])
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *KEY)
    assert "an intruder who has it needs no linkage" in " ".join(ran.out.split())
    assert found(run, *KEY)["linked"] == 50


@pytest.mark.parametrize(
    ("own", "arguments", "said"),
    [
        (ONE, ("--intruder", "own.csv"), "nothing tells who"),
        (ONE, (*KEY, "--truth-rows", "1"), "two truths"),
        (ONE, (*ROWS, "1,2"), "given: 2, records of the file: 1"),
        (ONE, (*ROWS, "6"), "no record 6"),
        (ONE, (*ROWS, "x"), "neither a record number"),
        (ONE, (*ROWS, "1..99999999999"), "more than 10,000,000 record numbers"),
        (ONE, (*ROWS, "9" * 5000), "neither a record number"),
        (("Id;Age", [("A1", "1")]), KEY, "no Id of the file is in the original"),
        (("Id;Age", [("", "1")]), KEY, "record 1 has no Id"),
        (("Age", [("1",)]), KEY, "has no variable Id"),
        (("Id;Age", [("a1", "1,5")]), KEY, "Age of record 1 is not a number"),
        (("Id;Phone", [("a1", "1")]), KEY, "no variable to link by"),
        (("Id;Age", []), KEY, "has no record"),
        (("Id;Town", [("a1", "03")]), (*KEY[:3], "Town"), "does not tell the originals apart"),
        (ONE, (), "no file of an intruder"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(
    run: Run, own: tuple[str, list[tuple[str, ...]]], arguments: tuple[str, ...], said: str
) -> None:
    csv("own.csv", *own)
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *arguments)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("numbers", ["1..3,2..4", "1..6", "1,1,1,1,1,1", "1..5,0"])
def test_record_numbers_are_bounded_in_sum(run: Run, monkeypatch: pytest.MonkeyPatch, numbers: str) -> None:
    monkeypatch.setattr(limits, "RECORD_NUMBERS", 5)
    csv("own.csv", "Age", [("20",)] * 5)
    ran = run("attack", "intruder-linkage", "people.csv", "masked.csv", *ROWS, numbers)
    assert ran.code == 2
    assert "more than 5 record numbers" in " ".join(ran.err.split())
    assert found(run, *ROWS, "1..3,2..3")["records"] == 5, "as many as the limit are taken"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*KEY, "--attacks", "transparency"), "--intruder has no meaning here"),
        ((*KEY, "--attacks", "none"), "--intruder has no meaning here"),
        (("--truth-key", "Id"), "--truth-key has no meaning here"),
        (("--attacks", "intruder-linkage"), "needs the file of an intruder"),
        ((*KEY, "--report", "own.csv"), "own.csv"),
    ],
)
def test_an_assessment_refuses_options_without_effect(run: Run, arguments: tuple[str, ...], said: str) -> None:
    csv("own.csv", "Id;Age", [("a4", "41")])
    ran = run("assess", "people.csv", "masked.csv", *arguments)
    assert ran.code == 2
    assert said in ran.err
