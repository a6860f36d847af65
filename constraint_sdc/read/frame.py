"""The start and end tags around the records, as text that makes any run of records a document again."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from lxml import etree

from constraint_sdc.model.table import Layout


def layout_around(parent: etree._Element, record: str, style: str) -> Layout:
    """Describe the elements from the root down to `parent`: names and namespaces, on one line, no other attribute."""
    chain = _chain(parent)
    return Layout(
        wrappers=path_of(parent),
        record=record,
        style=style,
        head="".join(_start_tag(element) for element in chain).encode("utf-8"),
        tail="".join(f"</{qualified_name(element)}>" for element in reversed(chain)).encode("utf-8"),
    )


def local_name(name: str) -> str:
    """Return a Clark name without its namespace.

    >>> local_name("{urn:x}Record")
    'Record'
    """
    return name.rpartition("}")[2]


def path_of(element: etree._Element) -> tuple[str, ...]:
    """Return the names from the root down to the element."""
    return tuple(str(node.tag) for node in _chain(element))


def _chain(element: etree._Element) -> list[etree._Element]:
    return [*reversed(list(element.iterancestors())), element]


def qualified_name(element: etree._Element) -> str:
    """Return the element's name as the file writes it."""
    local = local_name(str(element.tag))
    return f"{element.prefix}:{local}" if element.prefix else local


def _start_tag(element: etree._Element) -> str:
    outer = element.getparent()
    inherited = {} if outer is None else outer.nsmap
    declared = [
        f" xmlns{':' + prefix if prefix else ''}={quoteattr(uri)}"
        for prefix, uri in element.nsmap.items()
        if inherited.get(prefix) != uri
    ]
    # lxml leaves a default namespace that was switched off (xmlns="") out of nsmap.
    if None in inherited and None not in element.nsmap:
        declared.append(' xmlns=""')
    return f"<{qualified_name(element)}{''.join(declared)}>"
