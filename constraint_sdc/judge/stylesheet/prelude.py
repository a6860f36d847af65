"""The part of every stylesheet that does not depend on the rules: supplied resources, locations, record numbers."""

from __future__ import annotations

from constraint_sdc.schematron.xslt import JUDGE

NEEDED = "constraint-sdc needs"
_SCOPE = (
    f'xmlns:c="{JUDGE}" xmlns:xs="http://www.w3.org/2001/XMLSchema" '
    'xmlns:map="http://www.w3.org/2005/xpath-functions/map" xpath-default-namespace=""'
)

# A message tells Python which URI is missing: it arrives even when the error is swallowed (by a match pattern or
# xsl:try); the error only ends the useless run.
# A relative name in pattern/@documents is relative to the judged document. The editions differ here, so a document
# beside the rules is used when there is none beside the data.
_RESOURCES = """
<xsl:param name="c:documents" as="map(*)" select="map{}" SCOPE/>
<xsl:param name="c:texts" as="map(*)" select="map{}" SCOPE/>
<xsl:param name="c:missing" as="map(*)" select="map{}" SCOPE/>
<xsl:param name="c:instance" as="map(*)" select="map{}" SCOPE/>
<xsl:function name="c:ask" as="item()*" SCOPE>
<xsl:param name="kind" as="xs:string"/>
<xsl:param name="key" as="xs:string"/>
<xsl:message select="string-join(('NEEDED', $kind, $key), ' ')"/>
<xsl:sequence select="error(QName('JUDGE', 'needed'), $key)"/>
</xsl:function>
<xsl:function name="c:absolute" as="xs:string" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="item" as="item()"/>
<xsl:variable name="from" select="if ($item instance of node()) then (base-uri($item), $base)[1] else $base"/>
<xsl:variable name="uri" select="resolve-uri(iri-to-uri(normalize-space(string($item))), $from)"/>
<xsl:sequence select="replace($uri, '^file:/([^/])', 'file:///$1')"/>
</xsl:function>
<xsl:function name="c:fetch" as="node()?" SCOPE>
<xsl:param name="uri" as="xs:string"/>
<xsl:variable name="file" select="replace($uri, '#.*$', '')"/>
<xsl:variable name="name" select="substring-after($uri, '#')"/>
<xsl:variable name="found" select="($c:instance($file), $c:documents($file))[1]"/>
<xsl:sequence select="if (exists($found)) then () else c:ask('document', $file)"/>
<xsl:sequence select="if ($name) then id($name, $found) else $found"/>
</xsl:function>
<xsl:function name="c:has" as="xs:boolean" SCOPE>
<xsl:param name="uri" as="xs:string"/>
<xsl:choose>
<xsl:when test="map:contains($c:documents, $uri)"><xsl:sequence select="true()"/></xsl:when>
<xsl:when test="map:contains($c:instance, $uri)"><xsl:sequence select="true()"/></xsl:when>
<xsl:when test="map:contains($c:missing, $uri)"><xsl:sequence select="false()"/></xsl:when>
<xsl:otherwise><xsl:sequence select="c:ask('document?', $uri)"/></xsl:otherwise>
</xsl:choose>
</xsl:function>
<xsl:function name="c:doc" as="node()?" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:sequence select="$uri ! c:fetch(c:absolute($base, .))"/>
</xsl:function>
<xsl:function name="c:doc-available" as="xs:boolean" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:sequence select="if (exists($uri)) then c:has(c:absolute($base, $uri)) else false()"/>
</xsl:function>
<xsl:function name="c:document-uri" as="xs:anyURI?" SCOPE>
<xsl:param name="node" as="node()?"/>
<xsl:variable name="uri" select="$node[. instance of document-node()] ! base-uri(.)"/>
<xsl:sequence select="$uri[$node is $c:root or $c:documents(string($uri)) ! (. is $node)]"/>
</xsl:function>
<xsl:function name="c:document" as="node()*" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uris" as="item()*"/>
<xsl:sequence select="($uris ! c:fetch(c:absolute($base, .)))/."/>
</xsl:function>
<xsl:function name="c:document" as="node()*" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uris" as="item()*"/>
<xsl:param name="from" as="node()"/>
<xsl:sequence select="c:document((string(base-uri($from))[.], $base)[1], $uris ! string(.))"/>
</xsl:function>
<xsl:function name="c:subordinate" as="document-node()*" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="items" as="item()*"/>
<xsl:variable name="named" select="$items ! (if (. instance of document-node()) then . else c:beside($base, .))"/>
<xsl:for-each-group select="$named" group-by="generate-id(.)"><xsl:sequence select="."/></xsl:for-each-group>
</xsl:function>
<xsl:function name="c:beside" as="document-node()?" SCOPE>
<xsl:param name="rules" as="xs:string"/>
<xsl:param name="item" as="item()"/>
<xsl:variable name="data" select="(string(base-uri($c:root))[.], $rules)[1]"/>
<xsl:variable name="is-of-rules" select="not(c:has(c:absolute($data, $item))) and c:has(c:absolute($rules, $item))"/>
<xsl:sequence select="root(c:document(if ($is-of-rules) then $rules else $data, $item))"/>
</xsl:function>
<xsl:function name="c:key" as="xs:string" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string"/>
<xsl:param name="encoding" as="xs:string"/>
<xsl:sequence select="($encoding[.], '-')[1] || ' ' || c:absolute($base, $uri)"/>
</xsl:function>
<xsl:function name="c:unparsed-text" as="xs:string?" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:param name="encoding" as="xs:string"/>
<xsl:variable name="key" select="$uri ! c:key($base, ., $encoding)"/>
<xsl:sequence select="$key ! (if (map:contains($c:texts, .)) then $c:texts(.) else c:ask('text', .))"/>
</xsl:function>
<xsl:function name="c:unparsed-text-available" as="xs:boolean" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:param name="encoding" as="xs:string"/>
<xsl:variable name="key" select="$uri ! c:key($base, ., $encoding)"/>
<xsl:choose>
<xsl:when test="empty($key)"><xsl:sequence select="false()"/></xsl:when>
<xsl:when test="map:contains($c:texts, $key)"><xsl:sequence select="true()"/></xsl:when>
<xsl:when test="map:contains($c:missing, $key)"><xsl:sequence select="false()"/></xsl:when>
<xsl:otherwise><xsl:sequence select="c:ask('text?', $key)"/></xsl:otherwise>
</xsl:choose>
</xsl:function>
<xsl:function name="c:unparsed-text-lines" as="xs:string*" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:param name="encoding" as="xs:string"/>
<xsl:sequence select="c:unparsed-text($base, $uri, $encoding) ! tokenize(replace(., '\\r?\\n$', ''), '\\r?\\n')"/>
</xsl:function>
<xsl:function name="c:json-doc" as="item()?" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:param name="options" as="map(*)"/>
<xsl:sequence select="c:unparsed-text($base, $uri, '') ! parse-json(., $options)"/>
</xsl:function>
<xsl:function name="c:json-doc" as="item()?" SCOPE>
<xsl:param name="base" as="xs:string"/>
<xsl:param name="uri" as="xs:string?"/>
<xsl:sequence select="c:json-doc($base, $uri, map{})"/>
</xsl:function>
"""

# Positions are counted once for each parent whose children are named, never by walking preceding siblings for each
# finding: near-linear in the document whatever the number of findings.
_LOCATIONS = """
<xsl:variable name="c:root" as="node()" select="." SCOPE/>
<xsl:function name="c:numbers" as="map(xs:string, xs:integer)" SCOPE>
<xsl:param name="nodes" as="node()*"/>
<xsl:variable name="chain" select="$nodes/ancestor-or-self::node()"/>
<xsl:variable name="needed" select="map:merge($chain ! map:entry(generate-id(.), true()))"/>
<xsl:map>
<xsl:for-each select="$chain/..">
<xsl:for-each-group select="child::node()" group-by="c:sort(.)">
<xsl:for-each select="current-group()">
<xsl:variable name="id" select="generate-id(.)"/>
<xsl:if test="map:contains($needed, $id)"><xsl:map-entry key="$id" select="position()"/></xsl:if>
</xsl:for-each>
</xsl:for-each-group>
</xsl:for-each>
</xsl:map>
</xsl:function>
<xsl:function name="c:sort" as="xs:anyAtomicType" SCOPE>
<xsl:param name="node" as="node()"/>
<xsl:sequence select="typeswitch"/>
</xsl:function>
<xsl:function name="c:location" as="xs:string" SCOPE>
<xsl:param name="node" as="node()"/>
<xsl:param name="numbers" as="map(xs:string, xs:integer)"/>
<xsl:variable name="steps" select="$node/ancestor-or-self::node() ! c:step(., $numbers(generate-id(.)))"/>
<xsl:sequence select="if (exists($steps)) then string-join($steps) else '/'"/>
</xsl:function>
<xsl:function name="c:step" as="xs:string?" SCOPE>
<xsl:param name="node" as="node()"/>
<xsl:param name="number" as="xs:integer?"/>
<xsl:variable name="uri" select="string(namespace-uri($node))"/>
<xsl:variable name="name" select="local-name($node)"/>
<xsl:variable name="index" select="$number ! ('[' || . || ']')"/>
<xsl:choose>
<xsl:when test="$node/self::element()"><xsl:sequence select="'/Q{' || $uri || '}' || $name || $index"/></xsl:when>
<xsl:when test="$node/self::attribute()">
<xsl:sequence select="'/@' || $uri[.] ! ('Q{' || . || '}') || $name"/>
</xsl:when>
<xsl:when test="$node/self::text()"><xsl:sequence select="'/text()' || $index"/></xsl:when>
<xsl:when test="$node/self::comment()"><xsl:sequence select="'/comment()' || $index"/></xsl:when>
<xsl:when test="$node/self::processing-instruction()">
<xsl:sequence select="'/processing-instruction(' || $name || ')' || $index"/>
</xsl:when>
</xsl:choose>
</xsl:function>
<xsl:function name="c:name" as="xs:string" SCOPE>
<xsl:param name="items" as="item()*"/>
<xsl:variable name="first" select="head($items)"/>
<xsl:sequence select="if ($first instance of node()) then name($first) else string($first)"/>
</xsl:function>
""".replace(
    "typeswitch",
    "if ($node instance of element()) then node-name($node) else if ($node instance of text()) then 'text' "
    "else if ($node instance of comment()) then 'comment' else 'instruction ' || name($node)",
)


def _arrows() -> str:
    """Return the same functions with the URI first, for `'x.xml' => doc()`."""
    shapes = [("doc", 0), ("doc-available", 0), ("document", 0), ("document", 1)]
    shapes += [(n, k) for n in ("unparsed-text", "unparsed-text-lines", "unparsed-text-available") for k in (0, 1)]
    shapes += [("json-doc", 0), ("json-doc", 1)]
    written = []
    for name, extra in shapes:
        more = '<xsl:param name="more"/>' if extra else ""
        argument = ", $more" if extra else ""
        written.append(
            f'<xsl:function name="c:arrow-{name}" SCOPE><xsl:param name="uri"/><xsl:param name="base"/>{more}'
            f'<xsl:sequence select="c:{name}($base, $uri{argument})"/></xsl:function>'
        )
    for name in ("unparsed-text", "unparsed-text-lines", "unparsed-text-available"):
        written.append(
            f'<xsl:function name="c:{name}" SCOPE><xsl:param name="base"/><xsl:param name="uri"/>'
            f"<xsl:sequence select=\"c:{name}($base, $uri, '')\"/></xsl:function>"
        )
    return "\n".join(written)


def resources() -> str:
    """Return the functions that replace doc(), document(), unparsed-text() and similar functions."""
    return _filled("\n".join((_RESOURCES.strip(), _arrows())))


def locations() -> str:
    """Return the functions that give the location of nodes."""
    return _filled(_LOCATIONS.strip())


def _filled(text: str) -> str:
    return text.replace("SCOPE", _SCOPE).replace("JUDGE", JUDGE).replace("NEEDED", NEEDED)
