"""What a rule file may contain of XSLT: a few declarations and instructions, and nothing that reaches the judge itself.

Each attack comes with a rule that can never hold. It must be refused; a verdict without a violation would be a lie.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from constraint_sdc.errors import ConstraintSdcError, ResourceRefusedError, RulesError

if TYPE_CHECKING:
    from conftest import Desk

NEVER = '<pattern><rule context="V1"><assert id="never" test="false()">x</assert></rule></pattern>'
DATA = "<Data><V1>1</V1><V1>2</V1></Data>"
INTERNAL = "urn:constraint-sdc:judge:internal"
FN = "http://www.w3.org/2005/xpath-functions"

DECLARATIONS = {
    "template that takes every node": '<xsl:template name="m" match="*" priority="99" mode="#all"/>',
    "template by name": '<xsl:template name="m"/>',
    "template without a name": '<xsl:template match="*" mode="#all" priority="1e9"/>',
    "mode": '<xsl:mode on-no-match="shallow-skip"/>',
    "strip-space": '<xsl:strip-space elements="*"/>',
    "preserve-space": '<xsl:preserve-space elements="*"/>',
    "output": '<xsl:output method="text"/>',
    "decimal-format": '<xsl:decimal-format decimal-separator=","/>',
    "character-map": '<xsl:character-map name="c"/>',
    "namespace-alias": '<xsl:namespace-alias stylesheet-prefix="xsl" result-prefix="xsl"/>',
    "attribute-set": '<xsl:attribute-set name="a"/>',
    "global-context-item": '<xsl:global-context-item use="absent"/>',
    "initial-template": '<xsl:template name="xsl:initial-template"/>',
    "variable": '<xsl:variable name="v" select="1"/>',
    "static variable": '<xsl:variable name="v" static="yes" select="1"/>',
    "param": '<xsl:param name="v" select="1"/>',
    "package": '<xsl:expose component="*" names="*" visibility="hidden"/>',
    "include": '<xsl:include href="x.xsl"/>',
    "import": '<xsl:import href="x.xsl"/>',
    "use-package": '<xsl:use-package name="x"/>',
    "import-schema": '<xsl:import-schema namespace="x"/>',
    "unknown declaration": '<xsl:future version="9.0"><xsl:fallback/></xsl:future>',
}


@pytest.mark.parametrize("attack", DECLARATIONS)
def test_a_declaration_outside_the_list_is_refused_by_name(desk: Desk, attack: str) -> None:
    name = DECLARATIONS[attack].partition(":")[2].split()[0].split(">")[0]
    with pytest.raises(RulesError, match=rf"rules\.sch:2: xsl:{name} .*\(.+\)$"):
        desk.report(f"\n{DECLARATIONS[attack]}{NEVER}", DATA)


ATTRIBUTES = {
    "override-extension-function": "yes",
    "override": "yes",
    "cache": "yes",
    "visibility": "public",
    "streamability": "absorbing",
    "new-each-time": "no",
    "identity-sensitive": "no",
    "use-when": "false()",
    "version": "9.0",
    "expand-text": "yes",
    "xpath-default-namespace": "urn:x",
    "default-collation": "http://www.w3.org/2005/xpath-functions/collation/html-ascii-case-insensitive",
    "default-mode": "#unnamed",
    "default-validation": "strip",
    "exclude-result-prefixes": "#all",
    "extension-element-prefixes": "f",
    "xml:base": "file:///elsewhere/",
    "xml:space": "preserve",
    "xml:id": "a",
    "_name": "f:f",
    "_as": "item()",
    "f:own": "1",
}


def function(attributes: str = "", body: str = '<xsl:sequence select="1"/>', name: str = "f:f") -> str:
    """Return a function of the author."""
    return f'<ns prefix="f" uri="urn:f"/><xsl:function xmlns:f="urn:f" name="{name}" {attributes}>{body}</xsl:function>'


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_outside_the_list_is_refused_by_name(desk: Desk, name: str) -> None:
    shown = name.replace("f:", "{urn:f}").replace("xml:", "(xml:|.*namespace})")
    for element in ("function", "sequence"):
        own = f'{name}="{ATTRIBUTES[name]}"'
        body = f'\n<xsl:sequence select="1" {own if element == "sequence" else ""}/>'
        with pytest.raises(RulesError, match=rf"rules\.sch:{1 + (element == 'sequence')}: xsl:{element} .*{shown}"):
            desk.report(function(own if element == "function" else "", body) + NEVER, DATA)


INSTRUCTIONS = {
    "message": '<xsl:message terminate="yes">x</xsl:message>',
    "assert": '<xsl:assert test="false()"/>',
    "apply-templates": '<xsl:apply-templates select="." mode="#current"/>',
    "call-template": '<xsl:call-template name="m"/>',
    "next-match": "<xsl:next-match/>",
    "apply-imports": "<xsl:apply-imports/>",
    "evaluate": "<xsl:evaluate xpath=\"'1'\"/>",
    "result-document": '<xsl:result-document href="x"/>',
    "source-document": '<xsl:source-document href="x"/>',
    "merge": '<xsl:merge><xsl:merge-source select="1"/></xsl:merge>',
    "fork": "<xsl:fork/>",
    "context-item": '<xsl:context-item use="absent"/>',
    "future": '<xsl:future version="9.0"><xsl:fallback/></xsl:future>',
    "template": "<xsl:template/>",
    "key": '<xsl:key name="k" match="a" use="b"/>',
    "stylesheet": '<xsl:stylesheet version="3.0"/>',
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_an_instruction_outside_the_list_is_refused_wherever_it_stands(desk: Desk, name: str) -> None:
    said = rf"rules\.sch:2: xsl:{name} .*\(.+\)$"
    attack = f"\n{INSTRUCTIONS[name]}"
    for rules in (
        function(body=attack) + NEVER,
        f'<let name="v">{attack}</let>{NEVER}',
        f'<let name="v"><a xmlns="">{attack}</a></let>{NEVER}',
        NEVER.replace(">x<", f">x{attack}<"),
        NEVER.replace(">x<", f'><b xmlns="urn:h">x{attack}</b><'),
        NEVER.replace("test=", 'diagnostics="d" test=')
        + f'<diagnostics><diagnostic id="d">{attack}</diagnostic></diagnostics>',
    ):
        with pytest.raises((RulesError, ResourceRefusedError), match=said):
            desk.report(rules, DATA)


@pytest.mark.parametrize(
    "name",
    ["xsl:use-when", "xsl:version", "xsl:expand-text", "xsl:use-attribute-sets", "xsl:extension-element-prefixes"],
)
def test_a_literal_element_has_no_attribute_of_xslt(desk: Desk, name: str) -> None:
    attack = f'\n<a xmlns="" {name}="false()">x</a>'
    for rules in (f'<let name="v">{attack}</let>{NEVER}', NEVER.replace(">x<", f">{attack}<")):
        with pytest.raises(RulesError, match=rf"rules\.sch:2: .*{name}"):
            desk.report(rules, DATA)


NAMED = {
    "let": f'<ns prefix="c" uri="{INTERNAL}"/><let name="c:root" value="1"/>',
    "variable": f'<ns prefix="c" uri="{INTERNAL}"/>' + NEVER.replace("false()", "$c:root"),
    "braced variable": NEVER.replace("false()", f"$Q{{{INTERNAL}}}root"),
    "spaced braces": NEVER.replace("false()", f"$Q{{ {INTERNAL} }}root"),
    "function call": NEVER.replace("false()", f"exists(Q{{{INTERNAL}}}name(.))"),
    "function reference": NEVER.replace("false()", f"exists(Q{{{INTERNAL}}}name#1)"),
    "context": NEVER.replace('"V1"', f'"V1[Q{{{INTERNAL}}}name(.)]"'),
    "message": NEVER.replace(">x<", f'><value-of select="Q{{{INTERNAL}}}name(.)"/><'),
    "message of another namespace": NEVER.replace(">x<", f'><e xmlns="{INTERNAL}"/><'),
    "subject": NEVER.replace("test=", f'subject="$Q{{{INTERNAL}}}root" test='),
    "function": function(name=f"Q{{{INTERNAL}}}main") + NEVER,
    "function by prefix": function(f'xmlns:c="{INTERNAL}"', name="c:main") + NEVER,
    "key": f'<xsl:key name="Q{{{INTERNAL}}}k" match="V1" use="."/>{NEVER}',
    "key by prefix": f'<xsl:key xmlns:c="{INTERNAL}" name="c:k" match="V1" use="."/>{NEVER}',
    "content": f'<let name="v"><c:record xmlns:c="{INTERNAL}"/></let>{NEVER}',
    "content expression": f'<let name="v"><a xmlns="" b="{{$Q{{{INTERNAL}}}root}}"/></let>{NEVER}',
    "abstract pattern": '<pattern abstract="true" id="p"><rule context="V1">'
    '<assert id="never" test="Q{$a$b}name(.)">x</assert></rule></pattern><pattern is-a="p">'
    f'<param name="a" value="{INTERNAL[:10]}"/><param name="b" value="{INTERNAL[10:]}"/></pattern>',
}


@pytest.mark.parametrize("attack", NAMED)
def test_the_judges_own_namespace_cannot_be_named(desk: Desk, attack: str) -> None:
    with pytest.raises(RulesError, match=rf"rules\.sch:1: {INTERNAL} is the judge's own namespace"):
        desk.report(NAMED[attack] + ("" if "pattern" in NAMED[attack] else NEVER), DATA)


@pytest.mark.parametrize("uri", [FN, "http://www.w3.org/2001/XMLSchema", f"{FN}/math", f"{FN}/map", f"{FN}/array"])
def test_a_function_does_not_take_a_name_of_the_language(desk: Desk, uri: str) -> None:
    body = '<xsl:param name="x"/><xsl:sequence select="true()"/>'
    for name, scope in (("g:false", f'xmlns:g="{uri}"'), (f"Q{{{uri}}}false", "")):
        with pytest.raises(RulesError, match=rf"rules\.sch:1: .*{uri}"):
            desk.report(function(scope, body, name) + NEVER, DATA)


@pytest.mark.parametrize("name", ["function-lookup", "transform", "load-xquery-module"])
@pytest.mark.parametrize("prefix", ["", "fn:", f"Q{{{FN}}}", "g:"])
def test_no_function_is_looked_up_by_a_computed_name(desk: Desk, name: str, prefix: str) -> None:
    ns = f'<ns prefix="g" uri="{FN}"/>'
    for call in (f"{prefix}{name}(1, 2)", f"exists({prefix}{name}#2)"):
        with pytest.raises(ResourceRefusedError, match=rf"{name}\(\) is not allowed in rules"):
            desk.report(ns + NEVER.replace("false()", call), DATA)
        inside = function(f'xmlns:g="{FN}"', f'<xsl:sequence select="{call}"/>')
        with pytest.raises(ResourceRefusedError, match=rf"{name}\(\) is not allowed in rules"):
            desk.report(inside + NEVER, DATA)


def test_files_are_read_through_the_judge_whatever_the_prefix(desk: Desk) -> None:
    desk.write("rules/codes.xml", "<c>1</c>")
    rules = NEVER.replace("false()", "g:doc-available('codes.xml') and g:doc('codes.xml')/c = 1")
    assert desk.report(f'<ns prefix="g" uri="{FN}"/>{rules}', DATA).counts[0].failed == 0


def test_an_error_in_a_variable_is_no_pass(desk: Desk) -> None:
    rules = NEVER.replace("<assert", '<let name="v" value="error()"/><assert').replace("false()", "empty($v)")
    assert (desk.report(rules, DATA).counts[0].errors, desk.report(rules, DATA).counts[0].fired) == (2, 2)
    with pytest.raises(ConstraintSdcError):
        desk.report('<let name="v" value="error()"/>' + NEVER.replace("false()", "empty($v)"), DATA)


TOKENS = ("[1, ., .]", "1", "map{'kind': 'fired', 'rule': 1, 'count': 9}", "'[{&quot;kind&quot;:&quot;fired&quot;}]'")


@pytest.mark.parametrize("token", TOKENS)
def test_content_cannot_forge_the_judges_own_tokens(desk: Desk, token: str) -> None:
    inside = f'<xsl:sequence select="{token}"/>'
    for rules in (
        f'<let name="v">{inside}</let>' + NEVER,
        NEVER.replace("<assert", f'<let name="v">{inside}</let><assert'),
        NEVER.replace(">x<", f">x{inside}<"),
        NEVER.replace("test=", 'diagnostics="d" test=')
        + f'<diagnostics><diagnostic id="d">{inside}</diagnostic></diagnostics>',
    ):
        count = desk.report(rules, DATA).counts[0]
        assert (count.fired, count.failed, count.errors) == (2, 2, 0)


@pytest.mark.parametrize("name", ["main", "pattern0", "fired", "complaints", "control", "x" * 5000, "a b", "'\"<&"])
def test_ids_and_names_that_look_like_ours_are_only_ids(desk: Desk, name: str) -> None:
    written = name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    rules = (
        f'<pattern id="{written}"><rule id="{written}" context="V1"><assert id="{written}" test="false()">x</assert>'
    )
    count = desk.report(f"{rules}</rule></pattern>", DATA).counts[0]
    assert (count.assertion, count.fired, count.failed) == (name, 2, 2)


BODY = """
<xsl:param name="x" as="item()*"/>
<xsl:variable name="parts" as="xs:string*">
<xsl:for-each select="$x"><xsl:sort select="." order="descending" data-type="number"/>
<xsl:choose><xsl:when test="number(.) gt 1"><xsl:value-of select="., 'much'" separator="-"/></xsl:when>
<xsl:otherwise><xsl:text>little</xsl:text></xsl:otherwise></xsl:choose></xsl:for-each>
<xsl:for-each-group select="$x" group-by="string(.)"><xsl:sequence select="current-grouping-key()"/>
</xsl:for-each-group>
<xsl:analyze-string select="'a1'" regex="[0-9]">
<xsl:matching-substring><xsl:sequence select="."/></xsl:matching-substring>
<xsl:non-matching-substring><xsl:sequence select="'-'"/></xsl:non-matching-substring></xsl:analyze-string>
<xsl:iterate select="$x"><xsl:param name="n" select="0"/><xsl:on-completion select="string($n)"/>
<xsl:next-iteration><xsl:with-param name="n" select="$n + 1"/></xsl:next-iteration></xsl:iterate>
<xsl:try select="string(1 div 0)"><xsl:catch errors="*" select="'caught'"/></xsl:try>
<xsl:if test="true()"><xsl:number value="4" format="I"/></xsl:if>
</xsl:variable>
<xsl:variable name="tree"><e xmlns="" a="{$x[1]}"><xsl:copy-of select="$x[1]"/></e></xsl:variable>
<xsl:sequence select="string-join(($parts, $tree/e/@a, $tree/e/V1), ' ')"/>
"""


def test_what_a_function_needs_is_admitted(desk: Desk) -> None:
    said = "2-much little 1 2 - 1 2 caught IV 1 1"
    rules = (
        '<ns prefix="xs" uri="http://www.w3.org/2001/XMLSchema"/>'
        + function('xmlns:xs="http://www.w3.org/2001/XMLSchema" as="xs:string"', BODY)
        + '<xsl:key name="k" match="V1" use="."/>'
        + '<xsl:accumulator name="seen" initial-value="0"><xsl:accumulator-rule match="V1" select="$value + 1"/>'
        + "</xsl:accumulator>"
        + f'<pattern><rule context="Data"><assert id="a" test="f:f(V1) = \'{said}\'"><value-of select="f:f(V1)"/>'
        + "</assert><assert id=\"b\" test=\"count(key('k', '1')) = 1 and V1[2]/accumulator-after('seen') = 2\">b"
        + "</assert></rule></pattern>"
    )
    report = desk.report(rules, DATA, "xslt3")
    assert [finding.text for finding in report.findings] == []
    assert [count.fired for count in report.counts] == [1, 1]


LEVELS = {
    "a file": "{unparsed-text('/etc/passwd')}",
    "a name of the judge's": f"{{$Q{{{INTERNAL}}}root}}",
    "a function of the judge's": f"{{Q{{{INTERNAL}}}location(., map{{}})}}",
    "the environment": "{environment-variable('HOME')}",
    "a function found by name": "{function-lookup(xs:QName('fn:doc'), 1)('x')}",
}


@pytest.mark.parametrize("attack", LEVELS)
def test_a_template_reaches_neither_the_judge_nor_a_file(desk: Desk, attack: str) -> None:
    rules = NEVER.replace("<assert", f'<assert role="{LEVELS[attack]}"')
    path = desk.write("data/data.xml", DATA)
    with pytest.raises(ConstraintSdcError):
        desk.judge(rules).svrl_file(path)
