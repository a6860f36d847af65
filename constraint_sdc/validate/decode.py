"""The bytes of an XML document as text, by the rules of XML's appendix on encodings.

Saxon may open no file, so documents are handed to it as text. Only encodings that XML parsers know are accepted:
Python has codecs (`unicode_escape`, `utf-7`, `idna`) that would turn one document into another.
"""

from __future__ import annotations

import codecs
import re

_DECLARED = re.compile(rb"""^<\?xml\s[^>]*?encoding\s*=\s*["']([A-Za-z][A-Za-z0-9._\-]*)["']""")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNMARKED = ((b"\x3c\x00\x3f\x00", "utf-16-le"), (b"\x00\x3c\x00\x3f", "utf-16-be"))
# fmt: off
_KNOWN = frozenset({
    "utf-8", "ascii", "utf-16", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_jp", "euc_kr", "shift_jis",
    "iso2022_jp", "koi8-r", "koi8-u", "mac-roman", "tis-620",
})
# fmt: on
_KNOWN_FAMILY = re.compile(r"iso8859-\d+|cp\d+")


class EncodingError(ValueError):
    """The bytes are not text in the encoding that they claim."""


def xml_text(document: bytes) -> str:
    """Return a document as text, its byte order mark left out.

    >>> xml_text(b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\\xe9</a>')[-6:]
    '>é</a>'
    """
    encoding, start = _encoding(document)
    try:
        return document[start:].decode(encoding) if start else document.decode(encoding)
    except UnicodeDecodeError as error:
        line = document.count(b"\n", 0, start + error.start) + 1
        raise EncodingError(f"line {line}: the bytes are not {encoding}: {error.reason}") from None


def plain_text(content: bytes, encoding: str) -> str:
    """Return a text file as text; an empty `encoding` means UTF-8 or what a byte order mark says."""
    for mark, marked in _MARKS:
        if content.startswith(mark):
            return _decoded(content[len(mark) :], marked)
    return _decoded(content, _known(encoding) if encoding else "utf-8")


def _decoded(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as error:
        raise EncodingError(f"the bytes are not {encoding}: {error.reason}") from None


def _encoding(document: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if document.startswith(mark):
            return encoding, len(mark)
    for start, encoding in _UNMARKED:
        if document.startswith(start):
            return encoding, 0
    declared = _DECLARED.match(document[:1024])
    return (_known(declared[1].decode("ascii")) if declared else "utf-8"), 0


def _known(name: str) -> str:
    try:
        canonical = codecs.lookup(name).name
    except LookupError:
        canonical = ""
    if canonical in _KNOWN or _KNOWN_FAMILY.fullmatch(canonical):
        return canonical
    raise EncodingError(f"the encoding {name!r} is not known")
