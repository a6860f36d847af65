"""The part of a stylesheet that writes the Schematron Validation Report Language, as the standard's annex shapes it.

A node on which XPath stopped with an error is neither a pass nor a failure, and SVRL has no element for it: it is
written as an element `error` in a namespace of ours.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from constraint_sdc.judge.stylesheet.messages import SVRL, written_names
from constraint_sdc.judge.stylesheet.sheet import Attributes, Sheet, literal
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
_VARIABLE = re.compile(r"\$([^\W\d][\w.\-]*)")
_NCNAME = re.compile(r"[^\W\d][\w.\-]*")

# White space inside a message is part of it.
_TIGHT = "for $name in ('text', 'diagnostic-reference', 'property-reference') return xs:QName('svrl:' || $name)"
_OPTIONS = f"map{{'method': 'xml', 'indent': true(), 'suppress-indentation': ({_TIGHT})}}"
_REPORT = """
<xsl:variable name="rows" as="item()*">
<xsl:for-each select="$tokens">
<xsl:choose>
<xsl:when test=". instance of xs:integer"><xsl:sequence select=".[. gt 0]"/></xsl:when>
<xsl:when test="array:size(.) eq 2">
<xsl:sequence select="map{'fired': .(1), 'document': base-uri(root(.(2)))}"/>
</xsl:when>
<xsl:when test="array:size(.) gt 3">
<xsl:sequence select="map{'number': .(1), 'subject': .(2), 'error': .(4)}"/>
</xsl:when>
<xsl:otherwise><xsl:sequence select="map:put($c:details[current()(1)](.(2), .(3)), 'number', .(1))"/></xsl:otherwise>
</xsl:choose>
</xsl:for-each>
</xsl:variable>
<xsl:variable name="numbers" select="c:numbers($rows[. instance of map(*)]?subject)"/>
<xsl:for-each select="$rows">
<xsl:variable name="row" select="."/>
<xsl:choose>
<xsl:when test="$row instance of xs:integer"><xsl:copy-of select="$c:fired[$row]"/></xsl:when>
<xsl:when test="map:contains($row, 'fired')">
<xsl:for-each select="$c:fired[$row?fired]">
<xsl:copy><xsl:copy-of select="@*"/><xsl:attribute name="document" select="$row?document"/></xsl:copy>
</xsl:for-each>
</xsl:when>
<xsl:when test="map:contains($row, 'error')">
<r:error location="{c:location($row?subject, $numbers)}">
<xsl:copy-of select="$c:complaints[$row?number]/(@id, @test)"/>
<svrl:text><xsl:value-of select="$row?error"/></svrl:text>
</r:error>
</xsl:when>
<xsl:otherwise>
<xsl:for-each select="$c:complaints[$row?number]">
<xsl:copy>
<xsl:copy-of select="@*"/>
<xsl:attribute name="location" select="c:location($row?subject, $numbers)"/>
<xsl:copy-of select="$row?notes"/>
<svrl:text><xsl:copy-of select="svrl:text/@*, $row?text"/></svrl:text>
</xsl:copy>
</xsl:for-each>
</xsl:otherwise>
</xsl:choose>
</xsl:for-each>
""".strip()


def svrl_output(schema: Schema, scopes: Sequence[Mapping[str, str]]) -> str:
    """Return the declarations that turn each pattern's tokens into a report; `scopes` are the patterns' variables.

    What is reported about the last pattern, the judge's control, stands on the first line, before the report.
    """
    sheet = Sheet()
    known = [_known(schema, scope) for scope in scopes]
    rules = [(rule, names) for pattern, names in zip(schema.patterns, known, strict=True) for rule in pattern.rules]
    with sheet.element("xsl:variable", {"name": "c:fired", "as": "element()*"} | _SCOPE):
        for rule, names in rules:
            sheet.leaf("svrl:fired-rule", _of_rule(rule, names))
    with sheet.element("xsl:variable", {"name": "c:complaints", "as": "element()*"} | _SCOPE):
        for rule, names in rules:
            for assertion in rule.assertions:
                _write_complaint(sheet, assertion, names)
    with sheet.element("xsl:template", {"name": "c:report"} | _SCOPE):
        sheet.leaf("xsl:param", {"name": "tokens", "as": "item()*"})
        sheet.raw(_REPORT)
    with sheet.element("xsl:template", {"name": "c:main"} | _SCOPE):
        with sheet.element("xsl:variable", {"name": "report", "as": "element()"}):
            _write_report(sheet, schema, known)
        with sheet.element("xsl:variable", {"name": "control", "as": "element()*"}):
            _write_findings(sheet, len(schema.patterns) - 1)
        shown = "string-join($control ! normalize-space(local-name(.) || ' ' || string(.)), ',')"
        sheet.leaf("xsl:sequence", {"select": f"{shown} || '\n' || serialize($report, {_OPTIONS})"})
    return "\n".join(sheet.lines)


def _known(schema: Schema, scope: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that have one value for the whole document, by the names that the stylesheet gives them."""
    declared = [let.name for let in schema.lets] + [parameter.name for parameter in schema.parameters]
    return {name: name for name in declared} | {name: f"c:{of.rpartition('}')[2]}" for name, of in scope.items()}


def _write_report(sheet: Sheet, schema: Schema, known: Sequence[Mapping[str, str]]) -> None:
    head = {
        "title": schema.title or None,
        "phase": _name_or_none(schema.phase),
        "schemaVersion": dict(schema.attributes).get("schemaVersion"),
        "xml:lang": dict(schema.attributes).get("xml:lang"),
    }
    with sheet.element("svrl:schematron-output", {k: None if v is None else literal(v) for k, v in head.items()}):
        for prefix, uri in schema.namespaces:
            sheet.leaf("svrl:ns-prefix-in-attribute-values", {"prefix": literal(prefix), "uri": literal(uri)})
        for number, pattern in enumerate(schema.patterns[:-1]):  # the last is the judge's control
            name = "svrl:active-group" if pattern.is_group else "svrl:active-pattern"
            sheet.leaf(name, _of_pattern(number, pattern, known[number]))
            _write_findings(sheet, number)


def _write_findings(sheet: Sheet, pattern: int) -> None:
    with (
        sheet.element("xsl:call-template", {"name": "c:report"}),
        sheet.element("xsl:with-param", {"name": "tokens", "as": "item()*"}),
    ):
        sheet.leaf("xsl:call-template", {"name": f"c:pattern{pattern}"})


def _of_pattern(number: int, pattern: Pattern, known: Mapping[str, str]) -> Attributes:
    documents = _JUDGED if pattern.documents is None else f"{{$c:documents{number} ! string(base-uri(.))}}"
    own: dict[str, str | None] = {
        "id": _name_or_none(pattern.id),
        "name": literal(pattern.name) if pattern.name != pattern.id else None,
        "documents": documents,
    }
    return own | _evaluated(pattern.attributes, _OF_PATTERN, known)


def _of_rule(rule: Rule, known: Mapping[str, str]) -> Attributes:
    identity: dict[str, str | None] = {"id": literal(rule.id) if rule.id else None}
    placed = {"context": literal(rule.context), "document": _JUDGED}
    return identity | placed | _evaluated(rule.attributes, _OF_RULE, known)


def _write_complaint(sheet: Sheet, assertion: Assertion, known: Mapping[str, str]) -> None:
    name = "svrl:failed-assert" if assertion.kind == "assert" else "svrl:successful-report"
    own = assertion.attribute("id")
    identity: dict[str, str | None] = {
        "id": literal(own) if own else _name_or_none(assertion.id),
        "test": literal(assertion.test),
    }
    said = tuple(pair for pair in assertion.attributes if pair[0] not in _NOT_OF_TEXT)
    with sheet.element(name, identity | _evaluated(assertion.attributes, _OF_ASSERTION, known)):
        sheet.leaf("svrl:text", written_names(said))


def _evaluated(attributes: Pairs, names: tuple[str, ...], known: Mapping[str, str]) -> dict[str, str | None]:
    """Return these attributes; an attribute that names a variable (2025: `role="$level"`) gets its value."""
    written: dict[str, str | None] = {}
    for name, value in attributes:
        if name in names:
            variable = _VARIABLE.fullmatch(value.strip())
            held = known.get(variable[1]) if variable else None
            written[name] = f"{{${held}}}" if held else literal(value)
    return written


def _name_or_none(text: str) -> str | None:
    """Return the generated name where SVRL requires an XML name, None if it is not one."""
    return text if _NCNAME.fullmatch(text) else None


# The part of a counting stylesheet that turns tokens into a verdict.
#
# A rule that fires leaves one small integer, its number (with `visit-each` one for each item, and once for the node its
# negative number); a node that no rule matches leaves 0; an assertion that fails leaves an array of its own number
# and the node (and, when XPath itself stopped, the error; a fifth member if it stopped in the context). Messages and
# locations are made only for the findings that are kept, so that a file with a million records costs little more than
# its tests.

_COUNTING_SCOPE = (
    f'xmlns:c="{JUDGE}" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:map="http://www.w3.org/2005/xpath-functions/map" '
    'xmlns:array="http://www.w3.org/2005/xpath-functions/array" xpath-default-namespace=""'
)

_COUNTING = """
<xsl:function name="c:verdict" as="map(*)*" SCOPE>
<xsl:param name="pattern" as="xs:integer"/>
<xsl:param name="tokens" as="item()*"/>
<xsl:for-each-group select="$tokens[. instance of xs:integer]" group-by=".">
<xsl:variable name="rule" select="map{'pattern': $pattern, 'rule': current-grouping-key()}"/>
<xsl:sequence select="map:merge(($rule, map{'kind': 'fired', 'count': count(current-group())}))"/>
</xsl:for-each-group>
<xsl:for-each-group select="$tokens[. instance of xs:string]" group-by=".">
<xsl:sequence select="map{'kind': 'missing', 'token': current-grouping-key(), 'count': count(current-group())}"/>
</xsl:for-each-group>
<xsl:for-each-group select="$tokens[. instance of array(*)]" group-by=".(1)">
<xsl:variable name="number" select="current-grouping-key()"/>
<xsl:variable name="failed" select="current-group()[array:size(.) eq 3]"/>
<xsl:variable name="errors" select="current-group()[array:size(.) gt 3]"/>
<xsl:variable name="kept" as="map(*)*">
<xsl:for-each select="subsequence($failed, 1, $c:most)">
<xsl:variable name="own" select="map{'kind': 'finding', 'assertion': $number, 'context': .(2)}"/>
<xsl:sequence select="map:merge(($own, $c:details[$number](.(2), .(3))))"/>
</xsl:for-each>
<xsl:for-each select="$errors[1]">
<xsl:sequence select="map{'kind': 'error', 'assertion': $number, 'context': .(2), 'subject': .(2), 'text': .(4)}"/>
</xsl:for-each>
</xsl:variable>
<xsl:variable name="stopped" select="count($errors[array:size(.) eq 5])"/>
<xsl:variable name="counts" select="map{'failed': count($failed), 'errors': count($errors), 'stopped': $stopped}"/>
<xsl:sequence select="map:merge((map{'kind': 'complaints', 'assertion': $number}, $counts)), c:placed($kept)"/>
</xsl:for-each-group>
</xsl:function>
<xsl:function name="c:placed" as="map(*)*" SCOPE>
<xsl:param name="findings" as="map(*)*"/>
<xsl:variable name="numbers" select="c:numbers($findings?subject)"/>
<xsl:variable name="records" select="c:records($findings?context)"/>
<xsl:for-each select="$findings">
<xsl:variable name="subject" select="?subject"/>
<xsl:variable name="record" select="c:record(?context) ! $records(generate-id(.))"/>
<xsl:variable name="elsewhere" select="root($subject)[not(. is $c:root)] ! string(base-uri(.))"/>
<xsl:variable name="place" select="map{'location': c:location($subject, $numbers), 'record': $record}"/>
<xsl:sequence select="map:merge((map:remove(., 'context'), $place, map{'document': $elsewhere}))"/>
</xsl:for-each>
</xsl:function>
<xsl:function name="c:record" as="element()?" SCOPE>
<xsl:param name="node" as="node()"/>
<xsl:sequence select="RECORD"/>
</xsl:function>
<xsl:function name="c:records" as="map(xs:string, xs:integer)" SCOPE>
<xsl:param name="nodes" as="node()*"/>
<xsl:variable name="needed" select="map:merge($nodes ! c:record(.) ! map:entry(generate-id(.), true()))"/>
<xsl:map>
<xsl:if test="map:size($needed) gt 0">
<xsl:for-each select="EVERY">
<xsl:variable name="id" select="generate-id(.)"/>
<xsl:if test="map:contains($needed, $id)"><xsl:map-entry key="$id" select="position()"/></xsl:if>
</xsl:for-each>
</xsl:if>
</xsl:map>
</xsl:function>
<xsl:template name="c:main" SCOPE>
<xsl:variable name="all" as="map(*)*">
PATTERNS
</xsl:variable>
<xsl:sequence select="serialize(array{$all ! map:remove(., 'subject')}, map{'method': 'json'})"/>
<xsl:sequence select="$all[?kind eq 'finding'] ! (?subject/ancestor-or-self::*[1], root(?subject))[1]"/>
</xsl:template>
"""


def counting(patterns: int, record: str | None) -> str:
    """Return the counting declarations for this number of patterns; `record` is the record element's Clark name."""
    own, every = "()", "()"
    if record is not None:
        name = "Q" + record if record.startswith("{") else "Q{}" + record
        own = f"$node[root() is $c:root]/ancestor-or-self::{name}[1]"
        every = f"$c:root/descendant::{name}"
    # A template for each pattern: a thousand variables in one would be nested a thousand deep.
    verdicts = "\n".join(
        f'<xsl:template name="c:verdict{n}" SCOPE>'
        f'<xsl:variable name="tokens" as="item()*"><xsl:call-template name="c:pattern{n}"/></xsl:variable>'
        f'<xsl:sequence select="c:verdict({n}, $tokens)"/>'
        f"<xsl:sequence select=\"map{{'kind': 'visited', 'pattern': {n}, 'count': $c:visited{n}}}\"/></xsl:template>"
        for n in range(patterns)
    )
    calls = "\n".join(f'<xsl:call-template name="c:verdict{n}"/>' for n in range(patterns))
    text = f"{_COUNTING.strip()}\n{verdicts}".replace("RECORD", own).replace("EVERY", every).replace("PATTERNS", calls)
    return text.replace("SCOPE", _COUNTING_SCOPE)
