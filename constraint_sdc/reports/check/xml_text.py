"""XML made of safe text: a builder that no character of the data can break."""

from __future__ import annotations

import re
from xml.etree import ElementTree  # builds and serialises only; nothing is parsed here

from constraint_sdc.reports.terminal import legible

# Name characters of XML 1.0, fifth edition, without the colon.
_START = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
)
_NCNAME = re.compile(f"[{_START}][-.0-9\xb7\u0300-\u036f\u203f\u2040{_START}]*")


def element(tag: str, attributes: dict[str, str | None], text: str | None = None) -> ElementTree.Element:
    """Return an element; attributes that are None are left out."""
    made = ElementTree.Element(tag, {name: legible(value) for name, value in attributes.items() if value is not None})
    made.text = None if text is None else legible(text)
    return made


def name_or_none(text: str) -> str | None:
    """Return the text if it is an NCName, else None.

    >>> name_or_none("v9-sum"), name_or_none("#ALL")
    ('v9-sum', None)
    """
    return text if _NCNAME.fullmatch(text) else None


def xml_text(root: ElementTree.Element) -> str:
    """Return the document, indented, with its declaration."""
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'
