"""Complete SVRL obeys a schema of the standard's elements, without what the documentation names as additions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from tests.svrl_schema import svrl_faults, without_additions

if TYPE_CHECKING:
    from conftest import Desk

_RULES = """<title>Edits</title><ns prefix="d" uri="urn:d"/>
  <phase id="quick"><active pattern="p"/></phase>
  <pattern id="p" xml:lang="en"><rule id="r" context="a" role="main" flag="f"><assert id="x" test="b" role="warning"
    see="s" diagnostics="d" properties="o">no <emph>b</emph> <h:i xmlns:h="urn:h">at</h:i> <value-of select="@c"/>
    </assert><report test="@c">c</report><assert id="e" test="xs:integer(@c) = 1">stops</assert></rule>
    <rule context="*"><assert id="y" test="true()">y</assert></rule></pattern>
  <pattern><rule context="b"><assert id="z" test="false()" severity="major">z</assert></rule></pattern>
  <diagnostics><diagnostic id="d">is <value-of select="@c"/></diagnostic></diagnostics>
  <properties><property id="o" role="unit" scheme="si">kg</property></properties>"""


def test_everything_that_a_report_can_hold(desk: Desk) -> None:
    path = desk.write("data/data.xml", '<r><a c="five"/><a><b/></a></r>')
    report = etree.fromstring(desk.judge(_RULES, "xslt3").svrl_file(path).encode())
    bare = without_additions(report)
    assert svrl_faults(bare) == []
    names = {etree.QName(one).localname for one in report.iter(etree.Element)}
    assert {"suppressed-rule", "metadata", "error", "property-reference", "diagnostic-reference"} <= names
    assert svrl_faults(report)  # the additions are additions
