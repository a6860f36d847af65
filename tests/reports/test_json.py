from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.json_format import render_json
from constraint_sdc.reports.check.render import render

SCHEMA = json.loads(shipped_file("schemas", "check.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_itself_valid() -> None:
    assert jsonschema.validators.validator_for(SCHEMA) is jsonschema.Draft202012Validator
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ["census", "invoice"])
@pytest.mark.parametrize("shows_values", [False, True])
def test_reports_follow_the_schema(name: str, shows_values: bool, request: pytest.FixtureRequest) -> None:
    result: CheckResult = request.getfixturevalue(name)
    VALIDATOR.validate(json.loads(render(replace(result, shows_values=shows_values), "json")))


def test_the_schema_refuses_values_in_a_report_that_claims_to_hide_them(census: CheckResult) -> None:
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(json.loads(render_json(census)))


def test_the_schema_refuses_unknown_keys_everywhere(census: CheckResult) -> None:
    def objects(node: Any) -> Any:
        if isinstance(node, dict):
            yield node
        for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            yield from objects(child)

    report = json.loads(render(census, "json"))
    for found in list(objects(report)):
        found["surprise"] = 1
        with pytest.raises(jsonschema.ValidationError):
            VALIDATOR.validate(report)
        del found["surprise"]


def test_the_report_tells_everything(census: CheckResult) -> None:
    report = json.loads(render(replace(census, shows_values=True), "json"))
    assert list(report)[:6] == ["schema", "schema_version", "tool", "verdict", "exit_code", "reason"]
    assert (report["verdict"], report["exit_code"]) == ("fail", 1)
    assert report["data"] == {"file": "data/census.xml", "records": 12_000, "broken_records": 44}
    assert report["counts"] == {
        "rules": 5, "pass": 1, "fail": 3, "error": 0, "idle": 0, "not_applicable": 1, "violations": 45,
    }  # fmt: skip
    total = report["results"][0]
    assert (total["fired"], total["passed"], total["failed"], total["unlisted_violations"]) == (12_000, 11_958, 42, 39)
    assert total["origin"] == {"file": "rules/census.sch", "line": 14}
    assert total["violations"][0] == {
        "record": 17,
        "key": "P-00017",
        "line": 19,
        "location": "/Records/Record[17]",
        "summary": "V9 + V10 is [V14], not V14",
        "message": "V9 + V10 is 170, not V14",
        "diagnostics": [],
    }
    assert [result["is_gated"] for result in report["results"]] == [True, True, True, False, False]


def test_letters_stay_readable_and_hidden_characters_are_escaped(census: CheckResult) -> None:
    text = render(replace(census, title="Données \x9b31m \u202e"), "json")
    assert '"title": "Données \\u009b31m \\u202e"' in text
