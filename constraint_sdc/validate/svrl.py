"""The part of a stylesheet that writes the Schematron Validation Report Language, as the standard's annex shapes it.

What an XPath error stopped is neither a pass nor a complaint, and SVRL has no word for it: such a node is an element
`error` in the judge's own namespace.
"""

from __future__ import annotations

from constraint_sdc.model.schema import Assertion, Pattern, Rule, Schema
from constraint_sdc.validate.access import JUDGE
from constraint_sdc.validate.messages import SVRL, written_names
from constraint_sdc.validate.sheet import Attributes, Sheet, literal

_SCOPE = {
    "xmlns:svrl": SVRL,
    "xmlns:c": JUDGE,
    "xmlns:xs": "http://www.w3.org/2001/XMLSchema",
    "xmlns:map": "http://www.w3.org/2005/xpath-functions/map",
    "xmlns:array": "http://www.w3.org/2005/xpath-functions/array",
    "xpath-default-namespace": "",
    "exclude-result-prefixes": "#all",
}
_NOT_COPIED = frozenset(
    {"id", "context", "test", "subject", "diagnostics", "properties", "abstract", "is-a", "visit-each"}
)

# White space inside a message is part of it.
_SERIALIZED = (
    "serialize($report, map{'method': 'xml', 'indent': true(), 'suppress-indentation': xs:QName('svrl:text')})"
)
# White space inside a message is part of it.
_TIGHT = "for $name in ('text', 'diagnostic-reference', 'property-reference') return xs:QName('svrl:' || $name)"
_OPTIONS = f"map{{'method': 'xml', 'indent': true(), 'suppress-indentation': ({_TIGHT})}}"
_REPORT = """
<xsl:variable name="rows" as="item()*">
<xsl:for-each select="$tokens">
<xsl:choose>
<xsl:when test=". instance of xs:integer"><xsl:sequence select="."/></xsl:when>
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
<xsl:when test="map:contains($row, 'error')">
<c:error location="{c:location($row?subject, $numbers)}">
<xsl:copy-of select="$c:complaints[$row?number]/(@id, @test)"/>
<svrl:text><xsl:value-of select="$row?error"/></svrl:text>
</c:error>
</xsl:when>
<xsl:otherwise>
<xsl:for-each select="$c:complaints[$row?number]">
<xsl:copy>
<xsl:copy-of select="@*"/>
<xsl:attribute name="location" select="c:location($row?subject, $numbers)"/>
<xsl:copy-of select="$row?notes"/>
<svrl:text><xsl:copy-of select="$row?text"/></svrl:text>
</xsl:copy>
</xsl:for-each>
</xsl:otherwise>
</xsl:choose>
</xsl:for-each>
""".strip()


def svrl_output(schema: Schema) -> str:
    """Return the declarations that turn the tokens of each pattern into a report."""
    sheet = Sheet()
    rules = [rule for pattern in schema.patterns for rule in pattern.rules]
    _write_elements(sheet, "c:fired", [("svrl:fired-rule", _of_rule(rule)) for rule in rules])
    _write_elements(sheet, "c:complaints", [_complaint(assertion) for assertion in schema.assertions()])
    with sheet.element("xsl:template", {"name": "c:report"} | _SCOPE):
        sheet.leaf("xsl:param", {"name": "tokens", "as": "item()*"})
        sheet.raw(_REPORT)
    with sheet.element("xsl:template", {"name": "c:main"} | _SCOPE):
        with sheet.element("xsl:variable", {"name": "report", "as": "element()"}):
            _write_report(sheet, schema)
        sheet.leaf("xsl:sequence", {"select": f"serialize($report, {_OPTIONS})"})
    return "\n".join(sheet.lines)


def _write_elements(sheet: Sheet, name: str, elements: list[tuple[str, Attributes]]) -> None:
    with sheet.element("xsl:variable", {"name": name, "as": "element()*"} | _SCOPE):
        for element, attributes in elements:
            sheet.leaf(element, attributes)


def _write_report(sheet: Sheet, schema: Schema) -> None:
    head = {
        "title": schema.title or None,
        "phase": schema.phase,
        "schemaVersion": dict(schema.attributes).get("schemaVersion"),
    }
    with sheet.element("svrl:schematron-output", {k: None if v is None else literal(v) for k, v in head.items()}):
        for prefix, uri in schema.namespaces:
            sheet.leaf("svrl:ns-prefix-in-attribute-values", {"prefix": literal(prefix), "uri": literal(uri)})
        for number, pattern in enumerate(schema.patterns):
            sheet.leaf("svrl:active-pattern", _of_pattern(number, pattern))
            with (
                sheet.element("xsl:call-template", {"name": "c:report"}),
                sheet.element("xsl:with-param", {"name": "tokens", "as": "item()*"}),
            ):
                sheet.leaf("xsl:call-template", {"name": f"c:pattern{number}"})


def _of_pattern(number: int, pattern: Pattern) -> Attributes:
    documents = f"{{$c:documents{number} ! string(base-uri(.))}}"
    own: dict[str, str | None] = {
        "id": literal(pattern.id),
        "name": literal(pattern.name) if pattern.name != pattern.id else None,
        "documents": None if pattern.documents is None else documents,
    }
    return own | _copied(tuple(pair for pair in pattern.attributes if pair[0] not in own))


def _of_rule(rule: Rule) -> Attributes:
    identity: dict[str, str | None] = {"id": literal(rule.id) if rule.id else None}
    return identity | {"context": literal(rule.context)} | _copied(rule.attributes)


def _complaint(assertion: Assertion) -> tuple[str, Attributes]:
    name = "svrl:failed-assert" if assertion.kind == "assert" else "svrl:successful-report"
    identity: dict[str, str | None] = {"id": literal(assertion.id), "test": literal(assertion.test)}
    return name, identity | _copied(assertion.attributes)


def _copied(attributes: tuple[tuple[str, str], ...]) -> dict[str, str | None]:
    """Return role, flag, severity, see, icon, fpi, xml:lang and foreign attributes, as they were written."""
    return written_names(tuple(pair for pair in attributes if pair[0] not in _NOT_COPIED))
