from __future__ import annotations

from dataclasses import replace

from lxml import etree

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render


def suite(result: CheckResult) -> etree._Element:
    (found,) = etree.fromstring(render(result, "junit").encode())
    return found


def outcomes(result: CheckResult) -> dict[str, list[str]]:
    return {str(case.get("name")): [child.tag for child in case] for case in suite(result).findall("testcase")}


def test_one_test_case_per_rule_with_its_outcome(census: CheckResult) -> None:
    assert outcomes(census) == {
        "total": ["failure"],
        "income-range": ["system-out"],
        "tenure": ["failure"],
        "late": ["system-out"],
        "institution": ["skipped"],
    }


def test_the_gate_decides_what_is_a_failure(census: CheckResult) -> None:
    assert outcomes(replace(census, fail_on="warning"))["late"] == ["failure"]


def test_counts_agree_with_the_cases(census: CheckResult, invoice: CheckResult) -> None:
    counts = ("tests", "failures", "errors", "skipped")
    assert [suite(census).get(name) for name in counts] == ["5", "2", "0", "1"]
    assert [suite(invoice).get(name) for name in counts] == ["2", "1", "1", "0"]


def test_the_pattern_is_the_class(census: CheckResult) -> None:
    assert [case.get("classname") for case in suite(census).findall("testcase")] == [
        "sums", "ranges", "governs", "dates", "dates",
    ]  # fmt: skip


def test_a_failure_lists_its_examples_and_how_many_more(census: CheckResult) -> None:
    failure = suite(census).find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "42 of 12,000 checks broken"
    lines = (failure.text or "").splitlines()
    assert lines[2].startswith("checked 12,000, holds 11,958, broken 42, holds with a missing value 0")
    assert lines[3] == "record 17 (key P-00017), line 19: V9 + V10 is [V14], not V14"
    assert lines[-1] == "... and 39 more"


def test_an_error_carries_the_reason(invoice: CheckResult) -> None:
    error = suite(invoice).find("testcase/error")
    assert error is not None
    assert error.get("message") == "FORG0001: Cannot convert string [hidden] to an integer"


def test_elements_of_the_suite_stand_in_the_usual_order(census: CheckResult) -> None:
    assert [child.tag for child in suite(census)] == ["properties", *["testcase"] * 5, "system-out"]
