"""Write a stylesheet line by line and remember where in the Schematron each line comes from.

Every start tag is on a line of its own, so that a line number in Saxon's error message leads back to a file and line
of the Schematron.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from constraint_sdc.schematron.schema import Origin

Attributes: TypeAlias = Mapping[str, str | None]
NONE: Attributes = {}
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
)


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """The origin of a line of the stylesheet: `what` describes it for the author, with its file and line."""

    what: str
    origin: Origin


@dataclass(slots=True)
class Sheet:
    """A stylesheet under construction.

    Callers write the elements of XSLT with the prefix `xsl`; `prefix` is what they get, because a schema may use `xsl`
    for another namespace. In a tag `<` is always markup: text and attributes escape it.
    """

    prefix: str = "xsl"
    lines: list[str] = field(default_factory=list)
    places: dict[int, SheetPlace] = field(default_factory=dict)

    @contextmanager
    def element(self, name: str, attributes: Attributes = NONE, place: SheetPlace | None = None) -> Iterator[None]:
        """Write a start tag, the content that the body writes, and the end tag."""
        self._line(self.in_xslt(f"<{name}{written_attributes(attributes)}>"), place)
        yield
        self.lines.append(self.in_xslt(f"</{name}>"))

    def leaf(self, name: str, attributes: Attributes = NONE, place: SheetPlace | None = None) -> None:
        """Write an empty element."""
        self._line(self.in_xslt(f"<{name}{written_attributes(attributes)}/>"), place)

    def text(self, text: str) -> None:
        """Write literal text, white space kept."""
        self.lines.append(self.in_xslt(f"<xsl:text>{text.translate(_ESCAPES)}</xsl:text>"))

    def raw(self, xml: str, place: SheetPlace | None = None) -> None:
        """Write XML of ours, of one or more lines, all with the same origin."""
        self.foreign(self.in_xslt(xml), place)

    def foreign(self, xml: str, place: SheetPlace | None) -> None:
        """Write XML of the author, which declares its own prefixes."""
        for line in xml.split("\n"):
            self._line(line, place)

    def in_xslt(self, xml: str) -> str:
        """Return XML of ours with the sheet's prefix of XSLT."""
        if self.prefix == "xsl":
            return xml
        return xml.replace("<xsl:", f"<{self.prefix}:").replace("</xsl:", f"</{self.prefix}:")

    def _line(self, line: str, place: SheetPlace | None) -> None:
        self.lines.append(line)
        if place is not None:
            self.places[len(self.lines)] = place


def written_attributes(attributes: Attributes) -> str:
    """Return attributes as XML text; None leaves one out.

    >>> written_attributes({"test": "a < 'b'", "as": None, "version": "3.0"})
    ' test="a &lt; \\'b\\'" version="3.0"'
    """
    return "".join(f' {name}="{value.translate(_ESCAPES)}"' for name, value in attributes.items() if value is not None)


def literal(text: str) -> str:
    """Return text as an attribute value template whose value is exactly that text."""
    return text.replace("{", "{{").replace("}", "}}")


def quoted(text: str) -> str:
    """Return text as an XPath string literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"
