"""Numbers with a decimal comma as numbers with a decimal point, and back."""

from __future__ import annotations

import re

_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_POINT = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def to_point(value: str) -> str | None:
    """Return the value with a decimal point; None for one that has a point already, which is ambiguous.

    >>> [to_point(value) for value in ("12,5", "12", "a,b", "12.5")]
    ['12.5', '12', 'a,b', None]
    """
    if _COMMA.fullmatch(value):
        return value.replace(",", ".")
    return None if _POINT.fullmatch(value) else value


def to_comma(value: str) -> str:
    """Return the value as it stands in the file.

    >>> [to_comma(value) for value in ("12.5", "12", "v1.2")]
    ['12,5', '12', 'v1.2']
    """
    return value.replace(".", ",") if _POINT.fullmatch(value) else value
