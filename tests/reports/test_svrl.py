from __future__ import annotations

from dataclasses import replace

from lxml import etree

from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.reports.check.render import render

SVRL = "{http://purl.oclc.org/dsdl/svrl}"


def tree(result: CheckResult) -> etree._Element:
    return etree.fromstring(render(result, "svrl").encode())


def names(root: etree._Element) -> list[str]:
    return [child.tag.removeprefix(SVRL) for child in root]


def test_elements_stand_in_the_order_of_the_standard(census: CheckResult) -> None:
    assert names(tree(census)) == [
        "text", "text", "text", "text", "text", "text", "text",
        "active-pattern", "fired-rule", "failed-assert", "failed-assert", "failed-assert",
        "active-pattern", "fired-rule",
        "active-pattern", "fired-rule", "successful-report",
        "active-pattern", "fired-rule", "failed-assert", "failed-assert",
    ]  # fmt: skip


def test_findings_carry_what_the_standard_asks_for(census: CheckResult) -> None:
    found = tree(census).find(f"{SVRL}failed-assert")
    assert found is not None
    assert dict(found.attrib) == {
        "id": "total",
        "location": "/Records/Record[17]",
        "role": "error",
        "test": "number(V9) + number(V10) = number(V14)",
    }
    assert found.findtext(f"{SVRL}text") == "V9 + V10 is [V14], not V14"


def test_what_is_left_out_is_said_at_the_top(census: CheckResult) -> None:
    texts = [text.text for text in tree(census).findall(f"{SVRL}text")]
    assert texts[0] is not None
    assert texts[0].startswith("FAIL: 3 of 5 rules broken")
    assert "total: 3 of 42 violations listed" in texts
    assert texts[1] == (
        "total: checked 12,000, holds 11,958, broken 42, holds with a missing value 0, broken with a missing value 0"
    )


def test_a_rule_that_could_not_be_evaluated_is_no_pass(invoice: CheckResult) -> None:
    stopped = tree(invoice).xpath("//*[@flag='not-evaluated']")
    assert [(found.get("id"), found.get("location")) for found in stopped] == [("year", "/")]
    assert "FORG0001" in (stopped[0].findtext(f"{SVRL}text") or "")


def test_the_phase_is_written_when_it_is_a_name(census: CheckResult) -> None:
    assert tree(census).get("phase") is None
    assert tree(replace(census, phase="fast")).get("phase") == "fast"


def test_an_id_that_is_no_xml_name_is_left_out(census: CheckResult) -> None:
    odd = replace(census, results=(replace(census.results[0], rule="rule 1"),))
    assert "id" not in tree(odd).find(f"{SVRL}failed-assert").attrib  # type: ignore[union-attr]


def test_diagnostics_come_before_the_text(census: CheckResult) -> None:
    rule = census.results[2]
    violation = replace(rule.violations[0], diagnostics=(("hint", "lease was 0"),))
    told = replace(census, results=(replace(rule, violations=(violation,)),), shows_values=True)
    found = tree(told).find(f"{SVRL}successful-report")
    assert found is not None
    assert names(found) == ["diagnostic-reference", "text"]
    assert found[0].get("diagnostic") == "hint"


def test_there_is_always_an_active_pattern(census: CheckResult) -> None:
    assert "active-pattern" in names(tree(replace(census, results=())))
