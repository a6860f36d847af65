"""The part of a stylesheet that gives the verdict on each record apart, as a signature.

The templates of the patterns are applied inside each record. What they leave becomes a text: records of the same
verdict have the same signature, and a document has few different ones. A signature has a part for every pattern, in
their order, divided by `|`. In a part, words divided by spaces stand for tokens: the number of a rule that fired (0 for
a node that no rule matches), `held-N` and `failed-N` for a node of assertion N on which a value is missing, `F` with N
and the way from the record to the node for a violation, `E` with N and the error where XPath stopped (`S` if it stopped
in the context). Texts are percent-encoded, so that they are one word.
"""

from __future__ import annotations

from constraint_sdc.judge.stylesheet.counting import counting, filled, record_name

_CASES = """
<xsl:function name="c:word" as="xs:string" SCOPE>
<xsl:param name="token" as="item()"/>
<xsl:param name="record" as="element()"/>
<xsl:choose>
<xsl:when test="$token instance of xs:integer"><xsl:sequence select="string($token)"/></xsl:when>
<xsl:when test="$token instance of xs:string"><xsl:sequence select="translate($token, ' ', '-')"/></xsl:when>
<xsl:when test="array:size($token) eq 3">
<xsl:sequence select="'F' || $token(1) || ':' || encode-for-uri(c:inside($token(2), $record))"/>
</xsl:when>
<xsl:otherwise>
<xsl:variable name="kind" select="if (array:size($token) eq 5) then 'S' else 'E'"/>
<xsl:sequence select="$kind || $token(1) || ':' || encode-for-uri($token(4))"/>
</xsl:otherwise>
</xsl:choose>
</xsl:function>
<xsl:function name="c:inside" as="xs:string" SCOPE>
<xsl:param name="node" as="node()"/>
<xsl:param name="record" as="element()"/>
<xsl:variable name="steps" as="xs:string*">
<xsl:for-each select="$node/ancestor-or-self::node()[. &gt;&gt; $record]">
<xsl:variable name="sort" select="c:sort(.)"/>
<xsl:variable name="number" select="1 + count(preceding-sibling::node()[c:sort(.) eq $sort])"/>
<xsl:sequence select="c:step(., $number)"/>
</xsl:for-each>
</xsl:variable>
<xsl:sequence select="string-join($steps)"/>
</xsl:function>
<xsl:template name="c:signature" as="xs:string" SCOPE>
<xsl:variable name="parts" as="xs:string*">
SIGNED
</xsl:variable>
<xsl:sequence select="string-join($parts, '|')"/>
</xsl:template>
<xsl:template name="c:cases" SCOPE>
<xsl:variable name="signatures" as="xs:string*">
<xsl:for-each select="$c:root/descendant::RECORD"><xsl:call-template name="c:signature"/></xsl:for-each>
</xsl:variable>
<xsl:for-each-group select="1 to count($signatures)" group-by="$signatures[current()]">
<xsl:sequence select="map{'kind': 'case', 'signature': current-grouping-key(), 'records': array{current-group()}}"/>
</xsl:for-each-group>
</xsl:template>
"""


def case_counting(patterns: int, record: str) -> str:
    """Return the declarations for this number of patterns, of which the last is the judge's control.

    The control takes the way of the counting stylesheet; `record` is the record element's Clark name.
    """
    own = range(patterns - 1)
    parts = "\n".join(
        f'<xsl:template name="c:signed{n}" as="xs:string" SCOPE>'
        f'<xsl:variable name="record" select="."/>'
        f'<xsl:variable name="tokens" as="item()*"><xsl:call-template name="c:pattern{n}"/></xsl:variable>'
        # Numbers alone, as almost every record leaves: their words are their digits.
        f'<xsl:variable name="plain" select="every $token in $tokens satisfies $token instance of xs:integer"/>'
        f'<xsl:variable name="words" select="if ($plain) then $tokens else $tokens ! c:word(., $record)"/>'
        f"<xsl:sequence select=\"string-join($words, ' ')\"/></xsl:template>"
        f'<xsl:template name="c:verdict{n}" SCOPE>'
        f"<xsl:sequence select=\"map{{'kind': 'visited', 'pattern': {n}, 'count': $c:visited{n}}}\"/></xsl:template>"
        for n in own
    )
    signed = "\n".join(f'<xsl:call-template name="c:signed{n}"/>' for n in own)
    cases = filled(f"{_CASES.strip()}\n{parts}", SIGNED=signed, RECORD=record_name(record))
    return counting(patterns, record, records_alone=True, cases=cases)
