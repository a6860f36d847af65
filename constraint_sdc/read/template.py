"""Rows that all look like one example: the same tags, attributes and white space, only the values differ.

The example's bytes are cut into tokens, each beginning with a separator (`<`, and `"` when the record has attributes)
and reaching to the value or token after it. lxml parses the example once, numbered values in place of the real ones,
to say which value belongs to which column. A run of records then only has to show the same tokens in the same places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from lxml import etree

from constraint_sdc.model.table import Bytes, Layout, Spans, State
from constraint_sdc.read.build import is_nil
from constraint_sdc.read.characters import NotPlainError
from constraint_sdc.read.hardened import parse_bytes

PAD = bytes(8)
MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_MAX_TOKEN_BYTES = 512
_START_TAG = re.compile(rb"""<[^\s<>/!?"'=&]+((?:\s+[^\s<>/"'=&]+\s*=\s*"[^"<&]*")*)\s*/?>""")
_SEPARATOR = {False: re.compile(rb"<"), True: re.compile(rb'[<"]')}

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value: the token before it, its column's name, and whether its element says xsi:nil."""

    token: int
    name: str
    is_nil: bool


@dataclass(frozen=True, slots=True)
class Template:
    """The tokens of one record and of the white space after it; `constants` are variables without text in any row."""

    tokens: tuple[bytes, ...]
    slots: tuple[Slot, ...]
    constants: tuple[tuple[str, State], ...]
    has_attributes: bool
    last_bare: bytes

    def match(self, data: bytes, padded: Bytes) -> tuple[Spans, Spans]:
        """Return where every token begins (records x tokens) and how many bytes of value follow it.

        Raise NotPlainError when a single byte outside the values differs from the template.
        """
        raw = padded[: len(data)]
        at = np.flatnonzero((raw == 0x3C) | (raw == 0x22)) if self.has_attributes else np.flatnonzero(raw == 0x3C)
        count, odd = divmod(len(at), len(self.tokens))
        if odd or not count or not data.endswith(self.last_bare) or at[-1] != len(data) - len(self.last_bare):
            raise NotPlainError
        lengths = np.array([len(token) for token in self.tokens], np.int64)
        after = np.empty_like(at)
        np.subtract(at[1:], at[:-1], out=after[:-1])
        after[-1] = lengths[-1]
        begins, values = at.reshape(count, -1), after.reshape(count, -1)
        values -= lengths
        self._check_gaps(values)
        self._check_bytes(padded, begins, lengths)
        return begins, values

    def _check_gaps(self, values: Spans) -> None:
        is_value = np.zeros(len(self.tokens), np.bool_)
        is_value[[slot.token for slot in self.slots]] = True
        if (values.min(axis=0) < 0).any() or (values.max(axis=0) > 0)[~is_value].any():
            raise NotPlainError

    def _check_bytes(self, padded: Bytes, begins: Spans, lengths: Spans) -> None:
        words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
        last = len(self.tokens) - 1
        for offset in range(0, int(lengths.max()), 8):
            columns = np.flatnonzero(lengths > offset)
            places = begins if len(columns) == len(lengths) else begins[:, columns]
            expected = np.array([_word(self.tokens[column], offset) for column in columns], np.uint64)
            # The last token of the run has no white space after it; its bytes were compared before.
            found = words[np.minimum(places.ravel() + offset, len(words) - 1)].reshape(places.shape)
            found &= MASKS.take(lengths[columns] - offset, mode="clip")
            if columns[-1] == last:
                found[-1, -1] = expected[-1]
            if not (found == expected).all():
                raise NotPlainError

    @property
    def controls(self) -> int:
        """Return how many control characters one record and the white space after it hold outside values."""
        return sum(byte < 0x20 for token in self.tokens for byte in token)

    @property
    def line_ends(self) -> int:
        """Return how many line ends one record and the white space after it hold outside values."""
        return sum(token.count(b"\n") for token in self.tokens)


def _word(token: bytes, offset: int) -> int:
    return int.from_bytes(token[offset : offset + 8], "little")


def template_of(record: bytes, gap: bytes, layout: Layout) -> Template:
    """Learn the template from one record's bytes and the white space after it; raise NotPlainError if there is none."""
    start_tag = _START_TAG.match(record)
    if start_tag is None or b"&" in record or b"<!" in record or b"<?" in record or b"]]>" in record:
        raise NotPlainError
    has_attributes = bool(start_tag[1])
    if has_attributes and b'"' in record[start_tag.end() :]:
        raise NotPlainError
    tokens, before_value = _tokens(record, start_tag.end(), has_attributes)
    if not before_value or max(map(len, tokens)) + len(gap) > _MAX_TOKEN_BYTES:
        raise NotPlainError
    slots, constants = _name_slots(tokens, before_value, layout)
    return Template((*tokens[:-1], tokens[-1] + gap), slots, constants, has_attributes, tokens[-1])


def _tokens(record: bytes, tag_end: int, has_attributes: bool) -> tuple[list[bytes], list[int]]:
    """Cut the record into tokens, and number those that a value follows."""
    places = [found.start() for found in _SEPARATOR[has_attributes].finditer(record)]
    tokens, before_value = [], []
    is_quoted = False
    for at, following in zip(places, [*places[1:], len(record)], strict=True):
        token = record[at:following]
        if at < tag_end and token[:1] == b'"':
            is_quoted = not is_quoted
            has_value, end = is_quoted, 1
        else:
            has_value = token[1:2] != b"/" and record[following : following + 2] == b"</" and at >= tag_end
            end = token.find(b">") + 1
        if has_value:
            before_value.append(len(tokens))
            token = token[:end]
        tokens.append(token)
    return tokens, before_value


def _name_slots(
    tokens: list[bytes], before_value: list[int], layout: Layout
) -> tuple[tuple[Slot, ...], tuple[tuple[str, State], ...]]:
    """Let lxml read the tokens with numbers for values, and find each number's variable."""
    numbers = {token: str(slot) for slot, token in enumerate(before_value)}
    text = b"".join(token + numbers.get(at, "").encode("ascii") for at, token in enumerate(tokens))
    try:
        node = parse_bytes(layout.head + text + layout.tail)
    except etree.XMLSyntaxError:
        raise NotPlainError from None
    for _ in layout.wrappers:
        node = node[0]
    if node.tag != layout.record:
        raise NotPlainError
    found: dict[str, tuple[str, bool]] = {}
    names: list[str] = []
    constants: list[tuple[str, State]] = []
    for name, value in node.items():
        found[str(value)] = ("@" + str(name), False)
        names.append("@" + str(name))
    for child in node:
        if len(child) or any("xml" in name for name in child.attrib if "XMLSchema-instance" not in name):
            raise NotPlainError
        names.append(str(child.tag))
        if child.text:
            found[child.text] = (names[-1], is_nil(child))
        else:
            constants.append((names[-1], State.NIL if is_nil(child) else State.EMPTY))
    if len(found) != len(before_value) or set(found) != set(numbers.values()) or len(set(names)) != len(names):
        raise NotPlainError
    if any("{http://www.w3.org/XML/1998/namespace}" in name for name in names):
        raise NotPlainError
    slots = tuple(Slot(token, *found[number]) for token, number in numbers.items())
    return slots, tuple(constants)
