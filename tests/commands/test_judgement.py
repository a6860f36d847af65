"""How a masked file was judged: the same bytes and verdicts either way, said in the report and in the certificate."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.commands.certificate.again import Repetition
from constraint_sdc.commands.certificate.mirror import inconsistencies
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.commands.masking import by_cases
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.masked import MaskOptions, MaskResult
from constraint_sdc.reports.masking.mask_result import mask_text
from tests.census_folder import fill_census_folder


def masked(folder: Path, name: str, **asked: Any) -> MaskResult:
    options = MaskOptions(k=5, partition="mdav", undecided="guess", **asked)
    return mask_file(folder / "census.xml", folder / "census.sch", folder / name, options)


def certificate(result: MaskResult) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(result.certificate.read_text("utf-8"))
    return content


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("census")
    fill_census_folder(made)
    return made


@pytest.fixture(scope="module")
def by_case(folder: Path) -> MaskResult:
    return masked(folder, "cases.xml", judge="every-case")


def test_both_ways_publish_the_same_file_and_the_same_verdicts(folder: Path, by_case: MaskResult) -> None:
    by_record = masked(folder, "records.xml")
    assert by_case.output.read_bytes() == by_record.output.read_bytes()
    short, long = certificate(by_case), certificate(by_record)
    assert [name for name in long if name != "output" and short[name] != long[name]] == ["judgement"]
    rules = [rule["rule"] for rule in long["rules"]]
    expected = {"judge": "every-record", "records": 200, "cases": 0, "whole_file": rules, "aggregated": []}
    assert long["judgement"] == expected
    said = short["judgement"]
    assert (said["judge"], said["records"], said["whole_file"]) == ("every-case", 200, [])
    assert 200 // 5 <= said["cases"] < 100


def test_the_report_says_how_many_records_were_judged(by_case: MaskResult) -> None:
    said = " ".join(mask_text(by_case, columns=200).split())
    assert by_case.judgement is not None
    assert f"judged by cases: Saxon judged {by_case.judgement.cases} of 200 records" in said


def test_a_certificate_by_cases_can_be_reproduced(folder: Path, by_case: MaskResult) -> None:
    again = Repetition(folder / "census.xml", folder / "census.sch", by_case.certificate)
    assert list(again(certificate(by_case))) == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"records": 199}, "the output has 200"),
        ({"cases": 201}, "cannot be"),
        ({"cases": 0}, "cannot be"),
        ({"judge": "every-record"}, "every record is certified"),
        ({"whole_file": ["no such rule"]}, "not among those"),
        ({"aggregated": ["EC-LC"], "whole_file": ["EC-LC"]}, "not among those"),
    ],
)
def test_an_account_that_does_not_fit_is_a_contradiction(
    by_case: MaskResult, change: dict[str, Any], says: str
) -> None:
    content = deepcopy(certificate(by_case))
    assert inconsistencies(content) == ()
    content["judgement"] |= change
    assert any(says in line for line in inconsistencies(content))


def test_rules_without_an_account_are_a_contradiction(by_case: MaskResult) -> None:
    content = certificate(by_case) | {"judgement": None}
    assert any("not how they were judged" in line for line in inconsistencies(content))


def test_a_large_file_is_judged_by_cases_unless_the_user_says_otherwise(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_cases, "CASES_FROM", 200)
    large = masked(folder, "large.xml")
    assert large.judgement is not None
    assert large.judgement.judge == "every-case"


def test_another_word_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="judge cannot be 'some'"):
        masked(folder, "none.xml", judge="some")
