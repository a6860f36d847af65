"""Rows that all look like one example: the same tags, attributes and white space, only the values differ.

The example's bytes are cut into tokens, each beginning with a separator (`<`, and `"` when the record has attributes)
and reaching to the value or token after it. lxml parses the example once, numbered values in place of the real ones,
to find which value belongs to which column. A run of records then fits if it has the same tokens in the same places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from lxml import etree

from constraint_sdc.arrays import Bytes, Spans
from constraint_sdc.data.table import Layout, State
from constraint_sdc.files.microdata.build import XML_BLANK, is_nil
from constraint_sdc.files.microdata.source import parse_bytes
from constraint_sdc.files.microdata.tags import NotPlainError

MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_MAX_TOKEN_BYTES = 512
_MAX_TOKENS = 1 << 13
PAD = bytes(_MAX_TOKEN_BYTES + 8)
_START_TAG = re.compile(rb"""<[^\s<>/!?"'=&]+((?:\s+[^\s<>/"'=&]+\s*=\s*"[^"<&]*")*)\s*/?>""")
_XML_NAMESPACE = "{http://www.w3.org/XML/1998/namespace}"
_SEPARATOR = {False: re.compile(rb"<"), True: re.compile(rb'[<"]')}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a value: the token before it, its column's name, and whether its element says xsi:nil."""

    token: int
    name: str
    is_nil: bool


@dataclass(frozen=True, slots=True)
class Template:
    """The tokens of one record and of the white space after it; `constants` are variables without text in any row.

    `attributes` are the variables whose elements have some, with their names.
    """

    tokens: tuple[bytes, ...]
    slots: tuple[Slot, ...]
    constants: tuple[tuple[str, State], ...]
    names: tuple[str, ...]
    has_attributes: bool
    last_bare: bytes
    attributes: tuple[tuple[str, tuple[str, ...]], ...]

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
            found = words[places + offset if offset else places]
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
    def outline(self) -> bytes:
        """Return the tokens of one record, divided by a byte that XML does not have."""
        return b"\0".join((*self.tokens[:-1], self.last_bare))

    @property
    def line_ends(self) -> int:
        """Return how many line ends one record and the white space after it hold outside values."""
        return sum(token.count(b"\n") for token in self.tokens)


def _word(token: bytes, offset: int) -> int:
    return int.from_bytes(token[offset : offset + 8], "little")


def template_of(record: bytes, gap: bytes, layout: Layout) -> Template:
    """Learn the template from one record's bytes and the white space after it; raise NotPlainError if there is none."""
    start_tag = _START_TAG.match(record)
    if start_tag is None or gap.strip(b" \t\r\n") or any(mark in record for mark in (b"&", b"<!", b"<?", b"]]>")):
        raise NotPlainError
    has_attributes = bool(start_tag[1])
    if has_attributes and b'"' in record[start_tag.end() :]:
        raise NotPlainError
    tokens, before_value = _tokens(record, start_tag.end(), has_attributes)
    if not before_value or len(tokens) > _MAX_TOKENS or max(map(len, tokens)) + len(gap) > _MAX_TOKEN_BYTES:
        raise NotPlainError
    # Numbers for values: a variable's number tells which token it follows.
    numbers = {token: str(slot) for slot, token in enumerate(before_value)}
    text = b"".join(token + numbers.get(at, "").encode("ascii") for at, token in enumerate(tokens))
    variables = _variables(text, layout)
    found = {variable.text: variable for variable in variables if variable.text}
    names = tuple(variable.name for variable in variables)
    if set(found) != set(numbers.values()) or len(set(names)) != len(names):
        raise NotPlainError
    return Template(
        tokens=(*tokens[:-1], tokens[-1] + gap),
        slots=tuple(Slot(token, found[n].name, found[n].is_nil) for token, n in numbers.items()),
        constants=tuple((v.name, State.NIL if v.is_nil else State.EMPTY) for v in variables if not v.text),
        names=names,
        has_attributes=has_attributes,
        last_bare=tokens[-1],
        attributes=tuple((one.name, one.attributes) for one in variables if one.attributes),
    )


def _tokens(record: bytes, tag_end: int, has_attributes: bool) -> tuple[list[bytes], list[int]]:
    """Cut the record into tokens, and number those that a value follows."""
    places = [found.start() for found in _SEPARATOR[has_attributes].finditer(record)]
    tokens: list[bytes] = []
    before_value = []
    is_quoted = False
    for at, following in zip(places, [*places[1:], len(record)], strict=True):
        token = record[at:following]
        if token.startswith(b'"'):
            is_quoted = not is_quoted
            has_value, end = is_quoted, 1
        else:
            end = token.find(b">") + 1
            is_open = at >= tag_end and token[1:2] != b"/" and not token[:end].endswith(b"/>")
            has_value = is_open and record.startswith(b"</", following)
        if has_value:
            before_value.append(len(tokens))
            token = token[:end]
        tokens.append(token)
    return tokens, before_value


@dataclass(frozen=True, slots=True)
class _TemplateVariable:
    name: str
    text: str
    is_nil: bool
    attributes: tuple[str, ...] = ()


def _variables(record: bytes, layout: Layout) -> list[_TemplateVariable]:
    """Read one record with lxml."""
    try:
        node = parse_bytes(layout.head + record + layout.tail)
    except etree.XMLSyntaxError:
        raise NotPlainError from None
    for _ in layout.wrappers:
        if len(node) != 1:
            raise NotPlainError
        node = node[0]
    texts = [node.text, *(child.tail for child in node)]
    attributes = [*node.attrib, *(name for child in node for name in child.attrib)]
    if node.tag != layout.record or any(len(child) or child.tag == layout.record for child in node):
        raise NotPlainError
    if any(text and text.strip(XML_BLANK) for text in texts):
        raise NotPlainError
    # xml:id must be unique in the file, which a single row cannot show.
    if any(str(name).startswith(_XML_NAMESPACE) for name in attributes):
        raise NotPlainError
    return [
        *(_TemplateVariable("@" + str(name), str(value), False) for name, value in node.items()),
        *(
            _TemplateVariable(str(child.tag), child.text or "", is_nil(child), tuple(map(str, child.attrib)))
            for child in node
        ),
    ]
