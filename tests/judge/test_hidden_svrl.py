"""The complete SVRL without values: whatever computes a text from the data is shown as the author wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lxml import etree

if TYPE_CHECKING:
    from conftest import Desk

SVRL = "{http://purl.oclc.org/dsdl/svrl}"
SECRET = "s3cret"
XSL = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"'
FAILS = '<pattern><rule context="a">{}<assert id="x" test="false()" {}>{}</assert></rule></pattern>'


def hidden(desk: Desk, rules: str, data: str, binding: str = "xslt3") -> str:
    path = desk.write("data/data.xml", data)
    return desk.judge(rules, binding).svrl_file(path, show_values=False)


# Where a value could come out, and what stands there instead.
LEAKS = {
    "value-of": (FAILS.format("", "", 'is <value-of select="@v"/>'), "is [@v]"),
    "variable": (FAILS.format('<let name="l" value="@v"/>', "", '<value-of select="$l"/>'), "[$l]"),
    "inside markup": (FAILS.format("", "", '<emph><value-of select="@v"/></emph>'), "[@v]"),
    "name of a text": (FAILS.format("", "", '<name path="string(@v)"/>'), "[name]"),
    "instruction": (FAILS.format("", "", f'<xsl:copy-of {XSL} select="string(@v)"/>'), "[hidden]"),
    "condition": (FAILS.format("", "", f'<xsl:if {XSL} test="@v">s3cret</xsl:if>'), "[hidden]"),
    "diagnostic": (
        FAILS.format("", 'diagnostics="d"', "m")
        + '<diagnostics><diagnostic id="d">of <value-of select="@v"/></diagnostic></diagnostics>',
        "of [@v]",
    ),
    "property": (
        FAILS.format("", 'properties="p"', "m")
        + '<properties><property id="p" role="{@v}">of <value-of select="@v"/></property></properties>',
        'role="{@v}"',
    ),
    "parameter": (
        '<pattern abstract="true" id="t"><rule context="a"><assert id="x" test="false()" diagnostics="d">m</assert>'
        '</rule></pattern><pattern is-a="t"><param name="p" value="@v"/></pattern>'
        '<diagnostics><diagnostic id="d"><value-of select="$p"/></diagnostic></diagnostics>',
        "[@v]",
    ),
    "role": (FAILS.format("", 'role="{@v}"', "m"), 'role="{@v}"'),
    "flag by variable": (FAILS.format('<let name="l" value="@v"/>', 'flag="$l"', "m"), 'flag="$l"'),
    "role of the rule": ('<pattern><rule context="a" role="is-{@v}"/></pattern>', 'role="is-{@v}"'),
    "role of the pattern": ('<pattern role="{//@v}"><rule context="a"/></pattern>', 'role="{//@v}"'),
    "error": ('<pattern><rule context="a"><assert test="xs:integer(@v) = 1">m</assert></rule></pattern>', "FORG0001"),
    "error by name": (
        """<pattern><rule context="a"><assert test="error(QName('', @v), @v)">m</assert></rule></pattern>""",
        "XPath stopped",
    ),
    "subject that stops": (FAILS.format("", 'subject="*[xs:integer(../@v) = 1]"', "m"), "cannot be evaluated"),
}


@pytest.mark.parametrize("leak", LEAKS)
def test_no_value_comes_out(desk: Desk, leak: str) -> None:
    rules, instead = LEAKS[leak]
    report = hidden(desk, rules, f'<r><a v="{SECRET}"><b/></a></r>')
    assert SECRET not in report
    assert instead in report


def test_what_is_constant_is_shown(desk: Desk) -> None:
    rules = """<phase id="p"><active pattern="q"/></phase><let name="level" value="'warning'"/>
      <pattern id="q"><rule context="a"><assert id="x" test="false()" role="$level" see="s">the <name/> is
      <value-of select="5"/> <emph>now</emph></assert></rule></pattern>"""
    report = etree.fromstring(hidden(desk, rules, "<a/>").encode())
    found = report.find(f"{SVRL}failed-assert")
    assert found is not None
    assert (found.get("role"), " ".join("".join(found.itertext()).split())) == ("warning", "the a is 5 now")


def test_the_order_of_rules_does_not_tell_which_record_met_which_condition(desk: Desk) -> None:
    rules = """<pattern><rule context="a[@v &lt; 18]"><assert test="true()">m</assert></rule>
      <rule context="a"><assert test="true()">m</assert></rule><rule context="*[@v = 7] | r"/></pattern>"""
    one = hidden(desk, rules, '<r><a v="7"/><a v="30"/><a v="8"/></r>')
    other = hidden(desk, rules, '<r><a v="8"/><a v="7"/><a v="30"/></r>')
    assert one == other
    assert (one.count("<svrl:fired-rule"), one.count("<svrl:suppressed-rule")) == (4, 3)


@pytest.mark.parametrize("binding", ["xslt", "xslt2", "xslt3"])
def test_findings_are_those_of_the_report_with_values(desk: Desk, binding: str) -> None:
    rules = """<let name="n" value="count(//a)"/><pattern><rule context="a[@v &lt; $n]"><let name="w" value="@v * 2"/>
      <assert id="x" test="$w &gt; 3" diagnostics="d"><value-of select="$w"/></assert><report id="y" test="@v = 1">
      <name path="@v"/></report></rule><rule context="a"><assert id="z" test="@v = 5">m</assert></rule></pattern>
      <diagnostics><diagnostic id="d"><value-of select="$w"/></diagnostic></diagnostics>"""
    data = '<r><a v="1"/><a v="9"/><a v="2"/><a v="5"/></r>'
    judge = desk.judge(rules, binding)
    path = desk.write("data/data.xml", data)
    reports = [etree.fromstring(judge.svrl_file(path, show_values=shown).encode()) for shown in (True, False)]
    shown, without = (sorted((e.tag, e.get("id"), e.get("location")) for e in r if e.get("location")) for r in reports)
    assert shown == without
    assert len(shown) == 3
