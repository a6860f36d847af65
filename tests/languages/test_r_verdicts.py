"""Rules of R's validate have the verdicts of R, record by record, missing values included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.languages.judged import failures, write_rows
from tests.languages.r_expectations import FIXTURE, RULES

RECORDED = json.loads(FIXTURE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("r") / "data.xml", RECORDED["data"])


def expected(letters: str, failing: str) -> frozenset[int]:
    if len(letters) == 1:
        return frozenset({0}) if letters in failing else frozenset()
    return frozenset(number for number, letter in enumerate(letters, 1) if letter in failing)


@pytest.mark.parametrize(
    ("na", "failing", "engine"),
    [("NA", "F", "auto"), ("FALSE", "FN", "saxon")],
    ids=["unknown passes", "unknown fails"],
)
def test_verdicts_are_those_of_r(data: Path, tmp_path: Path, na: str, failing: str, engine: str) -> None:
    rules = RECORDED["rules"]
    assert len(rules) == RULES
    file = tmp_path / "rules.R"
    lines = (rule for rule, _ in rules)
    file.write_text(f"---\noptions:\n  na.value: {na}\n---\n" + "\n".join(lines), encoding="utf-8")
    found = failures(data, file, engine=engine)
    wrong = {
        rule: (sorted(ours ^ theirs), letters)
        for (rule, letters), ours in zip(rules, found.values(), strict=True)
        if ours != (theirs := expected(letters, failing))
    }
    assert not wrong


def test_the_record_has_all_three_verdicts() -> None:
    letters = "".join(verdict for _, verdict in RECORDED["rules"])
    assert {letter: letters.count(letter) > 1000 for letter in "TFN"} == dict.fromkeys("TFN", True)
