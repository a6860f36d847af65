from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render
from constraint_sdc.settings.reason import because


def annotations(result: CheckResult) -> list[str]:
    return [line for line in render(result, "github").splitlines() if line.startswith("::")]


def test_one_annotation_for_each_broken_rule_with_the_level_of_its_severity(census: CheckResult) -> None:
    first, second, third = annotations(census)
    assert first == (
        "::error file=data/census.xml,line=19,title=total%3A 42 of 12%2C000 checks broken::"
        "record 17 (key P-00017): V9 + V10 is [V14], not V14%0Arecord 1,204 (key P-01204)%0Arecord 9,981 (key P-09981)"
    )
    assert second.startswith("::error file=data/census.xml,line=19,title=tenure%3A")
    assert third.startswith("::warning file=data/census.xml,line=7,title=late%3A")


def test_the_summary_follows_in_plain_lines(census: CheckResult) -> None:
    lines = [line for line in render(census, "github").splitlines() if not line.startswith("::")]
    assert lines[0].startswith("FAIL: 3 of 5 rules broken")
    assert [line.split()[0] for line in lines[1:]] == ["FAIL", "pass", "FAIL", "warn", "not"]


def test_a_rule_that_could_not_be_evaluated_comes_first(invoice: CheckResult) -> None:
    assert annotations(invoice)[0].startswith("::error file=invoice.xml,title=year%3A XPath stopped on 2::FORG0001")


def test_no_more_than_ten_annotations_worst_first_and_the_rest_in_one(census: CheckResult) -> None:
    late, total = census.results[3], census.results[0]
    many = [replace(late, rule=f"late-{n}") for n in range(12)] + [replace(total, rule=f"total-{n}") for n in range(3)]
    lines = annotations(replace(census, results=tuple(many)))
    assert len(lines) == 10
    assert [line.split()[0] for line in lines] == ["::error"] * 3 + ["::warning"] * 7
    assert "title=6 more rules are broken::late-6, late-7, late-8, late-9, late-10, late-11" in lines[-1]


def test_ten_broken_rules_need_no_summing_up(census: CheckResult) -> None:
    ten = tuple(replace(census.results[0], rule=f"total-{n}") for n in range(10))
    lines = annotations(replace(census, results=ten))
    assert len(lines) == 10
    assert "title=total-9" in lines[-1]


def test_nothing_from_data_or_rules_ends_or_starts_a_command(census: CheckResult) -> None:
    rule = census.results[2]
    lure = replace(rule.violations[0], key="1,line=2::x", summary="100%\n::error::forged\r\n##[error]forged")
    hostile = replace(
        census,
        data="a,b:c%.xml",
        results=(replace(rule, rule="::warning::id", violations=(lure,)),),
        notes=(
            because("certificate-differs", quotes={"how": "::error::note"}),
            because("certificate-differs", quotes={"how": "##[error]note"}),
        ),
    )
    lines = render(hostile, "github").splitlines()
    assert sum(line.lstrip().startswith("::") for line in lines) == 1
    assert not any("##[" in line for line in lines if not line.startswith("::"))
    command, message = lines[0].removeprefix("::").split("::", 1)
    properties = dict(part.split("=", 1) for part in command.split(" ", 1)[1].split(","))
    assert unquote(properties["file"]) == "a,b:c%.xml"
    assert unquote(message).startswith("record 17 (key 1,line=2::x): 100% ::error::forged")
