"""What a terminal gets to see: aligned columns, colour only when asked, nothing that steers the terminal."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Literal as OneOf
from typing import TextIO, TypeAlias

from constraint_sdc.errors import no_command
from constraint_sdc.named_copies import named

# Characters that a report must not carry: those XML forbids, and those that steer a terminal or reorder a line.

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
    return _UNSAFE.sub(REPLACEMENT, _BREAKS.sub("\n", named(text)))


def clipped(text: str, limit: int = 400) -> str:
    """Return the text, cut to `limit` characters with an ellipsis, for formats that people read.

    >>> clipped("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= limit else text[: limit - 1] + "…"


Style: TypeAlias = OneOf["good", "bad", "doubtful", "faint", "strong"]
_CODES: dict[Style, str] = {"good": "32", "bad": "1;31", "doubtful": "33", "faint": "2", "strong": "1"}

# ECMA-48: control sequences, then strings with their terminator (titles, links), then the short escapes.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x1b\x07\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)


def clean(text: str) -> str:
    r"""Return the text on one line, without escape sequences; other control characters show as U+FFFD.

    >>> clean("\x1b[31mred\x1b[0m\n  alert")
    'red alert'
    """
    return no_command(" ".join(legible(_ESCAPES.sub("", text)).split()))


def wants_colour(stream: TextIO) -> bool:
    """Tell whether to colour: a terminal that is not dumb, and no NO_COLOR in the environment."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, style: Style, colour: bool) -> str:
    """Return the text in a style, or as it is when `colour` is off."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if colour else text


def width(text: str) -> int:
    """Count the terminal cells of clean text: wide characters take two, combining and format characters none."""
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def padded(text: str, cells: int, right: bool = False) -> str:
    """Return the text filled with spaces to a number of cells."""
    fill = " " * (cells - width(text))
    return fill + text if right else text + fill


def align(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Return one line per row, columns two spaces apart; columns in `right` are flush right, empty ones vanish.

    >>> align([("a", "", "1"), ("bcd", "", "20")], right=[2])
    ['a     1', 'bcd  20']
    """
    if not rows:
        return []
    flush = frozenset(right)
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    kept = [i for i, cells in enumerate(widths) if cells]
    return ["  ".join(padded(row[i], widths[i], i in flush) for i in kept).rstrip() for row in rows]


# Wrapped lines for a terminal: plain paragraphs, and facts with a name before them.

_NAME_CELLS = 13


def wrapped(text: str, columns: int, first: str, others: str) -> list[str]:
    """Return the text in lines of at most `columns` cells; `first` and `others` stand before the lines."""
    lines = wrap(
        text,
        max(columns, len(others) + 20),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [no_command(line) for line in lines]


def fact(name: str, text: str, columns: int, indent: str = "  ") -> list[str]:
    """Return a name and what is to be said of it, continued below itself.

    >>> fact("because", "means are convex", 30)
    ['  because      means are convex']
    """
    return wrapped(text, columns, indent + padded(name, _NAME_CELLS), " " * (len(indent) + _NAME_CELLS))
