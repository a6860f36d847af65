"""Namespaces in scope at a place of the document, and the names that they give to tags and attributes."""

from __future__ import annotations

from typing import Generic, TypeVar

from constraint_sdc.write.masked_markup import ATTRIBUTE, attribute_value

XSI = "http://www.w3.org/2001/XMLSchema-instance"
_XML = "http://www.w3.org/XML/1998/namespace"
_MAX_REMEMBERED = 16 << 20
_MAX_SCOPES = 256
_BYTES_AN_OBJECT = 200

Meaning = TypeVar("Meaning")


class Memory(Generic[Meaning]):
    """What written pieces turned out to mean; all is forgotten when it grows large, lest every record add to it."""

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


class Scope:
    """What the prefixes mean here; scopes of the same `key` are alike."""

    def __init__(self, bindings: dict[bytes, str]) -> None:
        self._bindings = bindings
        self.key = repr(sorted(bindings.items())).encode("utf-8")
        self._inner: dict[tuple[bytes, ...], Scope] = {}
        self._elements: dict[bytes, str] = {}

    @classmethod
    def outermost(cls) -> Scope:
        """Return the scope outside the root element."""
        return cls({b"": "", b"xml": _XML})

    def inside(self, tag: bytes) -> Scope:
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
            self._inner[declared] = Scope({**self._bindings, **dict(zip(declared[0::2], uris, strict=True))})
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
