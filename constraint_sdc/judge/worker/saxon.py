"""Saxon without access to the outside: the only file that imports saxonche.

Saxon reads no file, no URI and no environment variable, calls no external function and evaluates no text as code: it
receives everything as text. The settings must precede the first parse; each has a test in which its attack fails,
because none of them is documented to have this effect.
"""

from __future__ import annotations

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
# The parser's own limits would refuse a record of more than 200 attributes, and names that the reader reads (libxml2
# has a limit of its own); depth stays bounded.
_LIMITS = {
    "jdk.xml.elementAttributeLimit": "100000",
    "jdk.xml.maxXMLNameLimit": "0",
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
