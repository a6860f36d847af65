"""Messages, diagnostics and properties as XSLT: their text with values, and their mark-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from constraint_sdc.model.schema import MarkupPart, MessagePart, NamePart, Origin, TextPart, ValuePart
from constraint_sdc.validate.expressions import Author, ours
from constraint_sdc.validate.foreign import XSLT, confine_attribute, refuse_instruction
from constraint_sdc.validate.sheet import Place, literal
from constraint_sdc.validate.tokens import rename_variables
from constraint_sdc.validate.xpath1_numbers import TEXT

SVRL = "http://purl.oclc.org/dsdl/svrl"
_SCHEMATRON = ("http://purl.oclc.org/dsdl/schematron", "http://www.ascc.net/xml/schematron")
_SVRL_NAMES = {("dir", "value"): "dir"}
_XML = "http://www.w3.org/XML/1998/namespace"


def write_parts(author: Author, parts: tuple[MessagePart, ...], scope: Mapping[str, str], origin: Origin) -> None:
    """Write the parts of a message as a sequence constructor."""
    for part in parts:
        match part:
            case TextPart(text):
                author.sheet.text(text)
            case ValuePart(select, where):
                _write_value(author, select, where, scope)
            case NamePart(path, where):
                _write_name(author, path, where, scope)
            case MarkupPart():
                _write_markup(author, part, scope, origin)
            case _:
                assert_never(part)


def _write_value(author: Author, select: str, origin: Origin, scope: Mapping[str, str]) -> None:
    place = Place(f"value-of select={select!r}", origin)
    if not author.schema.is_xpath1:
        author.leaf("xsl:value-of", "select", select, place, scope)
        return
    name = ours("value")
    author.variable_of(name, select, place, scope)
    author.sheet.leaf("xsl:value-of", {"select": f"{TEXT}(${name})", "version": author.version})


def _write_name(author: Author, path: str | None, origin: Origin, scope: Mapping[str, str]) -> None:
    if path is None:
        author.sheet.leaf("xsl:value-of", {"select": "name()", "version": author.our_version})
        return
    # The path stands in a variable of its own, so that it is compiled alone and a slip in it cannot reach beyond.
    name = ours("named")
    author.variable_of(name, path, Place(f"name path={path!r}", origin), scope)
    author.sheet.leaf("xsl:value-of", {"select": f"{ours('name')}(${name})", "version": author.our_version})


def _write_markup(author: Author, part: MarkupPart, scope: Mapping[str, str], origin: Origin) -> None:
    uri, name = split_clark(part.name)
    if uri == XSLT:
        _write_instruction(author, name, part, scope, origin)
        return
    attributes = part.attributes
    if uri in _SCHEMATRON:
        uri = SVRL
        attributes = tuple((_SVRL_NAMES.get((name, key), key), value) for key, value in attributes)
    with author.sheet.element(name, {"xmlns": uri} | written_names(attributes), Place(f"<{name}>", origin)):
        write_parts(author, part.parts, scope, origin)


def _write_instruction(author: Author, name: str, part: MarkupPart, scope: Mapping[str, str], origin: Origin) -> None:
    """Write an XSLT instruction, inside which white space alone is layout (xsl:choose must not have any)."""
    attributes = _instruction(author, name, part.attributes, scope, origin)
    texts = [piece.text for piece in part.parts if isinstance(piece, TextPart)]
    if name == "text" and len(texts) == len(part.parts):
        author.sheet.text("".join(texts))
        return
    inside = tuple(piece for piece in part.parts if not isinstance(piece, TextPart) or piece.text.strip())
    with author.sheet.element(f"xsl:{name}", attributes, Place(f"<xsl:{name}>", origin)):
        write_parts(author, inside, scope, origin)


def _instruction(
    author: Author, name: str, attributes: tuple[tuple[str, str], ...], scope: Mapping[str, str], origin: Origin
) -> dict[str, str | None]:
    refuse_instruction(name, origin)
    written: dict[str, str | None] = author.stated(origin)
    for key, value in attributes:
        confined = confine_attribute(True, key, value, origin)
        author.note(confined)
        written[key] = rename_variables(confined.text, scope)
    return written


def written_names(attributes: tuple[tuple[str, str], ...]) -> dict[str, str | None]:
    """Return attributes for a literal element: Clark names become prefixed ones, values mean themselves."""
    written: dict[str, str | None] = {}
    for index, (clark, value) in enumerate(attributes):
        uri, name = split_clark(clark)
        if clark.startswith("xml:"):
            name = clark
        elif uri == _XML:
            name = f"xml:{name}"
        elif uri:
            written[f"xmlns:n{index}"] = uri
            name = f"n{index}:{name}"
        written[name] = literal(value)
    return written


def split_clark(name: str) -> tuple[str, str]:
    """Split a Clark name.

    >>> split_clark("{urn:a}b"), split_clark("b")
    (('urn:a', 'b'), ('', 'b'))
    """
    if not name.startswith("{"):
        return "", name
    uri, _, local = name[1:].partition("}")
    return uri, local
