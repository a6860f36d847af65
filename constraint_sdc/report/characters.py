"""Characters that a report must not carry: those XML forbids, and those that steer a terminal or reorder a line."""

from __future__ import annotations

import re

# Control characters (tab and line feed stay), surrogates, XML's two non-characters, and the directional overrides
# that can make a line read differently from what it says.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]")
_BREAKS = re.compile("\r\n?|\x85|\u2028|\u2029")
REPLACEMENT = "\ufffd"


def legible(text: str) -> str:
    r"""Return the text with line breaks as \n and every unsafe character replaced by U+FFFD, so that it is seen.

    >>> legible("a\x1b[31mb\r\n") == "a\ufffd[31mb\n"
    True
    """
    return _UNSAFE.sub(REPLACEMENT, _BREAKS.sub("\n", text))


def clipped(text: str, limit: int = 400) -> str:
    """Return the text, cut to `limit` characters with an ellipsis, for formats that people read.

    >>> clipped("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"
