"""XSLT that the author wrote in the schema (xsl:key, xsl:function, ...), with its file-reading calls confined."""

from __future__ import annotations

from collections.abc import Mapping

from lxml import etree

from constraint_sdc.errors import RulesError
from constraint_sdc.judge.stylesheet.access import Confined, Wanted, confine_expression
from constraint_sdc.judge.stylesheet.xpath1_numbers import TEXT
from constraint_sdc.schematron.schema import Origin
from constraint_sdc.schematron.xslt import refuse_strange, refuse_taken_name, what_is_written, xslt_name
from constraint_sdc.xpath.tokens import tokenize


def confine_fragment(
    xml: str, origin: Origin, namespaces: Mapping[str, str], *, is_declaration: bool = False
) -> Confined:
    """Rewrite the file-reading calls in a piece of XSLT or literal content, and refuse XSLT that is not admitted.

    `namespaces` are those of the stylesheet around it.
    """
    root = _parsed(xml, origin)
    wanted: list[Wanted] = []
    reads = False
    for element in root.iterdescendants(etree.Element):
        at_top = is_declaration and element.getparent() is root
        refuse_strange(str(element.tag), map(str, element.attrib), origin, is_declaration=at_top)
        scope = {**namespaces, **{prefix or "": uri for prefix, uri in element.nsmap.items()}}
        if at_top and xslt_name(str(element.tag)) == "function":
            refuse_taken_name(element.get("name") or "", scope, origin)
        for key, value in element.attrib.items():
            confined = confine_attribute(xslt_name(str(element.tag)), str(key), str(value), origin, scope)
            wanted += confined.wanted
            reads = reads or confined.reads
            element.set(key, confined.text)
    return Confined(_inner_text(root), tuple(wanted), reads)


def foreign_declaration(xml: str, origin: Origin, namespaces: Mapping[str, str], version: str | None) -> Confined:
    """Return a top-level declaration of XSLT for the stylesheet."""
    confined = confine_fragment(xml, origin, namespaces, is_declaration=True)
    if version is None:
        return confined
    element = _parsed(confined.text, origin)[0]
    element.set("version", version)
    if xslt_name(str(element.tag)) == "key" and "use" in element.attrib:
        element.set("use", f"{TEXT}({element.get('use')})")
    return Confined(etree.tostring(element, encoding="unicode", with_tail=False), confined.wanted, confined.reads)


def confine_attribute(
    instruction: str, name: str, value: str, origin: Origin, namespaces: Mapping[str, str]
) -> Confined:
    """Rewrite one attribute of an admitted instruction, or of a literal element, which is an attribute value template.

    `instruction` is the instruction's local name, empty for a literal element.
    """
    written = what_is_written(instruction, name) if instruction else "template"
    if written == "expression":
        return confine_expression(value, origin, namespaces)
    if written != "template" or "{" not in value:
        return Confined(value)
    pieces = [
        confine_expression(text, origin, namespaces) if inside else Confined(text)
        for inside, text in template_pieces(value)
    ]
    wanted = tuple(w for piece in pieces for w in piece.wanted)
    return Confined("".join(piece.text for piece in pieces), wanted, any(piece.reads for piece in pieces))


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


def template_pieces(value: str) -> list[tuple[bool, str]]:
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
