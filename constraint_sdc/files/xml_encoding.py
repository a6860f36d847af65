"""The one decoder: which encoding the bytes of an XML document have, and their text, for the reader and for the judge.

Both engines receive the text that is decoded here, as UTF-8 or as a string. Only encodings that libxml2 and Python
decode alike are read (`tests/files/read/test_xml_encoding.py` compares them), so other XML tools read the same text.
The encoding follows from a byte order mark and the XML declaration; where the two disagree, the document is refused.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

# An XML declaration that is longer is refused: it holds white space only.
_MOST_DECLARED = 1024
_OPENING_BYTES = 4 * (_MOST_DECLARED + 1)
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# How "<" begins in the encodings of more than one byte.
_UNMARKED = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_NAMES_OF_WIDE = {
    "utf-8": frozenset({"utf-8", "utf8"}),
    "utf-16-le": frozenset({"utf-16", "utf-16le"}),
    "utf-16-be": frozenset({"utf-16", "utf-16be"}),
    "utf-32-le": frozenset({"utf-32", "utf-32le"}),
    "utf-32-be": frozenset({"utf-32", "utf-32be"}),
}
_LATIN = (*range(1, 12), *range(13, 17))
_WINDOWS = (1250, 1251, 1252, 1253, 1254, 1256, 1257)
# Encodings in which markup bytes mean themselves, by the names that a declaration may use.
ASCII_BASED = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "latin1": "iso8859-1",
    **{f"iso-8859-{part}": f"iso8859-{part}" for part in _LATIN},
    **{f"windows-{page}": f"cp{page}" for page in _WINDOWS},
    **{f"cp{page}": f"cp{page}" for page in _WINDOWS},
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "ibm850": "cp850",
    "cp850": "cp850",
    "cp866": "cp866",
}
_CONVERT = "convert the file to UTF-8 first"
_DECLARATION = re.compile(
    r"<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?P<v>[\"'])(?P<version>[a-zA-Z0-9_.:-]+)(?P=v)"
    r"(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?P<e>[\"'])(?P<encoding>[A-Za-z][A-Za-z0-9._-]*)(?P=e))?"
    r"(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?P<s>[\"'])(?:yes|no)(?P=s))?[ \t\r\n]*\?>"
)
_BEGINS_DECLARATION = re.compile(r"<\?xml[ \t\r\n?]")


class EncodingError(ValueError):
    """The bytes are not text in an encoding that is read: what is wrong, in which line, and what to do."""

    def __init__(self, what: str, line: int = 1, hint: str = _CONVERT) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Encoding:
    """How bytes become text: its name in XML, Python's codec (byte order included), and the length of the mark."""

    name: str
    codec: str
    mark: int


def encoding_of(opening: bytes) -> Encoding:
    """Return the encoding of a document from its first 4,100 bytes or more.

    >>> encoding_of(b'<?xml version="1.0" encoding="ISO-8859-1"?><a/>')
    Encoding(name='ISO-8859-1', codec='iso8859-1', mark=0)
    """
    marked = next(((mark, codec) for mark, codec in _MARKS if opening.startswith(mark)), None)
    unmarked = next((codec for start, codec in _UNMARKED if opening.startswith(start)), None)
    mark, wide = marked or (b"", unmarked)
    body = opening[len(mark) : _OPENING_BYTES]
    if wide is None and (b"\0" in body[:4] or body.startswith(b"\x4c\x6f\xa7\x94")):
        raise EncodingError("its first bytes are not XML in an encoding that is read")
    beginning = body.decode(wide or "utf-8", "replace")
    if beginning.startswith("\ufeff"):
        raise EncodingError("it has two byte order marks", hint="remove one of them")
    declared = _declared(beginning)
    if wide is None:
        return _ascii_based(declared)
    if declared is None and marked is None:
        raise EncodingError(f"its bytes are {wide[:6].upper()}, but it has neither a byte order mark nor a declaration")
    if declared is not None and declared.lower() not in _NAMES_OF_WIDE[wide]:
        raise _disagreement(declared, f"its bytes are {wide.upper()}")
    return Encoding(declared or wide[:6].upper(), wide, len(mark))


def _ascii_based(declared: str | None) -> Encoding:
    name = declared or "UTF-8"
    codec = ASCII_BASED.get(name.lower())
    if codec is not None:
        return Encoding(name, codec, 0)
    if any(name.lower() in names for names in _NAMES_OF_WIDE.values()):
        raise _disagreement(name, "its bytes are not")
    raise EncodingError(f"the encoding {name} is not read")


def _disagreement(declared: str, actual: str) -> EncodingError:
    hint = "correct the encoding in the XML declaration"
    return EncodingError(f"the XML declaration says {declared}, but {actual}", hint=hint)


def _declared(opening: str) -> str | None:
    """Return the encoding that an XML declaration names; refuse a declaration that is not well-formed."""
    if _BEGINS_DECLARATION.match(opening) is None:
        return None
    found = _DECLARATION.match(opening[:_MOST_DECLARED])
    if found is None:
        hint = 'write <?xml version="1.0" encoding="UTF-8"?>'
        raise EncodingError("the XML declaration is not well-formed or too long", hint=hint)
    if found["version"] != "1.0":
        raise EncodingError(f"XML {found['version']} is not read", hint="write the file as XML 1.0")
    return found["encoding"]


def declare_utf8(opening: str) -> str:
    """Return the opening of a text with an XML declaration, if any, that names UTF-8."""
    found = _DECLARATION.match(opening)
    if found is None or found["encoding"] is None:
        return opening
    return opening[: found.start("encoding")] + "UTF-8" + opening[found.end("encoding") :]


def not_decoded(name: str, line: int) -> EncodingError:
    """Return the error of bytes that are not in the encoding of the document."""
    hint = "correct the encoding in the XML declaration, or convert the file to UTF-8"
    return EncodingError(f"the bytes are not {name}, the encoding of the file", line, hint)


def xml_text(document: bytes) -> str:
    """Return a whole document as text, without its mark; its declaration names UTF-8.

    >>> xml_text(b'<?xml version="1.0" encoding="ISO-8859-1"?><a>\\xe9</a>')
    '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'
    """
    how = encoding_of(document[:_OPENING_BYTES])
    body = document[how.mark :] if how.mark else document
    try:
        text = body.decode(how.codec)
    except UnicodeDecodeError as error:
        line = body[: error.start].decode(how.codec, "replace").count("\n") + 1
        raise not_decoded(how.name, line) from None
    if "\0" in text:  # Saxon's interface takes it for the end of the text
        raise EncodingError("the character U+0000 is not XML", text[: text.index("\0")].count("\n") + 1, "remove it")
    return declare_utf8(text[:_MOST_DECLARED]) + text[_MOST_DECLARED:]


# Text files that rules read (`unparsed-text`).

_WIDE = {"utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}


def plain_text(content: bytes, encoding: str) -> str:
    """Return a text file as text; an empty `encoding` means that of the byte order mark, or UTF-8."""
    name = encoding or "UTF-8"
    mark, codec = next(
        ((mark, codec) for mark, codec in _MARKS if content.startswith(mark)),
        (b"", ASCII_BASED.get(name.lower()) or _WIDE.get(name.lower())),
    )
    if codec is None:
        raise EncodingError(f"the encoding {name} is not read")
    try:
        return content[len(mark) :].decode(codec)
    except UnicodeDecodeError as error:
        line = content[len(mark) :][: error.start].decode(codec, "replace").count("\n") + 1
        raise not_decoded(name, line) from None
