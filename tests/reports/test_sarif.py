from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render


def run(result: CheckResult) -> Any:
    log = json.loads(render(result, "sarif"))
    assert log["version"] == "2.1.0"
    (found,) = log["runs"]
    return found


def test_one_result_for_each_broken_rule_and_every_rule_described(census: CheckResult) -> None:
    found = run(census)
    rules = found["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["total", "income-range", "tenure", "late", "institution"]
    assert [result["ruleId"] for result in found["results"]] == ["total", "tenure", "late"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in found["results"])
    assert [result["level"] for result in found["results"]] == ["error", "error", "warning"]
    assert rules[4]["defaultConfiguration"] == {"level": "note"}


def test_a_result_points_at_the_first_example_and_relates_the_others(census: CheckResult) -> None:
    total = run(census)["results"][0]
    (location,) = total["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "data/census.xml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 19},
    }
    assert [place["physicalLocation"]["region"]["startLine"] for place in total["relatedLocations"]] == [1206, 9983]
    assert total["occurrenceCount"] == 42
    assert total["message"]["text"] == (
        "42 of 12,000 checks broken. first at record 17 (key P-00017): V9 + V10 is [V14], not V14"
    )


def test_a_rule_that_could_not_be_evaluated_is_a_result_and_a_failed_run(invoice: CheckResult) -> None:
    found = run(invoice)
    year = found["results"][1]
    assert (year["ruleId"], year["level"]) == ("year", "error")
    assert "occurrenceCount" not in year
    (invocation,) = found["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert "FORG0001" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_the_fingerprint_depends_on_rule_and_file_but_not_on_the_line(census: CheckResult) -> None:
    def prints(result: CheckResult) -> list[str]:
        return [found["partialFingerprints"]["primaryLocationLineHash"] for found in run(result)["results"]]

    total = census.results[0]
    moved = replace(total, violations=tuple(replace(v, line=v.line + 7) for v in total.violations if v.line))
    assert prints(replace(census, results=(moved, *census.results[1:]))) == prints(census)
    assert len(set(prints(census))) == 3
    assert set(prints(replace(census, data="other.xml"))).isdisjoint(prints(census))


def test_paths_below_the_working_directory_become_relative(
    census: CheckResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def artifact(data: str) -> Any:
        located = run(replace(census, data=data))["results"][0]["locations"][0]
        return located["physicalLocation"]["artifactLocation"]

    assert artifact(str(tmp_path / "a b.xml")) == {"uri": "a%20b.xml", "uriBaseId": "%SRCROOT%"}
    assert artifact("/elsewhere/x.xml") == {"uri": "file:///elsewhere/x.xml"}


def test_data_cannot_make_a_link_in_a_message(census: CheckResult) -> None:
    rule = census.results[2]
    lure = replace(rule.violations[0], summary="see [this](http://evil.example)")
    text = run(replace(census, results=(replace(rule, violations=(lure,)),)))["results"][0]["message"]["text"]
    assert "\\[this](" in text
