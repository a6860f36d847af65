"""Texts as XML that every parser reads back unchanged."""

from __future__ import annotations

from xml.sax.saxutils import escape

# A parser turns a bare carriage return into a line feed, and white space in an attribute into blanks.
_IN_TEXT = {"\r": "&#13;"}
_IN_ATTRIBUTE = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"}


def text_xml(text: str) -> str:
    """Return the text as element content.

    >>> text_xml("a<b" + chr(13))
    'a&lt;b&#13;'
    """
    return escape(text, _IN_TEXT)


def quoted(text: str) -> str:
    """Return the text as an attribute value in double quotes.

    >>> quoted('5" & more')
    '"5&quot; &amp; more"'
    """
    return f'"{escape(text, _IN_ATTRIBUTE)}"'
