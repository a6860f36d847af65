"""Corners of the language that one-file cases do not reach: scopes, versions, matching, messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Desk


def failing(desk: Desk, rules: str, data: str, binding: str = "xslt2") -> list[str]:
    return [count.assertion for count in desk.report(rules, data, binding).counts if count.failed]


def test_the_first_of_many_matching_rules_takes_the_node(desk: Desk) -> None:
    rules = "".join(
        f'<rule context="{c}"><report id="{i}" test="true()">x</report></rule>'
        for i, c in enumerate(["b/c", "*[@k='2']", "a//c", "c", "*"], start=1)
    )
    rules = rules.replace('id="', 'id="r')
    data = "<a><b><c/></b><c k='2'/><d><c/></d></a>"
    report = desk.report(f"<pattern>{rules}</pattern>", data)
    assert [(c.assertion, c.fired) for c in report.counts] == [("r1", 1), ("r2", 1), ("r3", 1), ("r4", 0), ("r5", 3)]


@pytest.mark.parametrize(
    ("context", "fired"),
    [
        ("/", 1), ("/*", 1), ("@*", 2), ("text()", 2), ("comment()", 1), ("processing-instruction()", 1),
        ("processing-instruction(p)", 1), ("node()", 8), ("*", 4), ("a | @x | text()", 6), ("b/@x", 1), ("/r/a/b", 1),
        ("//a", 2), ("a[b]", 1), ("a[@x = 1]", 1), ("r/child::a", 2), ("r/descendant::b", 1), ("*:a", 2),
        ("attribute::x", 2), ("element(a)", 2), ("key('k', '1')", 1), ("a union b", 3), ("a except a[b]", 1),
        ("(a | b)", 3), ("document-node()", 1),
    ],
)  # fmt: skip
def test_a_context_matches_whatever_a_match_pattern_matches(desk: Desk, context: str, fired: int) -> None:
    rules = f"""<xsl:key name="k" match="a" use="@x"/>
      <pattern><rule context="{context}"><report id="a" test="true()">x</report></rule></pattern>"""
    data = "<r><!--c--><?p q?><a x='1'>t<b x='2'/></a><a>u</a></r>"
    assert desk.report(rules, data, "xslt3").counts[0].fired == fired


def test_variables_of_a_rule_shadow_those_of_the_wider_scope_and_only_inside(desk: Desk) -> None:
    rules = """<let name="x" value="1"/><let name="y" value="$x + 1"/>
    <pattern><let name="p" value="10"/><let name="z" value="$p + $y"/>
      <rule context="a"><let name="x" value="$x + 99"/><let name="p" value="$p + 1"/><let name="w" value="$x + $z"/>
        <assert id="rule" test="$x = 100 and $p = 11 and $y = 2 and $z = 12 and $w = 112">x</assert></rule>
      <rule context="b[$p = 10]">
        <assert id="pattern" test="$x = 1 and $p = 10 and (for $x in 3 return $x) = 3">x</assert></rule></pattern>
    <pattern><let name="p" value="20"/><rule context="a[$x = 1]"><assert id="schema" test="$p = 20">x</assert></rule>
      </pattern>"""
    report = desk.report(rules, "<a><b/></a>")
    assert [(c.assertion, c.fired, c.failed) for c in report.counts] == [
        ("rule", 1, 0), ("pattern", 1, 0), ("schema", 1, 0),
    ]  # fmt: skip


def test_variables_are_calculated_at_the_root_except_in_a_rule(desk: Desk) -> None:
    rules = """<let name="s" value="name(*)"/><pattern><let name="p" value="count(//b)"/>
      <rule context="b"><let name="r" value="name()"/>
      <assert id="a" test="$s = 'a' and $p = 2 and $r = 'b'">x</assert></rule></pattern>"""
    assert failing(desk, rules, "<a><b/><b/></a>") == []


def test_a_variable_may_have_content_and_a_type(desk: Desk) -> None:
    rules = """<ns prefix="t" uri="urn:t"/>
      <let name="codes"><t:c xmlns:t="urn:t">5</t:c><t:c xmlns:t="urn:t">6</t:c></let>
      <let name="n" value="'5'" as="xs:string"/><ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>
      <pattern><rule context="a">
        <assert id="a" test="$codes/t:c = . and $n instance of xs:string">x</assert></rule></pattern>"""
    assert failing(desk, rules, "<a>5</a>", "xslt3") == []
    assert failing(desk, rules, "<a>7</a>", "xslt3") == ["a"]


def test_xpath_1_compares_and_calculates_as_xpath_1_does(desk: Desk) -> None:
    rules = """<let name="n" value="'10' &gt; '9'"/><pattern><let name="p" value="//b + 1"/>
      <rule context="a['2' &gt; '10' or true()]"><let name="r" value="'10' &gt; '9'"/>
      <assert id="a" test="$n and $p = 2 and $r and '10' &gt; '9' and b + 1 = 2"><value-of select="b"/></assert>
      <report id="v" test="true()"><value-of select="b"/></report></rule></pattern>"""
    report = desk.report(rules, "<a><b>1</b><b>2</b></a>", "xslt")
    assert report.count("a").failed == 0
    assert report.findings[0].text == "1"
    two = """<pattern><rule context="a"><report id="v" test="'10' &lt; '9'"><value-of select="b"/></report></rule>
      </pattern>"""
    assert desk.report(two, "<a><b>1</b><b>2</b></a>", "xslt2").findings[0].text == "1 2"


def test_current_is_the_context_node_in_tests_and_variables(desk: Desk) -> None:
    rules = """<pattern><rule context="b"><let name="same" value="//b[. = current()]"/>
      <report id="twice" test="count($same) &gt; 1 and count(//b[. = current()]) &gt; 1">x</report></rule></pattern>"""
    assert desk.report(rules, "<a><b>1</b><b>2</b><b>1</b></a>").counts[0].failed == 2


def test_name_says_the_name_of_the_context_of_a_path_or_what_the_path_says(desk: Desk) -> None:
    rules = """<pattern><rule context="b"><report id="a" test="true()"><name/> in <name path=".."/>
      or <name path="local-name(..)"/></report></rule></pattern>"""
    assert desk.report(rules, "<a><b/></a>").findings[0].text == "b in a or a"


def test_only_the_schemas_own_prefixes_are_known(desk: Desk) -> None:
    rules = """<ns prefix="c" uri="urn:one"/><ns prefix="svrl" uri="urn:two"/>
      <pattern><rule context="c:a"><assert id="a" test="svrl:b">x</assert></rule></pattern>"""
    assert failing(desk, rules, '<a xmlns="urn:one"><b xmlns="urn:two"/></a>') == []
    assert failing(desk, rules, '<a xmlns="urn:one"><b/></a>') == ["a"]


def test_a_schema_parameter_has_its_default_value(desk: Desk) -> None:
    rules = """<param name="most" value="3"/>
      <pattern><rule context="a"><assert id="a" test=". &lt; $most">x</assert></rule></pattern>"""
    assert failing(desk, rules, "<a>5</a>", "xslt3") == ["a"]


def test_a_function_of_the_authors_sees_schema_variables(desk: Desk) -> None:
    rules = """<ns prefix="f" uri="urn:f"/><let name="k" value="5"/>
      <xsl:function name="f:k" xmlns:f="urn:f"><xsl:sequence select="$k"/></xsl:function>
      <pattern><rule context="a"><assert id="a" test=". = f:k()">x</assert></rule></pattern>"""
    assert failing(desk, rules, "<a>5</a>") == []
