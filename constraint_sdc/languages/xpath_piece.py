"""Pieces of XPath text: how tightly they bind, and constants as XPath writes them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

OR, AND, COMPARISON, SUM, PRODUCT, UNARY, WHOLE = range(7)
"""How tightly an expression binds; a looser one inside a tighter one is put in brackets."""


@dataclass(frozen=True, slots=True)
class XPathPiece:
    """A piece of XPath and how tightly it binds."""

    text: str
    binds: int = WHOLE

    def within(self, binds: int) -> str:
        """Return the text for a place that binds so tightly."""
        return self.text if self.binds >= binds else f"({self.text})"


def negated(piece: XPathPiece) -> XPathPiece:
    """Return the negation of a piece."""
    return XPathPiece(f"not({piece.text})")


def quoted_text(text: str) -> str:
    """Return a text as an XPath string.

    >>> quoted_text("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def number_text(value: Decimal) -> str:
    """Return a number as an XPath literal without an exponent.

    >>> number_text(Decimal("1E+3")), number_text(Decimal("1E-3"))
    ('1000', '0.001')
    """
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def number_items(values: list[Decimal]) -> list[str]:
    """Return numbers as XPath items; whole numbers that follow each other are written as a range.

    >>> number_items([Decimal(1), Decimal(2), Decimal(3), Decimal(7)])
    ['1 to 3', '7']
    """
    found: list[tuple[Decimal, Decimal]] = []
    for value in values:
        if found and value == found[-1][1] + 1 and value % 1 == 0:
            found[-1] = (found[-1][0], value)
        else:
            found.append((value, value))
    return [item for first, last in found for item in _run(first, last)]


def _run(first: Decimal, last: Decimal) -> list[str]:
    ends = [number_text(first), number_text(last)]
    return ends[:1] if first == last else ends if last == first + 1 else [" to ".join(ends)]
