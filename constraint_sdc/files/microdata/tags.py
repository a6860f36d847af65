"""The tags of plain rows: each is parsed once by lxml and then recognised by its bytes, many at a time.

A token is a tag together with the white space after it, except that a tag before a value ends at its `>`. Rows repeat
the same few dozen tokens, so only a new token costs a parse; all others cost a table lookup.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from random import Random

import numpy as np
import numpy.typing as npt
from lxml import etree

from constraint_sdc.arrays import Bytes, Spans, TagIds, Words
from constraint_sdc.data.table import Layout
from constraint_sdc.files.microdata.build import is_nil
from constraint_sdc.files.microdata.source import parse_bytes

# The characters of plain rows: all are legal, and lxml decodes the few values whose text differs from their bytes.

_SHORT = 200
_TAB, _LINE_FEED, _RETURN = 0x09, 0x0A, 0x0D


class NotPlainError(Exception):
    """The bytes contain something that only the XML parser can read."""


def check_characters(data: bytes, raw: Bytes, controls_outside: int) -> bool:
    """Refuse characters that XML forbids; tell whether values are free of references and control characters.

    `controls_outside` counts the control characters (white space) that are known to stand outside values.
    """
    if not data.isascii():
        _check_utf8(data)
    controls = int(np.count_nonzero(raw < 0x20))
    if controls != controls_outside:
        legal = np.count_nonzero(raw == _TAB) + data.count(b"\n") + data.count(b"\r")
        if controls != legal:
            raise NotPlainError
        return False
    return b"&" not in data


def _check_utf8(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotPlainError from None
    if b"\xef\xbf\xbe" in data or b"\xef\xbf\xbf" in data:
        raise NotPlainError


def decode_values(
    data: bytes, raw: Bytes, start: Spans, stop: Spans, in_attribute: npt.NDArray[np.bool_]
) -> tuple[Bytes, Spans, Spans]:
    """Return a buffer and spans in which references and normalised white space are what XPath sees.

    The spans are in document order; a reference outside them is refused, white space outside them is ignored.
    """
    special = np.flatnonzero((raw == ord("&")) | (raw == _RETURN) | (raw == _TAB) | (raw == _LINE_FEED))
    value = np.searchsorted(start, special, "right") - 1
    is_inside = (value >= 0) & (special < stop.take(value))
    if (raw.take(special[~is_inside]) == ord("&")).any():
        raise NotPlainError
    parts, size = [data], len(data)
    start, stop = start.copy(), stop.copy()
    for number in np.unique(value[is_inside]).tolist():
        text = _decode(data[start[number] : stop[number]], bool(in_attribute[number]))
        parts.append(text)
        start[number], stop[number] = size, size + len(text)
        size += len(text)
    return np.frombuffer(b"".join(parts), np.uint8), start, stop


def _decode(written: bytes, in_attribute: bool) -> bytes:
    return _decode_short(written, in_attribute) if len(written) <= _SHORT else _parse_value(written, in_attribute)


@lru_cache(maxsize=4096)
def _decode_short(written: bytes, in_attribute: bool) -> bytes:
    return _parse_value(written, in_attribute)


def _parse_value(written: bytes, in_attribute: bool) -> bytes:
    try:
        if in_attribute:
            return (parse_bytes(b'<a b="' + written + b'"/>').get("b") or "").encode("utf-8")
        return (parse_bytes(b"<a>" + written + b"</a>").text or "").encode("utf-8")
    except etree.XMLSyntaxError:
        raise NotPlainError from None


WORDS = 16
MAX_TOKEN_BYTES = 8 * WORDS
_MAX_TOKENS = 512
_SLOT_BITS = 16
_TOKEN = re.compile(rb"(<(/?)([^\s<>/!?][^\s<>/]*)([^<>]*?)(/?)>)([ \t\r\n]*)")


class TagKind(IntEnum):
    """What a token does in a row."""

    UNKNOWN = 0
    RECORD_OPEN = 1
    RECORD_CLOSE = 2
    OPEN = 3
    CLOSE = 4
    EMPTY = 5


@dataclass(frozen=True, slots=True)
class TagToken:
    """One learnt token: `name` as written (to pair open and close), `column` its variable, -1 for none."""

    kind: TagKind
    name: bytes
    column: int = -1
    is_nil: bool = False
    attributes: tuple[str, ...] = ()


class TagTable:
    """Learnt tokens, numbered from 1; `columns` are the variables that they name, in the order of learning."""

    def __init__(self, layout: Layout, record_name: str) -> None:
        self._layout = layout
        self._record = record_name.encode("utf-8")
        self.columns: list[str] = []
        self._attributes: dict[int, tuple[tuple[str, str], ...]] = {}
        self._met: Counter[tuple[str, str]] = Counter()
        self._numbers: dict[bytes, int] = {}
        self._written: dict[bytes, int] = {}
        self._words = np.zeros((WORDS, _MAX_TOKENS), np.uint64)
        self._lengths = np.zeros(_MAX_TOKENS, np.int64)
        self.kind = np.zeros(_MAX_TOKENS, np.uint8)
        self.name = np.zeros(_MAX_TOKENS, np.int16)
        self.column = np.full(_MAX_TOKENS, -1, np.int16)
        self.nil = np.zeros(_MAX_TOKENS, np.bool_)
        self.controls = np.zeros(_MAX_TOKENS, np.int64)
        self.newlines = np.zeros(_MAX_TOKENS, np.int64)
        self._seed = 0
        self._build_slots()

    def _build_slots(self) -> None:
        """Choose multipliers until no two tokens share a slot, so that one lookup decides."""
        used = len(self._numbers) + 1
        while True:
            random = Random(self._seed)
            self._factors = np.array([random.getrandbits(64) | 1 for _ in range(WORDS)], np.uint64)
            hashes = (self._words[:, 1:used] * self._factors[:, None]).sum(axis=0, dtype=np.uint64)
            slots = (hashes >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
            if len(np.unique(slots)) == len(slots):
                break
            self._seed += 1
        self._slots = np.zeros(1 << _SLOT_BITS, np.int16)
        self._slots[slots] = np.arange(1, used, dtype=np.int16)

    def recognise(
        self, first: Words, longer: list[tuple[npt.NDArray[np.intp], Words]], lengths: npt.NDArray[np.int64]
    ) -> tuple[TagIds, npt.NDArray[np.bool_]]:
        """Return a number per token and whether its bytes are exactly that token's.

        `first` are the tokens' first eight bytes; `longer[k]` the tokens with more than 8(k+1) bytes and their next
        eight; bytes past a token's end are zero.
        """
        hashes = first * self._factors[0]
        for word, (rows, words) in enumerate(longer, 1):
            hashes[rows] += words * self._factors[word]
        ids = self._slots.take((hashes >> np.uint64(64 - _SLOT_BITS)).view(np.int64))
        same = self._words[0].take(ids) == first
        same &= self._lengths.take(ids) == lengths
        for word, (rows, words) in enumerate(longer, 1):
            same[rows] &= self._words[word].take(ids[rows]) == words
        return ids, same

    def learn(self, texts: Iterable[bytes]) -> None:
        """Add tokens; raise NotPlainError for one that is not a tag of plain rows."""
        for text in texts:
            if text in self._numbers or len(self._numbers) + 1 >= _MAX_TOKENS:
                raise NotPlainError(text)
            self._store(text, self._read(text))
        self._build_slots()

    def _store(self, text: bytes, token: TagToken) -> None:
        number = self._numbers[text] = len(self._numbers) + 1
        padded = np.frombuffer(text.ljust(MAX_TOKEN_BYTES, b"\0"), "<u8")
        self._words[:, number] = padded
        self._lengths[number] = len(text)
        self.kind[number] = token.kind
        self.name[number] = self._written.setdefault(token.name, len(self._written))
        self.column[number] = token.column
        self.nil[number] = token.is_nil
        self.controls[number] = sum(byte < 0x20 for byte in text)
        self.newlines[number] = text.count(b"\n")
        if token.attributes:
            self._attributes[number] = tuple((self.columns[token.column], name) for name in token.attributes)

    def _read(self, text: bytes) -> TagToken:
        found = _TOKEN.fullmatch(text)
        if found is None:
            raise NotPlainError(text)
        tag, slash, name, more, empty, _ = found.groups()
        is_record = name == self._record
        is_bare = not more.strip(b" \t\r\n")
        if slash:
            if empty or not is_bare:
                raise NotPlainError(text)
            return TagToken(TagKind.RECORD_CLOSE if is_record else TagKind.CLOSE, name)
        if is_record:
            if empty or not is_bare:
                raise NotPlainError(text)
            return TagToken(TagKind.RECORD_OPEN, name)
        return self._read_variable(tag, name, more, bool(empty))

    def _read_variable(self, tag: bytes, name: bytes, more: bytes, is_empty: bool) -> TagToken:
        # A namespace declaration would change what the name means, and xml:id must be unique in the file.
        if b"xml" in more.lower():
            raise NotPlainError(tag)
        inner = tag if is_empty else tag + b"</" + name + b">"
        opening, closing = b"<" + self._record + b">", b"</" + self._record + b">"
        try:
            node = parse_bytes(self._layout.head + opening + inner + closing + self._layout.tail)
        except etree.XMLSyntaxError:
            raise NotPlainError(tag) from None
        for _ in range(len(self._layout.wrappers) + 1):
            node = node[0]
        kind, column = TagKind.EMPTY if is_empty else TagKind.OPEN, self._column_of(str(node.tag))
        return TagToken(kind, name, column, is_nil(node), tuple(map(str, node.attrib)))

    def note(self, ids: TagIds) -> None:
        """Count the attributes of variables in a run that has these tokens."""
        if self._attributes:
            counts = np.bincount(ids, minlength=_MAX_TOKENS)
            for number, attributes in self._attributes.items():
                self._met.update(dict.fromkeys(attributes, int(counts[number])))

    def take_attributes(self) -> Counter[tuple[str, str]]:
        """Return how often variables had which attributes since the last call."""
        met, self._met = +self._met, Counter()
        return met

    def _column_of(self, name: str) -> int:
        if name not in self.columns:
            self.columns.append(name)
        return self.columns.index(name)
