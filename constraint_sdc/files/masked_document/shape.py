"""The shape of a record: the position of each variable among its pieces, learnt once from its markup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from constraint_sdc.data.surroundings import PATHS, XSI, SurroundingKind, attribute_path
from constraint_sdc.files.masked_document.cells import ATTRIBUTE, TAG_NAME, UNFINISHED, attribute_value

# Namespaces in scope at a place of the document, and the names that they give to tags and attributes.

_XML = "http://www.w3.org/XML/1998/namespace"
_XML_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_MAX_REMEMBERED = 16 << 20
_MAX_SCOPES = 256
_BYTES_AN_OBJECT = 200

Meaning = TypeVar("Meaning")


class Memory(Generic[Meaning]):
    """A cache of what written pieces mean; it is emptied when it grows large, so that memory stays bounded."""

    def __init__(self) -> None:
        self._known: dict[tuple[bytes, ...], Meaning] = {}
        self._size = 0
        self.get = self._known.get

    def keep(self, written: tuple[bytes, ...], meaning: Meaning) -> Meaning:
        """Remember and return the meaning."""
        self._size += sum(map(len, written)) + _BYTES_AN_OBJECT * (1 + len(written))
        if self._size > _MAX_REMEMBERED:
            self._known.clear()
            self._size = 0
        self._known[written] = meaning
        return meaning


class NamespaceScope:
    """The meaning of the prefixes at a place; scopes with the same `key` are equal."""

    def __init__(self, bindings: dict[bytes, str]) -> None:
        self._bindings = bindings
        self.key = repr(sorted(bindings.items())).encode("utf-8")
        self._inner: dict[tuple[bytes, ...], NamespaceScope] = {}
        self._elements: dict[bytes, str] = {}

    @classmethod
    def outermost(cls) -> NamespaceScope:
        """Return the scope outside the root element."""
        return cls({b"": "", b"xml": _XML})

    def inside(self, tag: bytes) -> NamespaceScope:
        """Return the scope inside an element, and of its own name, given its start tag."""
        if b"xmlns" not in tag:
            return self
        pieces = ATTRIBUTE.split(tag)
        declared = tuple(
            piece
            for name, value in zip(pieces[2::5], pieces[4::5], strict=True)
            if is_declaration(name)
            for piece in (name[6:], value[1:-1])
        )
        if not declared:
            return self
        if declared not in self._inner:
            if len(self._inner) >= _MAX_SCOPES:
                self._inner.clear()
            uris = [attribute_value(value).decode("utf-8") for value in declared[1::2]]
            self._inner[declared] = NamespaceScope({**self._bindings, **dict(zip(declared[0::2], uris, strict=True))})
        return self._inner[declared]

    def element(self, name: bytes) -> str:
        """Return an element's name, as written, in Clark notation."""
        if name not in self._elements:
            if len(self._elements) >= _MAX_SCOPES:
                self._elements.clear()
            self._elements[name] = self._clark(name, b"")
        return self._elements[name]

    def attribute(self, name: bytes) -> str:
        """Return an attribute's name, as written, in Clark notation; without prefix it has no namespace."""
        return self._clark(name, None)

    def _clark(self, name: bytes, without_prefix: bytes | None) -> str:
        before, colon, after = name.rpartition(b":")
        prefix = before if colon else without_prefix
        uri = "" if prefix is None else self._bindings.get(prefix, "")
        local = after.decode("utf-8")
        return f"{{{uri}}}{local}" if uri else local

    def prefix(self, uri: str, *, for_attribute: bool) -> bytes | None:
        """Return a prefix with its colon that stands for the namespace here (b"" for none), or None if none does."""
        if for_attribute:
            if not uri:
                return b""
            return next((p + b":" for p, bound in self._bindings.items() if bound == uri and p), None)
        return next((p + b":" if p else b"" for p, bound in self._bindings.items() if bound == uri), None)


def is_declaration(name: bytes) -> bool:
    """Tell whether an attribute of this name declares a namespace."""
    return name == b"xmlns" or name.startswith(b"xmlns:")


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
    """The variables of a record, sorted by what to do with them; numbers index the intended values.

    `plain` are (piece of the text, number), `other` (leaf, number); `missing` are the numbers of absent variables.
    `changed` are pieces of markup that are written otherwise: start tags without some attributes, nothing for comments.
    """

    leaves: tuple[Leaf, ...]
    plain: tuple[tuple[int, int], ...]
    other: tuple[tuple[Leaf, int], ...]
    removed: tuple[Leaf, ...]
    missing: tuple[int, ...]
    changed: tuple[tuple[int, bytes], ...] = ()


def shape_of(leaves: tuple[Leaf, ...], numbers: dict[str, int], removed: frozenset[str]) -> Shape:
    """Sort the leaves by what to do with them."""
    masked = [(leaf, numbers[leaf.name]) for leaf in leaves if leaf.name in numbers and leaf.name not in removed]
    there = {leaf.name for leaf in leaves} | removed
    return Shape(
        leaves,
        tuple((leaf.opens + 1, number) for leaf, number in masked if leaf.is_plain),
        tuple((leaf, number) for leaf, number in masked if not leaf.is_plain),
        tuple(leaf for leaf in leaves if leaf.name in removed),
        tuple(number for name, number in numbers.items() if name not in there and not name.startswith("@")),
    )


def changed_markup(
    pieces: Sequence[bytes], leaves: Sequence[Leaf], scope: NamespaceScope, taken_out: frozenset[str]
) -> tuple[tuple[int, bytes], ...]:
    """Return the pieces of a record's markup that differ if these attributes and remarks are taken out."""
    changed = []
    for leaf in leaves:
        tag = pieces[leaf.opens]
        if (bare := without_attributes(tag, scope.inside(tag), leaf.name, taken_out)) != tag:
            changed.append((leaf.opens, bare))
    for at in range(1, len(pieces), 2):
        if is_remark(pieces[at]) and _remark_paths(pieces[at])[1] in taken_out:
            changed.append((at, b""))
    return tuple(changed)


def without_attributes(tag: bytes, scope: NamespaceScope, owner: str, taken_out: frozenset[str]) -> bytes:
    """Return a start tag without the attributes whose paths are to be taken out; `owner` is the element's path."""
    if b"=" not in tag:
        return tag
    pieces = ATTRIBUTE.split(tag)
    for at, name in enumerate(pieces[2::5]):
        if not is_declaration(name) and attribute_path(owner, scope.attribute(name)) in taken_out:
            pieces[5 * at + 1 : 5 * at + 5] = [b""] * 4
    return b"".join(pieces)


def is_remark(markup: bytes) -> bool:
    """Tell whether markup is a comment or processing instruction; the XML declaration is neither."""
    return markup.startswith((b"<!--", b"<?")) and _XML_DECLARATION.match(markup) is None


def is_taken_out(remark: bytes, taken_out: frozenset[str]) -> bool:
    """Tell whether a comment or processing instruction outside records is to be taken out."""
    return _remark_paths(remark)[0] in taken_out


def _remark_paths(remark: bytes) -> tuple[str, str]:
    """Return the paths of such a remark outside and inside records."""
    if remark.startswith(b"<!--"):
        return PATHS[SurroundingKind.COMMENT], PATHS[SurroundingKind.RECORD_COMMENT]
    return PATHS[SurroundingKind.INSTRUCTION], PATHS[SurroundingKind.RECORD_INSTRUCTION]


def leaves_of(markup: Sequence[bytes], scope: NamespaceScope) -> tuple[Leaf, ...] | None:
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


def _leaf(tag: bytes, opens: int, closes: int, scope: NamespaceScope) -> Leaf:
    inner = scope.inside(tag)
    name = inner.element(written_name(tag))
    nil = nil_attribute(tag, inner)
    is_nil = nil is not None and attribute_value(nil[4][1:-1]).strip(b" \t\r\n") in (b"true", b"1")
    # Markup number n is piece 2n + 1, because texts stand between.
    return Leaf(name, 2 * opens + 1, 2 * closes + 1, nil is not None, is_nil)


def written_name(tag: bytes) -> bytes:
    """Return the name in a tag as the document writes it."""
    found = TAG_NAME.match(tag)
    assert found is not None
    return found[1]


def nil_attribute(tag: bytes, scope: NamespaceScope) -> re.Match[bytes] | None:
    """Find the xsi:nil of a start tag."""
    if b"nil" not in tag:
        return None
    for found in ATTRIBUTE.finditer(tag):
        if not is_declaration(found[2]) and scope.attribute(found[2]) == NIL_NAME:
            return found
    return None
