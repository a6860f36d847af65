"""The judge proves that it is on: when a part of its stylesheet is broken, there is an error and no verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from constraint_sdc.errors import JudgeError
from constraint_sdc.judge import judge as judge_module
from constraint_sdc.judge.stylesheet.transpile import Stylesheet, make_stylesheet

if TYPE_CHECKING:
    from conftest import Desk

RULES = """<pattern><rule context="V1"><assert id="a" test=". = 1">x</assert></rule>
<rule context="V2"><assert id="b" test="true()">x</assert></rule></pattern>
<group><rule context="V1" visit-each="(1, 2)"><assert id="c" test=". = 1">x</assert></rule>
<rule context="*"><report id="d" test="false()">x</report></rule></group>
<pattern><rule context="@x"><assert id="e" test="true()">x</assert></rule></pattern>"""
DATA = '<Data><V1 x="1" y="2">1</V1><V1>2</V1><V2>3</V2><V3/></Data>'


def with_template(template: str) -> Callable[[str], str]:
    return lambda text: text.replace("</xsl:stylesheet>", f"{template}</xsl:stylesheet>")


def without(pattern: str, instead: str = "", count: int = 0) -> Callable[[str], str]:
    def damaged(text: str) -> str:
        found, times = re.subn(pattern, instead, text, count=count, flags=re.DOTALL)
        assert times
        return found

    return damaged


FAULTS = {
    "a template takes every element": with_template('<xsl:template match="*" mode="#all" priority="99"/>'),
    "a template takes the nodes of one rule": with_template('<xsl:template match="V1" mode="#all" priority="99"/>'),
    "a template takes one node": with_template('<xsl:template match="V1[. = 2]" mode="#all" priority="99"/>'),
    "a template takes the nodes of no rule": with_template('<xsl:template match="V3" mode="#all" priority="99"/>'),
    "a pattern is not visited": without(r'<xsl:apply-templates select="/descendant::V1[^>]*/>', count=1),
    "no pattern is visited": without(r"<xsl:apply-templates [^>]*/>"),
    "a pattern has no verdict": without(r'<xsl:call-template name="c:verdict1"/>'),
    "nothing fails": without(r"<xsl:otherwise>\s*<xsl:sequence[^>]*>\s*</xsl:otherwise>"),
    "everything fails": without(r'<xsl:when test="[^"]*"', '<xsl:when test="false()"'),
    "failures are not counted": without(r"'failed': count\(\$failed\)", "'failed': 0"),
    "fired rules are not counted": without(r"'count': count\(current-group\(\)\)", "'count': 0"),
    "there are no rows": without(r"serialize\(array\{.*?\}, map", "serialize(array{}, map"),
    "messages are lost": without(r"<xsl:text>[^<]*</xsl:text>"),
    "rules fire and test nothing": without(r'<xsl:sequence select="\[\d+, [^"]*"[^>]*/>'),
}


@pytest.fixture
def damage(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], str]], None]:
    def damaging(fault: Callable[[str], str]) -> None:
        def make(*given: object, **named: object) -> Stylesheet:
            sheet = make_stylesheet(*given, **named)  # type: ignore[arg-type]
            return replace(sheet, text=fault(sheet.text))

        monkeypatch.setattr(judge_module, "make_stylesheet", make)

    return damaging


def test_a_whole_judge_gives_a_verdict_and_shows_nothing_of_its_control(desk: Desk) -> None:
    for binding in ("xslt", "xslt2", "xslt3"):
        report = desk.report(RULES, DATA, binding)
        assert [(c.assertion, c.fired, c.failed) for c in report.counts] == [
            ("a", 2, 1),
            ("b", 1, 0),
            ("c", 4, 2),
            ("d", 5, 0),
            ("e", 1, 0),
        ]
        assert [finding.assertion for finding in report.findings] == ["a", "c", "c"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_judge_gives_no_verdict(
    desk: Desk, fault: str, damage: Callable[[Callable[[str], str]], None]
) -> None:
    damage(FAULTS[fault])
    with pytest.raises(JudgeError, match=r"the judge's control .*: nothing is judged"):
        desk.report(RULES, DATA)


@pytest.mark.parametrize("most", [None, 0, 1])
def test_the_control_works_however_many_findings_are_kept(desk: Desk, most: int | None) -> None:
    report = desk.report(RULES, DATA, max_findings=most)
    assert [count.failed for count in report.counts] == [1, 0, 2, 0, 0]
    assert len(report.findings) == {None: 3, 0: 0, 1: 2}[most]


def test_a_guarded_run_has_its_control_too(desk: Desk, damage: Callable[[Callable[[str], str]], None]) -> None:
    rules = RULES.replace(". = 1", "xs:integer(.) = 1", 1)
    data = DATA.replace(">2<", ">x<")
    count = desk.report(rules, data).counts[0]
    assert (count.fired, count.failed, count.errors) == (2, 0, 1)
    damage(FAULTS["a template takes one node"])
    with pytest.raises(JudgeError, match="nothing is judged"):
        desk.report(rules, data.replace("V3", "V1").replace("<V1/>", "<V1>2</V1>"))


@pytest.mark.parametrize("fault", ["a template takes every element", "nothing fails", "messages are lost"])
def test_a_full_report_has_its_control_too(
    desk: Desk, fault: str, damage: Callable[[Callable[[str], str]], None]
) -> None:
    path = desk.write("data/data.xml", DATA)
    whole = desk.judge(RULES).svrl_file(path)
    assert whole.startswith("<")
    assert "control" not in whole
    damage(FAULTS[fault])
    with pytest.raises(JudgeError, match="nothing is judged"):
        desk.judge(RULES).svrl_file(path)


def test_a_schema_without_rules_has_its_control(desk: Desk, damage: Callable[[Callable[[str], str]], None]) -> None:
    assert desk.report("<pattern/>", DATA).counts == ()
    damage(FAULTS["a template takes every element"])
    with pytest.raises(JudgeError, match="did not"):
        desk.report("<pattern/>", DATA)


def test_documents_of_a_pattern_are_counted(desk: Desk, damage: Callable[[Callable[[str], str]], None]) -> None:
    desk.write("data/other.xml", "<V1>7</V1>")
    rules = RULES.replace("<pattern>", "<pattern documents=\"('other.xml', 'data.xml')\">", 1)
    assert desk.report(rules, DATA).counts[0].fired == 3
    damage(FAULTS["a template takes one node"])
    with pytest.raises(JudgeError, match="nothing is judged"):
        desk.report(rules, DATA)
