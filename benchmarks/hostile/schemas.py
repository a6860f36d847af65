"""Hostile rules: XSLT that switches the judge off, rules that judge nothing, expressions that read files."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hostile.attempt import FALSE, TRUE, Attempt, mutated, rows, schema


def hostile_rules(draw: random.Random) -> Iterator[Attempt]:
    check = ("check", "data.xml", "--rules", "rules.sch", "--engine", "saxon")
    data = {"data.xml": rows()}
    off = {
        "template takes all": '<xsl:template name="m" match="*" priority="99" mode="#all"/>',
        "template by pattern": '<xsl:template match="R" priority="1000" mode="#all"/>',
        "mode": '<xsl:mode on-no-match="deep-skip"/>',
        "strip space": '<xsl:strip-space elements="*"/>',
        "output": '<xsl:output method="text"/>',
        "import": '<xsl:import href="other.xsl"/>',
        "include": '<xsl:include href="other.xsl"/>',
        "package": '<xsl:use-package name="urn:x"/>',
        "global context": '<xsl:global-context-item use="absent"/>',
        "function of ours": '<xsl:function name="f:number" xmlns:f="http://www.w3.org/2005/xpath-functions">'
        '<xsl:param name="x"/><xsl:sequence select="-5"/></xsl:function>',
        "version": '<xsl:key name="k" match="R" use="A" version="9.0" use-when="false()"/>',
        "attribute set": '<xsl:attribute-set name="s"/>',
        "namespace alias": '<xsl:namespace-alias stylesheet-prefix="xsl" result-prefix="xsl"/>',
        "accumulator": '<xsl:accumulator name="a" initial-value="0">'
        '<xsl:accumulator-rule match="R" select="1"/></xsl:accumulator>',
        "character map": '<xsl:character-map name="c"/>',
        "evaluate": '<xsl:function name="f:f" xmlns:f="urn:f"><xsl:evaluate xpath="\'1\'"/></xsl:function>',
        "result document": '<xsl:function name="f:f" xmlns:f="urn:f">'
        '<xsl:result-document href="out.txt">x</xsl:result-document></xsl:function>',
        "message": '<xsl:function name="f:f" xmlns:f="urn:f">'
        '<xsl:message terminate="yes">x</xsl:message></xsl:function>',
        "let that stops": '<let name="x" value="error()"/>',
        "let of ours": '<let name="most" value="0"/>',
    }
    for what, top in off.items():
        yield Attempt(f"judge off: {what}", {"rules.sch": schema(FALSE, top), **data}, check, must_fail=True)
    for context in ("r", "R[false()]", "/R", "D/r", "text()", "@R", "*[self::r]"):
        files = {"rules.sch": schema(FALSE, context=context), **data}
        yield Attempt(f"idle context {context}", files, check[:4], must_fail=True)
    taken = '<rule context="*"><report id="z" test="false()">x</report></rule>'
    yield Attempt("hidden rule", {"rules.sch": schema(FALSE, more=taken), **data}, check[:4], must_fail=True)
    for name in ("judge", "judge:internal"):
        for test in (f"Q{{urn:constraint-sdc:{name}}}text(A) = '1'", f"exists($Q{{urn:constraint-sdc:{name}}}most)"):
            yield Attempt("names of the judge", {"rules.sch": schema(test), **data}, check)
    reading = (
        "unparsed-text('SECRET')", "doc('SECRET')", "document('SECRET')", "json-doc('SECRET')",
        "unparsed-text-lines('SECRET')",
        "collection('.')", "uri-collection('.')", "environment-variable('CANARY')", "doc('http://127.0.0.1:9/x')",
        "unparsed-text(concat('SEC', 'RET'))", "function-lookup(xs:QName('fn:unparsed-text'), 1)('SECRET')",
        "transform(map{'stylesheet-location': 'SECRET'})", "load-xquery-module('urn:x')", "doc('../secret/SECRET')",
        "unparsed-text('..%2Fsecret%2FSECRET')", "doc('file:/etc/passwd')", "doc('link.xml')",
        "unparsed-text('/proc/self/environ')",
    )  # fmt: skip
    for test in reading:
        files = {"rules.sch": schema(f"string({test}) = 'x'"), **data}
        yield Attempt(f"reads: {test}", files, (*check, "--show-values"))
    for href in ("SECRET", "../secret/SECRET", "file:///etc/passwd", "http://127.0.0.1:9/x", "link.xml"):
        files = {"rules.sch": schema(TRUE, f'<include href="{href}"/>'), **data}
        yield Attempt("includes", files, check)
    for text in ("\n::error::told", "\x85::error::x", "\u202e", "a" * 100_000):
        escaped = text.replace("\n", "&#10;")
        files = {"rules.sch": schema(FALSE, f"<title>{escaped}</title>"), **data}
        yield Attempt("speaks to the log", files, ("check", "data.xml", "--rules", "rules.sch"), must_fail=True)
    for _ in range(150):
        yield Attempt("mutated", {"rules.sch": mutated(draw, schema(FALSE)), **data}, check[:4])
