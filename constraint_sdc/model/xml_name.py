"""Column headers as XML names, reversibly, and the characters that XML can hold.

A character that may not stand in an XML name becomes `_xHHHH_` (`_xHHHHHH_` beyond the basic plane), as SQL/XML does:
`Total income` is written `Total_x0020_income`. An underscore that would look like the start of such an escape is
escaped itself, so that every header comes back as it was.
"""

from __future__ import annotations

import re

_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef"
    "\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_REST = _START + "\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040"

_NAME = re.compile(f"[{_START}][{_REST}]*")
_MUST_ESCAPE = re.compile(f"^[^{_START}]|[^{_REST}]|_(?=x[0-9A-F]{{4}})")
_ESCAPED = re.compile("_x([0-9A-F]{4}|[0-9A-F]{6})_")

ILLEGAL_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML 1.0 document can hold, not even as a character reference."""


def is_xml_name(text: str) -> bool:
    """Tell whether the text is an XML name without a colon."""
    return _NAME.fullmatch(text) is not None


def xml_name(header: str) -> str:
    """Return the XML name for a column header that is not empty; different headers have different names.

    >>> [xml_name(header) for header in ("V1", "Total income", "2nd", "_x0041_")]
    ['V1', 'Total_x0020_income', '_x0032_nd', '_x005F_x0041_']
    """
    return _MUST_ESCAPE.sub(_escape, header)


def header_of(name: str) -> str:
    """Return the column header that `xml_name` turned into this name.

    >>> header_of("Total_x0020_income")
    'Total income'
    """
    return _ESCAPED.sub(_unescape, name)


def local_name(name: str) -> str:
    """Return a variable's name without its namespace and without the "@" of an attribute.

    >>> [local_name(name) for name in ("V1", "@V1", "{urn:census}V1", "@{urn:census}V1")]
    ['V1', 'V1', 'V1', 'V1']
    """
    return name.removeprefix("@").rpartition("}")[2]


def _escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"_x{code:04X}_" if code <= 0xFFFF else f"_x{code:06X}_"


def _unescape(found: re.Match[str]) -> str:
    code = int(found.group(1), 16)
    return chr(code) if code <= 0x10FFFF else found.group()
