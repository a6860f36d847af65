"""How one record is built: where among its pieces each variable stands, learnt once from its markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from constraint_sdc.write.masked_markup import ATTRIBUTE, TAG_NAME, UNFINISHED, attribute_value
from constraint_sdc.write.masked_scope import XSI, Scope, is_declaration

NIL_NAME = f"{{{XSI}}}nil"


@dataclass(frozen=True, slots=True)
class Leaf:
    """A variable's element: its start tag is piece `opens`, its end tag piece `closes` (the same if self-closed).

    `says_nil` tells whether it has an xsi:nil, `is_nil` whether that is true.
    """

    name: str
    opens: int
    closes: int
    says_nil: bool = False
    is_nil: bool = False

    @property
    def is_plain(self) -> bool:
        """Tell whether it is a start tag, one text and an end tag, and nothing more."""
        return self.closes == self.opens + 2 and not self.says_nil


@dataclass(frozen=True, slots=True)
class Shape:
    """The variables of a record by what is to be done: numbers are those of the intended values.

    `plain` are (piece of the text, number), `other` (leaf, number); `missing` are the numbers of those not there.
    """

    leaves: tuple[Leaf, ...]
    plain: tuple[tuple[int, int], ...]
    other: tuple[tuple[Leaf, int], ...]
    removed: tuple[Leaf, ...]
    missing: tuple[int, ...]


def shape_of(leaves: tuple[Leaf, ...], numbers: dict[str, int], removed: frozenset[str]) -> Shape:
    """Sort the leaves by what is to be done with them."""
    masked = [(leaf, numbers[leaf.name]) for leaf in leaves if leaf.name in numbers and leaf.name not in removed]
    there = {leaf.name for leaf in leaves} | removed
    return Shape(
        leaves,
        tuple((leaf.opens + 1, number) for leaf, number in masked if leaf.is_plain),
        tuple((leaf, number) for leaf, number in masked if not leaf.is_plain),
        tuple(leaf for leaf in leaves if leaf.name in removed),
        tuple(number for name, number in numbers.items() if name not in there and not name.startswith("@")),
    )


def leaves_of(markup: Sequence[bytes], scope: Scope) -> tuple[Leaf, ...] | None:
    """Return the elements of a record, given all its markup in order; None when that is not one whole flat record."""
    if markup[0].endswith(b"/>"):
        return () if len(markup) == 1 else None
    leaves: list[Leaf] = []
    opened = 0
    for number, token in enumerate(markup):
        if token == UNFINISHED or (opened and token[1] not in b"/!?"):
            return None
        if number == 0 or token[1] in b"!?":
            continue
        if token[1:2] == b"/":
            if not opened:
                return tuple(leaves) if number == len(markup) - 1 else None
            leaves.append(_leaf(markup[opened], opened, number, scope))
            opened = 0
        elif token.endswith(b"/>"):
            leaves.append(_leaf(token, number, number, scope))
        else:
            opened = number
    return None


def _leaf(tag: bytes, opens: int, closes: int, scope: Scope) -> Leaf:
    inner = scope.inside(tag)
    name = inner.element(written_name(tag))
    nil = nil_attribute(tag, inner)
    is_nil = nil is not None and attribute_value(nil[4][1:-1]).strip(b" \t\r\n") in (b"true", b"1")
    # Markup number n is piece 2n + 1: texts stand between.
    return Leaf(name, 2 * opens + 1, 2 * closes + 1, nil is not None, is_nil)


def written_name(tag: bytes) -> bytes:
    """Return the name in a tag as the document writes it."""
    found = TAG_NAME.match(tag)
    assert found is not None
    return found[1]


def nil_attribute(tag: bytes, scope: Scope) -> re.Match[bytes] | None:
    """Find the xsi:nil of a start tag."""
    if b"nil" not in tag:
        return None
    for found in ATTRIBUTE.finditer(tag):
        if not is_declaration(found[2]) and scope.attribute(found[2]) == NIL_NAME:
            return found
    return None
