"""Text values of many records as spans of one UTF-8 buffer, compared eight bytes at a time.

UTF-8 sorts as its code points do, and XML text never holds a NUL, so comparing words padded with NUL is XPath's
codepoint collation exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes, Flags, Positions, Spans, Words
from constraint_sdc.data.table import Column

_LOW_BYTES = np.array([(1 << (8 * k)) - 1 for k in range(9)], np.uint64)
_IS_BLANK = np.isin(np.arange(256), list(b" \t\r\n"))
_NOWHERE = np.zeros(0, np.intp)
_HIGH_BITS = np.uint64(0x8080808080808080)


class Text:
    """One text per record, or a single text that stands for every record (length 1)."""

    def __init__(self, buffer: Bytes, start: Spans, stop: Spans) -> None:
        self._buffer = buffer
        self.start = start
        self.stop = stop

    @classmethod
    def of_column(cls, column: Column) -> Text:
        """Return the string values of a column; an absent value reads ''."""
        return cls(column.buffer, column.start, column.stop)

    @classmethod
    def joined(cls, parts: Sequence[Text]) -> Text:
        """Return the texts of some parts, one after another."""
        shift = np.cumsum([0, *(len(part.buffer) for part in parts)])
        start, stop = (
            np.concatenate([getattr(part, end) + by for part, by in zip(parts, shift, strict=False)])
            for end in ("start", "stop")
        )
        return cls(np.concatenate([part.buffer for part in parts]), start, stop)

    @classmethod
    def of_strings(cls, strings: Iterable[str]) -> Text:
        """Return the texts of Python strings."""
        encoded = [string.encode("utf-8") for string in strings]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        stop = np.cumsum(lengths)
        return cls(np.frombuffer(b"".join(encoded) + bytes(8), np.uint8), stop - lengths, stop)

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def length(self) -> Spans:
        """The number of bytes of each text."""
        return self.stop - self.start

    @cached_property
    def longest(self) -> int:
        """The number of bytes of the longest text."""
        return int(self.length.max(initial=0))

    @cached_property
    def buffer(self) -> Bytes:
        """The bytes, at least eight of them."""
        return self._buffer if len(self._buffer) >= 8 else np.concatenate([self._buffer, np.zeros(8, np.uint8)])

    @cached_property
    def _reaches_end(self) -> bool:
        return int(self.start.max(initial=0)) + 8 > len(self.buffer)

    def word(self, k: int) -> Words:
        """Return bytes 8k to 8k + 7 of each text as little-endian words, NUL where the text has ended."""
        # Void items have alignment one, so NumPy gathers the unaligned windows without a copy of the whole buffer.
        windows = np.ndarray((len(self.buffer) - 7,), "V8", self.buffer, strides=(1,))
        begin = self.start + 8 * k if k else self.start
        last = len(windows) - 1
        near_end = np.flatnonzero(begin > last) if k or self._reaches_end else _NOWHERE
        at = np.minimum(begin, last) if len(near_end) else begin
        words = windows[at].view(np.dtype("<u8")).astype(np.uint64, copy=False)
        if len(near_end):
            words[near_end] >>= np.minimum(begin[near_end] - last, 7).astype(np.uint64) * np.uint64(8)
        return np.bitwise_and(words, _LOW_BYTES[np.clip(self.length - 8 * k, 0, 8)])

    @cached_property
    def first_word(self) -> Words:
        """The first eight bytes of each text."""
        return self.word(0)

    @cached_property
    def is_ascii(self) -> Flags:
        """Where a text has ASCII characters only."""
        plain: Flags = np.bitwise_and(self.first_word, _HIGH_BITS) == 0
        longer = np.flatnonzero(self.length > 8)
        plain[longer] &= np.fromiter(map(bytes.isascii, self.raw(longer)), np.bool_, len(longer))
        return plain

    @cached_property
    def strings(self) -> list[str]:
        """The texts as Python strings."""
        return [raw.decode("utf-8") for raw in self.raw(np.arange(len(self)))]

    def raw(self, rows: Positions) -> list[bytes]:
        """Return the bytes of some texts."""
        view = self._buffer.data
        return [bytes(view[a:b]) for a, b in zip(self.start[rows].tolist(), self.stop[rows].tolist(), strict=True)]

    def matrix(self, width: int) -> Bytes:
        """Return the texts as rows of `width` bytes, filled up with NUL; none may be longer."""
        places = np.arange(width)
        letters: Bytes = self._buffer[np.minimum(self.start[:, None] + places, len(self._buffer) - 1)]
        letters[places >= self.length[:, None]] = 0
        return letters

    def take(self, rows: Positions) -> Text:
        """Return the texts of some rows."""
        return Text(self._buffer, self.start[rows], self.stop[rows])

    def of(self, rows: slice) -> Text:
        """Return the texts of a run of rows, without a copy."""
        return Text(self._buffer, self.start[rows], self.stop[rows])

    def stripped(self) -> Text:
        """Return the texts without XML's white space around them."""
        return Text(self._buffer, *_stripped_spans(self.buffer, self.start, self.stop))

    def broadcast(self, present: Flags | None) -> tuple[Text, Flags]:
        """Return texts and mask (None is true everywhere) with as many rows as the longer of the two."""
        mask = np.ones(1, np.bool_) if present is None else present
        if len(mask) == len(self):
            return self, mask
        start, stop, mask = np.broadcast_arrays(self.start, self.stop, mask)
        return Text(self._buffer, start, stop), mask

    def blank_unless(self, mask: Flags) -> Text:
        """Return the texts where the mask is true, '' elsewhere; itself if that changes nothing."""
        if len(self) == len(mask) and not np.any(self.length[~mask]):
            return self
        start, stop, mask = np.broadcast_arrays(self.start, self.stop, mask)
        return Text(self._buffer, start, np.where(mask, stop, start))

    def where(self, mask: Flags, other: Text) -> Text:
        """Return these texts where the mask is true, the other ones elsewhere."""
        shift = len(self._buffer)
        start = np.where(mask, self.start, other.start + shift)
        stop = np.where(mask, self.stop, other.stop + shift)
        return Text(np.concatenate([self._buffer, other._buffer]), start, stop)

    def map(self, function: Callable[[str], str]) -> Text:
        """Apply a function of one string to every text, once per distinct text."""
        known: dict[str, str] = {}
        return Text.of_strings([known[s] if s in known else known.setdefault(s, function(s)) for s in self.strings])

    def test(self, predicate: Callable[[str], bool]) -> Flags:
        """Apply a predicate of one string to every text, once per distinct text."""
        known: dict[str, bool] = {}
        answers = (known[s] if s in known else known.setdefault(s, predicate(s)) for s in self.strings)
        return np.fromiter(answers, np.bool_, len(self))


def _stripped_spans(buffer: Bytes, start: Spans, stop: Spans) -> tuple[Spans, Spans]:
    start, stop = start.copy(), stop.copy()
    for end, before, step in ((start, 0, 1), (stop, 1, -1)):
        rows = np.flatnonzero(start < stop)
        while len(rows := rows[_IS_BLANK[buffer[end[rows] - before]]]):
            end[rows] += step
            rows = rows[start[rows] < stop[rows]]
    return start, stop


def equal(left: Text, right: Text) -> Flags:
    """Tell where two texts are the same, codepoint by codepoint."""
    same: Flags = np.equal(left.length, right.length) & (left.first_word == right.first_word)
    for rows, ours, theirs in _undecided(left, right, lambda: same):
        same[rows] = ours == theirs
    return same


def order(left: Text, right: Text) -> npt.NDArray[np.int8]:
    """Return -1, 0 or 1 where the left text sorts before, with or after the right one by code points."""
    result = _order_words(left.first_word, right.first_word)
    for rows, ours, theirs in _undecided(left, right, lambda: result == 0):
        result[rows] = _order_words(ours, theirs)
    return result


def _undecided(left: Text, right: Text, tied: Callable[[], Flags]) -> Iterator[tuple[Positions, Words, Words]]:
    """Yield the rows still tied after each word, with their next words on both sides."""
    reach = np.maximum(left.length, right.length)
    rows = np.flatnonzero(tied() & (reach > 8))
    ours, theirs, reach = _rows(left, rows), _rows(right, rows), reach[rows]
    k = 1
    while len(rows):
        yield rows, ours.word(k), theirs.word(k)
        k += 1
        keep = np.flatnonzero(tied()[rows] & (reach > 8 * k))
        rows, ours, theirs, reach = rows[keep], ours.take(keep), theirs.take(keep), reach[keep]


def _rows(text: Text, rows: Positions) -> Text:
    return text.take(np.zeros(len(rows), np.intp) if len(text) == 1 else rows)


def _order_words(left: Words, right: Words) -> npt.NDArray[np.int8]:
    a, b = left.byteswap(), right.byteswap()
    return np.subtract(a > b, a < b, dtype=np.int8)
