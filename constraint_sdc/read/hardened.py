"""lxml set up for hostile input: no DTD, no entities, no network, libxml2's bounds on depth and text kept.

The bounds are libxml2's own without `huge_tree`: 256 levels, 10 MB for a text, comment or attribute.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn, cast

from lxml import etree

from constraint_sdc.errors import DataError

_HINTS = (
    ("encoding", "correct the encoding in the XML declaration or convert the file"),
    ("not proper UTF-8", "correct the encoding in the XML declaration or convert the file"),
    ("invalid byte", "correct the encoding in the XML declaration or convert the file"),
    ("Premature end", "the file is cut off: write or copy it again"),
    ("Excessive depth", "at most 256 levels are read"),
    ("Huge", "at most 10 MB are read as one text"),
    ("too long", "at most 10 MB are read as one text"),
    ("Entity", "entities are not read: write the text itself"),
)


def pull_parser(tag: tuple[str, ...] | None = None) -> etree.XMLPullParser:
    """Return a strict push parser that reports the start and end of these elements (of all by default)."""
    # An xml:id that occurs twice is no matter of well-formedness, and the table of ids would grow with the file.
    return etree.XMLPullParser(
        ("start", "end"),
        tag=tag,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
    )


def element_events(parser: etree.XMLPullParser) -> Iterator[tuple[str, etree._Element]]:
    """Yield what the parser has met since the last call."""
    return cast("Iterator[tuple[str, etree._Element]]", parser.read_events())


def source_line(element: etree._Element) -> int:
    """Return the line that libxml2 noted for the element, exact up to line 65,535."""
    return cast("int | None", element.sourceline) or 1


def is_element(node: etree._Element) -> bool:
    """Tell an element from a comment or processing instruction, which lxml hands out as the same class."""
    return isinstance(node.tag, str)


def parse_bytes(data: bytes) -> etree._Element:
    """Return the root of a small document that we put together ourselves."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, collect_ids=False)
    return etree.fromstring(data, parser)


def refuse(
    error: etree.XMLSyntaxError, file: str, lines_before: int = 0, parser: etree.XMLPullParser | None = None
) -> NoReturn:
    """Turn the parser's complaint into ours; `lines_before` is added to its line."""
    message, line = (error.msg or "cannot be parsed").split(", line ")[0], error.lineno or 0
    # A push parser reports some errors only at the end, without their place; its own log has it.
    log = list(cast("Any", parser).feed_error_log) if parser is not None and not line else []
    if log:
        message, line = str(log[0].message), int(log[0].line)
    hint = next((hint for word, hint in _HINTS if word in message), "correct the file at this line")
    raise DataError(f"not well-formed XML: {message}", file=file, line=max(line, 1) + lines_before, hint=hint) from None


def refuse_doctype(root: etree._Element, file: str) -> None:
    """Refuse a document type declaration, the door to entity bombs and external files."""
    if root.getroottree().docinfo.internalDTD is not None:
        raise DataError("DOCTYPE is not allowed", file=file, line=1, hint="remove the document type declaration")


def refuse_version(root: etree._Element, file: str) -> None:
    """Refuse XML 1.1, in which some characters are line ends that libxml2 takes for text."""
    version = root.getroottree().docinfo.xml_version
    if version not in (None, "1.0"):
        raise DataError(f"XML {version} is not read", file=file, line=1, hint="write the file as XML 1.0")
