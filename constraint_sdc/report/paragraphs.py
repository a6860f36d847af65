"""Wrapped lines for a terminal: plain paragraphs, and facts with a name before them."""

from __future__ import annotations

from textwrap import wrap

from constraint_sdc.report.terminal import padded

_NAME_CELLS = 13


def wrapped(text: str, columns: int, first: str, others: str) -> list[str]:
    """Return the text in lines of at most `columns` cells; `first` and `others` stand before the lines."""
    return wrap(
        text,
        max(columns, len(others) + 20),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def fact(name: str, text: str, columns: int, indent: str = "  ") -> list[str]:
    """Return a name and what is to be said of it, continued below itself.

    >>> fact("because", "means are convex", 30)
    ['  because      means are convex']
    """
    return wrapped(text, columns, indent + padded(name, _NAME_CELLS), " " * (len(indent) + _NAME_CELLS))
