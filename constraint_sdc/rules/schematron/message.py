"""What an assertion, diagnostic or property says: text, values, names and markup."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.model.schema import MarkupPart, MessagePart, NamePart, TextPart, ValuePart
from constraint_sdc.rules.schematron.element import XSLT_NAMESPACE, Element


def message_parts(element: Element) -> tuple[MessagePart, ...]:
    """Return the content of an element as message parts, white space as written."""
    return tuple(_parts(element))


def _parts(element: Element) -> Iterator[MessagePart]:
    for child in element.children:
        if isinstance(child, str):
            yield TextPart(child)
        elif child.kind == "value-of":
            yield ValuePart(child.require("select"), child.origin)
        elif child.kind == "name":
            yield NamePart(child.get("path"), child.origin)
        elif child.tag == f"{{{XSLT_NAMESPACE}}}value-of" and set(child.attributes) == {"select"}:
            # As a ValuePart its value is hidden in reports like any other.
            yield ValuePart(child.attributes["select"], child.origin)
        else:
            yield MarkupPart(child.tag, tuple(child.attributes.items()), message_parts(child))
