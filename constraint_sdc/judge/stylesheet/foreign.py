"""XSLT that the author wrote in the schema (xsl:key, xsl:function, ...), with its file-reading calls confined."""

from __future__ import annotations

from lxml import etree

from constraint_sdc.errors import ResourceRefusedError, RulesError
from constraint_sdc.judge.stylesheet.access import Confined, Wanted, confine_expression
from constraint_sdc.judge.stylesheet.xpath1_numbers import TEXT
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.xpath.tokens import tokenize

XSLT = "http://www.w3.org/1999/XSL/Transform"
# fmt: off
_EXPRESSIONS = frozenset({
    "select", "test", "match", "use", "group-by", "group-adjacent", "group-starting-with", "group-ending-with", "value",
    "count", "from", "initial-value", "for-each-source", "for-each-item", "context-item", "with-params", "key",
})
_REFUSED = frozenset({
    "include", "import", "use-package", "import-schema", "result-document", "evaluate", "source-document", "stream",
})
# fmt: on


def confine_fragment(xml: str, origin: Origin) -> Confined:
    """Rewrite the file-reading calls in a piece of XSLT or literal content."""
    root = _parsed(xml, origin)
    wanted: list[Wanted] = []
    reads = False
    for element in root.iter(etree.Element):
        name = etree.QName(element)
        if name.namespace == XSLT:
            refuse_instruction(name.localname, origin)
        for key, value in element.attrib.items():
            confined = confine_attribute(name.namespace == XSLT, str(key), str(value), origin)
            wanted += confined.wanted
            reads = reads or confined.reads
            element.set(key, confined.text)
    return Confined(_inner_text(root), tuple(wanted), reads)


def foreign_declaration(xml: str, origin: Origin, version: str | None) -> Confined | None:
    """Return a top-level declaration for the stylesheet, or None when it is not XSLT."""
    name = etree.QName(_parsed(xml, origin)[0])
    if name.namespace != XSLT:
        return None
    confined = confine_fragment(xml, origin)
    if version is None:
        return confined
    element = _parsed(confined.text, origin)[0]
    element.set("version", element.get("version", version))
    if name.localname == "key" and "use" in element.attrib:
        element.set("use", f"{TEXT}({element.get('use')})")
    return Confined(etree.tostring(element, encoding="unicode", with_tail=False), confined.wanted, confined.reads)


def confine_attribute(of_instruction: bool, name: str, value: str, origin: Origin) -> Confined:
    """Rewrite one attribute: an expression of an XSLT instruction, or else an attribute value template."""
    if of_instruction and name in _EXPRESSIONS:
        return confine_expression(value, origin)
    if "{" not in value:
        return Confined(value)
    pieces = [confine_expression(text, origin) if inside else Confined(text) for inside, text in _template(value)]
    wanted = tuple(w for piece in pieces for w in piece.wanted)
    return Confined("".join(piece.text for piece in pieces), wanted, any(piece.reads for piece in pieces))


def refuse_instruction(name: str, origin: Origin) -> None:
    """Refuse an instruction that reads or writes files itself, or that evaluates text as code."""
    if name in _REFUSED:
        raise ResourceRefusedError(
            f"xsl:{name} is not allowed in rules",
            file=origin.file,
            line=origin.line,
            hint="copy the declarations into the schema" if name in ("include", "import") else None,
        )


def _parsed(xml: str, origin: Origin) -> etree._Element:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, strip_cdata=False, remove_comments=True)
    try:
        return etree.fromstring(f"<judge>{xml}</judge>", parser)
    except etree.XMLSyntaxError as error:
        raise RulesError(f"content is not well-formed: {error.msg}", file=origin.file, line=origin.line) from None


def _inner_text(root: etree._Element) -> str:
    text = "".join(etree.tostring(child, encoding="unicode") for child in root)
    return _escaped(root.text or "") + text


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _template(value: str) -> list[tuple[bool, str]]:
    """Cut an attribute value template into (is it an expression, text) pairs, which joined give the value."""
    pieces: list[tuple[bool, str]] = []
    place = 0
    while place < len(value):
        start = value.find("{", place)
        if start < 0:
            break
        if value.startswith("{{", start):
            pieces.append((False, value[place : start + 2]))
            place = start + 2
            continue
        end = start + 1 + _closing(value[start + 1 :])
        pieces += [(False, value[place : start + 1]), (True, value[start + 1 : end])]
        place = end
    return [*pieces, (False, value[place:])]


def _closing(text: str) -> int:
    """Return the position of the brace that ends an embedded expression."""
    depth = length = 0
    for token in tokenize(text):
        if token.text == "{" and token.kind == "symbol":
            depth += 1
        elif token.text == "}" and token.kind == "symbol":
            if depth == 0:
                return length
            depth -= 1
        length += len(token.text)
    return length
