"""The document outside its records with some of its surroundings taken out."""

from __future__ import annotations

from constraint_sdc.data.surroundings import METADATA, text_path
from constraint_sdc.files.masked_document.cells import ATTRIBUTE, attribute_value
from constraint_sdc.files.masked_document.shape import (
    NamespaceScope,
    is_remark,
    is_taken_out,
    without_attributes,
    written_name,
)

_BLANK = b" \t\r\n"
_DESCRIPTION = f"{METADATA}/Variable"


class OutsideWriter:
    """Follows the document from tag to tag and returns each piece as it is written.

    `taken_out` are paths as `data/surroundings.py` writes them, `removed` variables whose descriptions in the metadata
    are taken out. Elements that are taken out have no records inside.
    """

    def __init__(self, taken_out: frozenset[str], removed: frozenset[str]) -> None:
        self._taken_out = taken_out
        self._removed = removed
        self._paths = [""]
        self._skips_below = 0  # the depth of an element that is taken out, 0 outside of all

    def text(self, text: bytes) -> bytes:
        """Return a text between two pieces of markup, as far as it stays."""
        if not text or self._skips_below:
            return b""
        return b"" if text.strip(_BLANK) and text_path(self._paths[-1]) in self._taken_out else text

    def markup(self, tag: bytes, scope: NamespaceScope) -> bytes:
        """Return a piece of markup as it is written; `scope` is that of an element's own name."""
        if tag[1:2] == b"/":
            return self._end(tag)
        if tag.startswith(b"<![CDATA["):
            return self.text(tag)
        if tag[1] in b"!?":
            is_gone = self._skips_below or (is_remark(tag) and is_taken_out(tag, self._taken_out))
            return b"" if is_gone else tag
        return self._start(tag, scope)

    def _end(self, tag: bytes) -> bytes:
        self._paths.pop()
        if not self._skips_below:
            return tag
        if len(self._paths) == self._skips_below:
            self._skips_below = 0
        return b""

    def _start(self, tag: bytes, scope: NamespaceScope) -> bytes:
        path = f"{self._paths[-1]}/{scope.element(written_name(tag))}"
        is_gone = path in self._taken_out or (path == _DESCRIPTION and _described(tag) in self._removed)
        if not tag.endswith(b"/>"):
            if is_gone and not self._skips_below:
                self._skips_below = len(self._paths)
            self._paths.append(path)
        if is_gone or self._skips_below:
            return b""
        return without_attributes(tag, scope, path, self._taken_out)


def _described(tag: bytes) -> str | None:
    """Return the variable that a start tag of the metadata describes."""
    for found in ATTRIBUTE.finditer(tag):
        if found[2] == b"name":
            return attribute_value(found[4][1:-1]).decode("utf-8")
    return None
