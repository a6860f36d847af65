"""Saxon without access to the outside: the only file that imports saxonche.

Saxon reads no file, no URI and no environment variable, calls no external function and evaluates no text as code: it
receives everything as text. The settings must precede the first parse; each has a test in which its attack fails,
because none of them is documented to have this effect.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from saxonche import PySaxonApiError, PySaxonProcessor

_FEATURE = "http://saxon.sf.net/feature/"
_CLOSED = {
    "allowedProtocols": "none",
    "allow-external-functions": "false",
    "disableXslEvaluate": "true",
    "parserFeature?uri=http%3A//apache.org/xml/features/disallow-doctype-decl": "true",
    "parserFeature?uri=http%3A//xml.org/sax/features/external-general-entities": "false",
    "parserFeature?uri=http%3A//xml.org/sax/features/external-parameter-entities": "false",
}
# The parser's own limits would refuse a record of more than 200 attributes; depth stays bounded.
_LIMITS = {
    "jdk.xml.elementAttributeLimit": "100000",
    "jdk.xml.maxXMLNameLimit": "10000",
    "jdk.xml.maxElementDepth": "1000",
}


class SaxonError(Exception):
    """Saxon's error message, unchanged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run: the first item as text, the line numbers of the nodes after it, and the messages."""

    text: str
    lines: list[int]
    messages: list[str]
    error: str | None


class Saxon:
    """One processor that can read nothing by itself."""

    def __init__(self) -> None:
        self._processor = PySaxonProcessor(license=False)
        for feature, value in _CLOSED.items():
            self._processor.set_configuration_property(_FEATURE + feature, value)
        for limit, value in _LIMITS.items():
            self._processor.set_configuration_property(f"{_FEATURE}parserProperty?uri={limit}", value)
        self._compiler = self._processor.new_xslt30_processor()
        self._compiler.set_jit_compilation(False)

    @property
    def version(self) -> str:
        """Return the name and version of the processor."""
        return str(self._processor.version)

    def parse(self, text: str, base: str) -> Any:
        """Return a document as a node, with line numbers."""
        builder = self._processor.new_document_builder()
        builder.set_base_uri(base)
        builder.set_line_numbering(True)
        try:
            return builder.parse_xml(xml_text=text)
        except PySaxonApiError as error:
            raise SaxonError(str(error)) from None

    def compile(self, stylesheet: str) -> Any:
        """Return a compiled stylesheet."""
        try:
            return self._compiler.compile_stylesheet(stylesheet_text=stylesheet)
        except PySaxonApiError as error:
            raise SaxonError(str(error)) from None

    def map_of(self, entries: Mapping[str, Any]) -> Any:
        """Return an XPath map from strings to nodes or strings."""
        values = {k: self._processor.make_string_value(v) if isinstance(v, str) else v for k, v in entries.items()}
        return self._processor.make_map2(values)

    def run(self, executable: Any, template: str, instance: Any, parameters: Mapping[str, Any]) -> Outcome:
        """Call a named template with a document as context; a dynamic error is part of the outcome."""
        executable.clear_parameters()
        executable.set_global_context_item(xdm_item=instance)
        executable.set_save_xsl_message(True)
        executable.clear_xsl_messages()
        executable.set_result_as_raw_value(True)
        for name, value in parameters.items():
            executable.set_parameter(name, value)
        try:
            value = executable.call_template_returning_value(template)
            error = None
        except PySaxonApiError as problem:
            value, error = None, str(problem)
        messages = [str(message.string_value) for message in executable.get_xsl_messages() or ()]
        if value is None:
            return Outcome("", [], messages, error or "Saxon returned no result")
        lines = [value.item_at(index).get_node_value().line_number for index in range(1, value.size)]
        return Outcome(value.item_at(0).string_value, lines, messages, None)


def complaint_line(stderr: str) -> int | None:
    """Return the line that Saxon's parser names on standard error, the only place where it does."""
    found = re.findall(r"on line (\d+)", stderr)
    return int(found[-1]) if found else None


# The bytes of an XML document as text, by the rules of XML's appendix on encodings.
#
# Saxon may open no file, so it receives documents as text. Only encodings that XML parsers know are accepted: Python
# has codecs (`unicode_escape`, `utf-7`, `idna`) that would turn one document into another.

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
    """The bytes are not text in the declared encoding."""


def xml_text(document: bytes) -> str:
    """Return a document as text, without its byte order mark.

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
    """Return a text file as text; an empty `encoding` means that of the byte order mark, or UTF-8."""
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
    raise EncodingError(f"unknown encoding {name!r}")
