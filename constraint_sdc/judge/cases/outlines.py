"""The outline of a record: its XML without the texts of its variables.

The order of variables, their prefixes, the attributes of their elements, comments and nil are in the outline. Records
of one outline differ in nothing that XPath can see but the texts of variables, and white space between them, which
belongs to no variable.
"""

from __future__ import annotations

import re

import numpy as np

from constraint_sdc.arrays import SmallCodes
from constraint_sdc.data.table import Chunk

# From the last `>` before a `<`: a `>` inside a text stays, which makes outlines finer and never wrong.
_TEXT = re.compile(rb">[^<>]*<")
_QUOTED = re.compile(rb'"[^"]*"')
_START_TAG = re.compile(rb"""<[^<>"']*(?:"[^"]*"[^<>"']*)*>""")
_STRANGE = re.compile(rb"<[!?]")
MOST_OUTLINES = 10_000
"""Different outlines in a file; with more of them, records are not grouped."""


class Outlines:
    """Numbers the different outlines of a file, chunk by chunk; exact, because every different outline is kept."""

    def __init__(self) -> None:
        self._known: dict[bytes, int] = {}
        self._parts: list[SmallCodes] = [np.zeros(0, np.int32)]

    @property
    def are_few(self) -> bool:
        """Tell whether all outlines were numbered; memory for more is not spent."""
        return len(self._known) <= MOST_OUTLINES

    def take(self, chunk: Chunk) -> None:
        """Number the outlines of the next records."""
        if not self.are_few:
            return
        if chunk.outline is not None:
            numbers = np.full(len(chunk), self._number(b"same " + chunk.outline), np.int32)
        else:
            numbers = np.fromiter(
                (self._number(b"own " + outline_of(chunk.record_xml(row))) for row in range(len(chunk))),
                np.int32,
                len(chunk),
            )
        self._parts.append(numbers)

    def of_records(self) -> SmallCodes | None:
        """Return the number of every record's outline, from 0; None if there are too many."""
        return np.concatenate(self._parts) if self.are_few else None

    def _number(self, outline: bytes) -> int:
        if not self.are_few:
            return 0
        return self._known.setdefault(outline, len(self._known))


def outline_of(xml: bytes) -> bytes:
    """Return the XML of a record without the texts of its variables, attributes of the record included.

    >>> outline_of(b'<R id="7"><A>5</A> <B x="1">6</B></R>')
    b'<R id=""><A></A><B x="1"></B></R>'
    >>> outline_of(b"<R><A>5<!--c--></A></R>")
    b'<R><A>5<!--c--></A></R>'
    """
    if _STRANGE.search(xml):
        return xml
    tag = _START_TAG.match(xml)
    head = b"" if tag is None else tag[0]
    # Declarations of namespaces, and xml:base or xml:lang, say more than a value.
    bare = head if b"xml" in head else _QUOTED.sub(b'""', head)
    return _TEXT.sub(b"><", bare + xml[len(head) :])
