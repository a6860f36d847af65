"""The part of a counting stylesheet that turns tokens into a verdict.

A rule that fires leaves one small integer, its number (with `visit-each` one for each item, and once for the node its
negative number); a node that no rule matches leaves 0; an assertion that fails leaves an array of its own number
and the node (and, when XPath itself stopped, the error; a fifth member if it stopped in the context). Messages and
locations are made only for the findings that are kept, so that a file with a million records costs little more than
its tests.
"""

from __future__ import annotations

import re

from constraint_sdc.schematron.xslt import JUDGE

COUNTING_SCOPE = (
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
KEPT
<xsl:variable name="stopped" select="count($errors[array:size(.) eq 5])"/>
<xsl:variable name="counts" select="map{'failed': count($failed), 'errors': count($errors), 'stopped': $stopped}"/>
<xsl:sequence select="map:merge((map{'kind': 'complaints', 'assertion': $number}, $counts)), $kept"/>
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

_FINDINGS = """
<xsl:variable name="found" as="map(*)*">
<xsl:for-each select="subsequence($failed, 1, $c:most)">
<xsl:variable name="own" select="map{'kind': 'finding', 'assertion': $number, 'context': .(2)}"/>
<xsl:sequence select="map:merge(($own, $c:details[$number](.(2), .(3))))"/>
</xsl:for-each>
<xsl:for-each select="$errors[1]">
<xsl:sequence select="map{'kind': 'error', 'assertion': $number, 'context': .(2), 'subject': .(2), 'text': .(4)}"/>
</xsl:for-each>
</xsl:variable>
<xsl:variable name="kept" as="map(*)*" select="c:placed($found)"/>
"""
# A node that is in no record counts for all of them: record 0.
_RECORDS = """
<xsl:variable name="records" select="c:records(current-group() ! .(2))"/>
<xsl:variable name="broken" as="xs:integer*">
<xsl:for-each select="current-group() ! .(2)">
<xsl:variable name="record" select="c:record(.)"/>
<xsl:sequence select="if (exists($record)) then $records(generate-id($record)) else 0"/>
</xsl:for-each>
</xsl:variable>
<xsl:variable name="kept" select="map{'kind': 'broken', 'assertion': $number, 'records': array{$broken}}"/>
"""


def record_name(record: str) -> str:
    """Return the record element's Clark name as XPath writes it."""
    return "Q" + record if record.startswith("{") else "Q{}" + record


def counting(patterns: int, record: str | None, *, records_alone: bool = False, cases: str | None = None) -> str:
    """Return the counting declarations for this number of patterns; `record` is the record element's Clark name.

    With `records_alone` there are no findings: only the numbers of the records on which an assertion fails or stops.
    `cases` are declarations that give the verdict on each record, by a template `c:cases`, and say what is counted of
    every pattern but the last.
    """
    own, every = "()", "()"
    if record is not None:
        name = record_name(record)
        own = f"$node[root() is $c:root]/ancestor-or-self::{name}[1]"
        every = f"$c:root/descendant::{name}"
    counted = range(patterns) if cases is None else range(patterns - 1, patterns)
    # A template for each pattern: a thousand variables in one would be nested a thousand deep.
    verdicts = "\n".join(
        f'<xsl:template name="c:verdict{n}" SCOPE>'
        f'<xsl:variable name="tokens" as="item()*"><xsl:call-template name="c:pattern{n}"/></xsl:variable>'
        f'<xsl:sequence select="c:verdict({n}, $tokens)"/>'
        f"<xsl:sequence select=\"map{{'kind': 'visited', 'pattern': {n}, 'count': $c:visited{n}}}\"/></xsl:template>"
        for n in counted
    )
    called = [*(["cases"] if cases is not None else []), *(f"verdict{n}" for n in range(patterns))]
    calls = "\n".join(f'<xsl:call-template name="c:{name}"/>' for name in called)
    kept = (_RECORDS if records_alone else _FINDINGS).strip()
    text = filled(f"{_COUNTING.strip()}\n{verdicts}", KEPT=kept, RECORD=own, EVERY=every, PATTERNS=calls)
    return text if cases is None else f"{text}\n{cases}"


def filled(text: str, **places: str) -> str:
    """Return declarations with their places filled in; SCOPE is filled with the namespaces.

    All places are filled at once: a record element may have the name of one.
    """
    known = {"SCOPE": COUNTING_SCOPE, **places}
    return re.sub(rf"\b(?:{'|'.join(known)})\b", lambda found: known[found[0]], text)
