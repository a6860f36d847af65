"""`xsl:key` declarations that say no more than "these elements by this child": enough to look up another document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from lxml import etree

from constraint_sdc.model.expression import Outside
from constraint_sdc.model.schema import Schema
from constraint_sdc.rules.scope import Document, RefusedError, extend
from constraint_sdc.rules.syntax import ContextItem, NotUnderstood, Path, Root, Step, Syntax, step_name
from constraint_sdc.rules.xpath import parse_xpath

_KEY = "{http://www.w3.org/1999/XSL/Transform}key"
_UNDERSTOOD = frozenset({"name", "match", "use"})


def plain_keys(schema: Schema, namespaces: Mapping[str, str]) -> dict[str, Outside]:
    """Return the schema's keys as paths whose document is still open; a key of any other shape is left out."""
    # A key's use of numbers or of several values would compare otherwise than texts do: only plain names pass.
    declared = [_parse(text) for text, _ in schema.foreign]
    keys = [element for element in declared if element is not None and element.tag == _KEY]
    counts = Counter(element.get("name") for element in keys)
    found: dict[str, Outside] = {}
    for element in keys:
        name = element.get("name") or ""
        path = _path(element, namespaces)
        if path is not None and counts[name] == 1:
            found[name] = path
    return found


def _parse(text: str) -> etree._Element | None:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(text.encode("utf-8"), parser)
    except etree.XMLSyntaxError:
        return None


def _path(element: etree._Element, namespaces: Mapping[str, str]) -> Outside | None:
    if set(element.attrib) - _UNDERSTOOD or len(element):
        return None
    match = parse_xpath(element.get("match") or "", namespaces)
    use = parse_xpath(element.get("use") or "", namespaces)
    if isinstance(match, NotUnderstood) or isinstance(use, NotUnderstood):
        return None
    try:
        return _along(use, _along(match, None))
    except RefusedError:
        return None


def _along(tree: Syntax, origin: Outside | None) -> Outside:
    start: Document | Outside = origin if origin is not None else Document(None)
    match tree:
        case ContextItem() if origin is not None:
            return origin
        case Step():
            return extend(start, _name(tree), deep=origin is None, text=tree.text)
        case Path(Root(), Step() as step, deep) if origin is None:
            return extend(start, _name(step), deep=deep, text=tree.text)
        case Path(left, Step() as step, False):
            return extend(_along(left, origin), _name(step), deep=False, text=tree.text)
        case _:
            raise RefusedError("a key of this shape is outside our expression type", tree.text)


def _name(step: Step) -> str:
    name = step_name(step)
    if name is None:
        raise RefusedError("a key of this shape is outside our expression type", step.text)
    return name
