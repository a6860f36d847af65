"""The part of a stylesheet that writes the Schematron Validation Report Language, as the standard's annex shapes it.

A node on which XPath stopped with an error is neither a pass nor a failure, and SVRL has no element for it: it is
written as an element `error` in a namespace of ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from constraint_sdc import __version__
from constraint_sdc.judge.stylesheet.access import file_uri
from constraint_sdc.judge.stylesheet.expressions import Author
from constraint_sdc.judge.stylesheet.levels import Templates, assertion_levels, pattern_levels, rule_levels
from constraint_sdc.judge.stylesheet.messages import SVRL, written_names
from constraint_sdc.judge.stylesheet.sheet import Attributes, Sheet, literal, quoted
from constraint_sdc.schematron.element import XSLT_NAMESPACE
from constraint_sdc.schematron.schema import Assertion, Pattern, Rule, Schema
from constraint_sdc.schematron.xslt import JUDGE

Pairs: TypeAlias = tuple[tuple[str, str], ...]

REPORTED = "urn:constraint-sdc:judge"
"""The namespace of what SVRL has no element for; unlike the judge's own, anybody may name it."""

_SCOPE = {
    "xmlns:svrl": SVRL,
    "xmlns:c": JUDGE,
    "xmlns:r": REPORTED,
    "xmlns:xs": "http://www.w3.org/2001/XMLSchema",
    "xmlns:map": "http://www.w3.org/2005/xpath-functions/map",
    "xmlns:array": "http://www.w3.org/2005/xpath-functions/array",
    "xpath-default-namespace": "",
    "exclude-result-prefixes": "#all",
}
# The attributes that SVRL has a place for; those of the message (see, icon, xml:lang) belong to its text.
_OF_PATTERN = ("role", "xml:lang")
_OF_RULE = ("name", "role", "flag", "xml:lang")
_OF_ASSERTION = ("role", "flag", "severity")
_NOT_OF_TEXT = frozenset({"id", "test", "subject", "diagnostics", "properties", *_OF_ASSERTION})
_JUDGED = "{base-uri($c:root)}"
_NCNAME = re.compile(r"[^\W\d][\w.\-]*")

# White space inside a message is part of it.
_TIGHT = "for $name in ('text', 'diagnostic-reference', 'property-reference') return xs:QName('svrl:' || $name)"
_OPTIONS = f"map{{'method': 'xml', 'indent': true(), 'suppress-indentation': ({_TIGHT})}}"
_REPORT = """
<xsl:variable name="rows" as="item()*">
<xsl:for-each select="TOKENS">
<xsl:choose>
<xsl:when test=". instance of xs:integer"><xsl:sequence select=".[. gt 0]"/></xsl:when>
<xsl:when test=". instance of map(*)"><xsl:sequence select="."/></xsl:when>
<xsl:when test="array:size(.) gt 3">
<xsl:sequence select="map{'number': .(1), 'subject': .(2), 'error': .(4)}"/>
</xsl:when>
<xsl:otherwise>
<xsl:variable name="own" select="map{'number': .(1), 'levels': c:attributes($c:levels(.(1)), .(2), .(3))}"/>
<xsl:sequence select="map:merge(($c:details[current()(1)](.(2), .(3)), $own))"/>
</xsl:otherwise>
</xsl:choose>
</xsl:for-each>
</xsl:variable>
<xsl:variable name="numbers" select="c:numbers($rows[. instance of map(*)]?subject)"/>
<xsl:for-each select="$rows">
<xsl:variable name="row" select="."/>
<xsl:choose>
<xsl:when test="$row instance of xs:integer"><xsl:copy-of select="$c:fired[$row]"/></xsl:when>
<xsl:when test="map:contains($row, 'node')">
<xsl:variable name="rule" select="($row?fired, $row?suppressed)"/>
<xsl:element name="{if ($row?fired) then 'svrl:fired-rule' else 'svrl:suppressed-rule'}">
<xsl:copy-of select="$c:fired[$rule]/@*, c:attributes($c:rule-levels($rule), $row?node, $row?item)"/>
<xsl:attribute name="document" select="base-uri(root($row?node))"/>
</xsl:element>
</xsl:when>
<xsl:when test="map:contains($row, 'error')">
<r:error location="{c:location($row?subject, $numbers)}">
<xsl:copy-of select="$c:complaints[$row?number]/(@id, @test)"/>
<svrl:text><xsl:value-of select="ERROR"/></svrl:text>
</r:error>
</xsl:when>
<xsl:otherwise>
<xsl:for-each select="$c:complaints[$row?number]">
<xsl:copy>
<xsl:copy-of select="@*, $row?levels"/>
<xsl:attribute name="location" select="c:location($row?subject, $numbers)"/>
<xsl:copy-of select="$row?notes"/>
<svrl:text><xsl:copy-of select="svrl:text/@*, $row?text"/></svrl:text>
</xsl:copy>
</xsl:for-each>
</xsl:otherwise>
</xsl:choose>
</xsl:for-each>
""".strip()


_ATTRIBUTES = """
<xsl:param name="levels" as="function(*)?"/>
<xsl:param name="node" as="node()"/>
<xsl:param name="item" as="item()"/>
<xsl:sequence select="if (exists($levels)) then $levels($node, $item)/@* else ()"/>
""".strip()


# Which rule takes a node tells which conditions its values meet, and rules fire in the order of the nodes. So without
# values the elements of a pattern come rule by rule, which tells how often each fired and no more. An error has its
# code, if that is one of the standard's, because its text quotes values.
_RULE = """
<xsl:param name="token" as="item()"/>
<xsl:choose>
<xsl:when test="$token instance of xs:integer"><xsl:sequence select="$token, 0"/></xsl:when>
<xsl:when test="$token instance of array(*)"><xsl:sequence select="$c:rule-of[$token(1)], 1"/></xsl:when>
<xsl:when test="$token?fired"><xsl:sequence select="$token?fired, 0"/></xsl:when>
<xsl:otherwise><xsl:sequence select="$token?suppressed, 2"/></xsl:otherwise>
</xsl:choose>
""".strip()
_BY_RULE = "sort($tokens, (), c:rule-first#1)"
_CODE = "(substring($row?error, 1, 8)[matches(., '^(FO|XP|XT|SX)[A-Z]{2}[0-9]{4}$')], 'XPath stopped')[1]"


def svrl_output(author: Author, scopes: Sequence[Mapping[str, str]], hides: bool) -> str:
    """Return the declarations that turn each pattern's tokens into a report; `scopes` are the patterns' variables.

    What is reported about the last pattern, the judge's control, stands on the first line, before the report. `hides`
    if nothing may tell a value; `hidden` has then taken the values out of texts.
    """
    sheet, schema = Sheet(), author.schema
    rules = [(rule, scope) for pattern, scope in zip(schema.patterns, scopes, strict=True) for rule in pattern.rules]
    with sheet.element("xsl:variable", {"name": "c:fired", "as": "element()*"} | _SCOPE):
        for rule, scope in rules:
            sheet.leaf("svrl:fired-rule", _of_rule(rule, rule_levels(author, rule, scope)))
    with sheet.element("xsl:variable", {"name": "c:complaints", "as": "element()*"} | _SCOPE):
        for rule, scope in rules:
            for assertion in rule.assertions:
                _write_complaint(sheet, assertion, assertion_levels(author, rule, assertion, scope))
    with sheet.element("xsl:function", {"name": "c:attributes", "as": "attribute()*"} | _SCOPE):
        sheet.raw(_ATTRIBUTES)
    with sheet.element("xsl:function", {"name": "c:rule-first", "as": "xs:integer*"} | _SCOPE):
        sheet.raw(_RULE)
    rule_of = [number for number, (rule, _) in enumerate(rules, start=1) for _ in rule.assertions]
    sheet.leaf("xsl:variable", {"name": "c:rule-of", "select": f"({', '.join(map(str, rule_of))})"} | _SCOPE)
    with sheet.element("xsl:template", {"name": "c:report"} | _SCOPE):
        sheet.leaf("xsl:param", {"name": "tokens", "as": "item()*"})
        tokens, error = (_BY_RULE, f"{_CODE} || ': [hidden]'") if hides else ("$tokens", "$row?error")
        sheet.raw(_REPORT.replace("TOKENS", tokens).replace("ERROR", error))
    with sheet.element("xsl:template", {"name": "c:main"} | _SCOPE):
        with sheet.element("xsl:variable", {"name": "report", "as": "element()"}):
            levels = [
                pattern_levels(author, pattern, scope) for pattern, scope in zip(schema.patterns, scopes, strict=True)
            ]
            _write_report(sheet, schema, levels)
        with sheet.element("xsl:variable", {"name": "control", "as": "element()*"}):
            _write_findings(sheet, len(schema.patterns) - 1)
        shown = "string-join($control ! normalize-space(local-name(.) || ' ' || string(.)), ',')"
        sheet.leaf("xsl:sequence", {"select": f"{shown} || '\n' || serialize($report, {_OPTIONS})"})
    return "\n".join(sheet.lines)


def _write_report(sheet: Sheet, schema: Schema, levels: Sequence[Templates]) -> None:
    head = {
        "title": schema.title or None,
        "phase": _name_or_none(schema.phase),
        "schemaVersion": dict(schema.attributes).get("schemaVersion"),
        "schematronVersion": dict(schema.attributes).get("schematronEdition"),
        "xml:lang": dict(schema.attributes).get("xml:lang"),
    }
    with sheet.element("svrl:schematron-output", {k: None if v is None else literal(v) for k, v in head.items()}):
        _write_metadata(sheet, schema)
        for prefix, uri in schema.namespaces:
            sheet.leaf("svrl:ns-prefix-in-attribute-values", {"prefix": literal(prefix), "uri": literal(uri)})
        for number, pattern in enumerate(schema.patterns[:-1]):  # the last is the judge's control
            name = "svrl:active-group" if pattern.is_group else "svrl:active-pattern"
            with sheet.element(name, _of_pattern(number, pattern, levels[number])):
                if levels[number]:
                    sheet.leaf("xsl:copy-of", {"select": f"$c:pattern-level{number}/@*"})
            _write_findings(sheet, number)


def _write_metadata(sheet: Sheet, schema: Schema) -> None:
    """Write what made the report, and from which rules; no date, so that equal results give equal reports."""
    product = f"system-property('Q{{{XSLT_NAMESPACE}}}product-name')"
    version = f"system-property('Q{{{XSLT_NAMESPACE}}}product-version')"
    with sheet.element("svrl:metadata", {"xmlns:dct": "http://purl.org/dc/terms/"}):
        with sheet.element("dct:creator"):
            made = quoted(f"constraint_sdc {__version__}, ")
            sheet.leaf("xsl:value-of", {"select": f"{made} || {product} || ' ' || {version}"})
        with sheet.element("dct:source"):
            sheet.text(file_uri(schema.origin.file))


def _write_findings(sheet: Sheet, pattern: int) -> None:
    with (
        sheet.element("xsl:call-template", {"name": "c:report"}),
        sheet.element("xsl:with-param", {"name": "tokens", "as": "item()*"}),
    ):
        sheet.leaf("xsl:call-template", {"name": f"c:pattern{pattern}"})


def _of_pattern(number: int, pattern: Pattern, computed: Templates) -> Attributes:
    documents = _JUDGED if pattern.documents is None else f"{{$c:documents{number} ! string(base-uri(.))}}"
    own: dict[str, str | None] = {
        "id": _name_or_none(pattern.id),
        "name": literal(pattern.name) if pattern.name != pattern.id else None,
        "documents": documents,
    }
    return own | _plain(pattern.attributes, _OF_PATTERN, computed)


def _of_rule(rule: Rule, computed: Templates) -> Attributes:
    identity: dict[str, str | None] = {"id": literal(rule.id) if rule.id else None}
    placed = {"context": literal(rule.context), "document": _JUDGED}
    return identity | placed | _plain(rule.attributes, _OF_RULE, computed)


def _write_complaint(sheet: Sheet, assertion: Assertion, computed: Templates) -> None:
    name = "svrl:failed-assert" if assertion.kind == "assert" else "svrl:successful-report"
    own = assertion.attribute("id")
    identity: dict[str, str | None] = {
        "id": literal(own) if own else _name_or_none(assertion.id),
        "test": literal(assertion.test),
    }
    said = tuple(pair for pair in assertion.attributes if pair[0] not in _NOT_OF_TEXT)
    with sheet.element(name, identity | _plain(assertion.attributes, _OF_ASSERTION, computed)):
        sheet.leaf("svrl:text", written_names(said))


def _plain(attributes: Pairs, names: tuple[str, ...], computed: Templates) -> dict[str, str | None]:
    """Return these attributes as written, without those that are computed."""
    return {name: literal(value) for name, value in attributes if name in names and name not in computed}


def _name_or_none(text: str) -> str | None:
    """Return the generated name where SVRL requires an XML name, None if it is not one."""
    return text if _NCNAME.fullmatch(text) else None
