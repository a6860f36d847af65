"""Runs of records that differ in their values alone, rewritten many at a time.

The markup of an example is compared with that of all records of the run, byte by byte. What is written is the run
itself with some spans replaced, so that nothing is copied from the example: a byte that should not change comes from
the document, whatever the example has there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import Bytes, Counts, Flags, Positions, Spans
from constraint_sdc.files.masked_document.shape import Shape

_MOST_RECORDS = 1 << 12  # of one run: memory for their spans is bounded
_LONGEST = 1 << 10  # bytes of markup and white space between two values
_BLANK = b" \t\r\n"
_OPEN = ord("<")
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)


class Opened:
    """Some bytes of a document, and the places of every `<` in them."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        padded = np.frombuffer(data + bytes(8), np.uint8)
        self.raw: Bytes = padded[: len(data)]
        self._words = np.ndarray((len(padded) - 7,), "<u8", padded.data, strides=(1,))
        self._at: Positions = np.flatnonzero(self.raw == _OPEN)

    def records(self, start: int, tokens: int) -> Spans:
        """Return where tags begin from `start` on, as rows of that many; an incomplete row is left out."""
        first = int(np.searchsorted(self._at, start))
        count = min((len(self._at) - first) // tokens, _MOST_RECORDS)
        return self._at[first : first + count * tokens].reshape(count, tokens)

    def words(self, at: Spans) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        """Return the eight bytes from each place on, as little-endian words; places past the end count as the end."""
        return self._words[np.minimum(at, len(self._words) - 1)]


@dataclass(frozen=True, slots=True)
class MatchedRun:
    """Records from `start` on, each up to its entry of `ends`; the spans to replace are records x spans, in order.

    `numbers` has for each span the number of the value that replaces it, None where nothing does.
    """

    opened: Opened
    start: int
    ends: Spans
    cut_start: Spans
    cut_stop: Spans
    numbers: tuple[int | None, ...]

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def stop(self) -> int:
        """Return where the last record ends."""
        return int(self.ends[-1])

    def first(self, count: int) -> MatchedRun:
        """Return its first records."""
        return replace(self, ends=self.ends[:count], cut_start=self.cut_start[:count], cut_stop=self.cut_stop[:count])


@dataclass(frozen=True, slots=True)
class _Cut:
    """A span of a record, from a token to a token, both with a shift in bytes from where the token begins."""

    first: int
    first_shift: int
    last: int
    last_shift: int
    number: int | None


class RunTemplate:
    """The tokens of a record: each is a piece of markup with the text after it, unless that is a value."""

    def __init__(self, tokens: Sequence[bytes], is_fixed: Sequence[bool], cuts: Sequence[_Cut]) -> None:
        self._tokens = tuple(tokens)
        self._lengths = np.array([len(token) for token in tokens], np.int64)
        self._is_fixed: Flags = np.array(is_fixed, np.bool_)
        self._cuts = tuple(cuts)

    @classmethod
    def of(cls, pieces: Sequence[bytes], shape: Shape) -> RunTemplate | None:
        """Return the template of a record that was cut at its markup; None if its shape needs more than cuts."""
        markup = pieces[1::2]
        if shape.other or shape.changed or any(piece.count(b"<") != 1 for piece in markup):
            return None
        values = {at for leaf in shape.leaves for at in range(leaf.opens + 1, leaf.closes, 2)}
        after = range(2, len(pieces), 2)
        fixed = [at not in values for at in after]
        tokens = [
            piece + (pieces[at] if is_fixed else b"") for piece, at, is_fixed in zip(markup, after, fixed, strict=True)
        ]
        if pieces[0] or pieces[-1] or max(map(len, tokens)) > _LONGEST:
            return None
        cuts = [_Cut(at // 2 - 1, len(pieces[at - 1]), at // 2, 0, number) for at, number in shape.plain]
        for leaf in shape.removed:
            before, last = len(pieces[leaf.opens - 1]), len(pieces[leaf.closes])
            cuts.append(_Cut(leaf.opens // 2, -before, leaf.closes // 2, last, None))
        return cls(tokens, fixed, sorted(cuts, key=lambda cut: (cut.first, cut.first_shift)))

    def match(self, opened: Opened, start: int) -> MatchedRun | None:
        """Return the run of records that begins here, None if the first is of another kind or not complete."""
        begins = opened.records(start, len(self._tokens))
        stops = begins[:, -1] + self._lengths[-1]
        begins, stops = begins[stops <= len(opened.data)], stops[stops <= len(opened.data)]
        is_alike = self._has_sizes(begins) & self._has_bytes(opened, begins)
        if len(begins) > 1:
            gap = opened.data[int(stops[0]) : int(begins[1, 0])]
            is_blank = not gap.strip(_BLANK) and len(gap) <= _LONGEST
            is_alike[1:] &= (begins[1:, 0] - stops[:-1] == len(gap)) & _are(opened, stops[:-1], gap) & is_blank
        count = len(begins) if is_alike.all() else int(np.argmin(is_alike))
        return self._run(opened, begins[:count], stops[:count]) if count else None

    def _has_sizes(self, begins: Spans) -> Flags:
        """Tell which records have room for every token, and no byte between those that have no value between them."""
        found = np.ones(len(begins), np.bool_)
        room = np.diff(begins, axis=1) - self._lengths[:-1]
        is_fixed = self._is_fixed[:-1]
        found &= (room[:, is_fixed] == 0).all(axis=1)
        found &= (room[:, ~is_fixed] >= 0).all(axis=1)
        return found

    def _has_bytes(self, opened: Opened, begins: Spans) -> Flags:
        found = np.ones(len(begins), np.bool_)
        for offset in range(0, int(self._lengths.max()), 8):
            tokens = np.flatnonzero(self._lengths > offset)
            expected = np.array([_word(self._tokens[token], offset) for token in tokens], np.uint64)
            words = opened.words(begins[:, tokens] + offset)
            words &= _MASKS[np.minimum(self._lengths[tokens] - offset, 8)]
            found &= (words == expected).all(axis=1)
        return found

    def _run(self, opened: Opened, begins: Spans, ends: Spans) -> MatchedRun:
        shape = (len(begins), len(self._cuts))
        starts, stops = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for place, cut in enumerate(self._cuts):
            starts[:, place] = begins[:, cut.first] + cut.first_shift
            stops[:, place] = begins[:, cut.last] + cut.last_shift
        return MatchedRun(opened, int(begins[0, 0]), ends, starts, stops, tuple(cut.number for cut in self._cuts))


def _are(opened: Opened, places: Spans, expected: bytes) -> Flags:
    """Tell at which places these bytes stand."""
    found = np.ones(len(places), np.bool_)
    for offset in range(0, len(expected), 8):
        words = opened.words(places + offset) & _MASKS[min(len(expected) - offset, 8)]
        found &= words == np.uint64(_word(expected, offset))
    return found


def _word(token: bytes, offset: int) -> int:
    return int.from_bytes(token[offset : offset + 8], "little")


def replaced(run: MatchedRun, texts: Bytes, lengths: Counts) -> bytes:
    """Return the bytes of a run with other texts in its spans.

    `lengths` (records x spans) are those of the texts, which stand one after another in `texts`.
    """
    source = run.opened.raw[run.start : run.stop]
    starts, stops = run.cut_start.ravel() - run.start, run.cut_stop.ravel() - run.start
    kept = np.append(starts, len(source))
    kept[1:] -= stops
    from_source = _alternating(kept, stops - starts)
    if not len(texts):
        return source[from_source].tobytes()
    is_source = _alternating(kept, lengths.ravel())
    written = np.empty(len(is_source), np.uint8)
    written[is_source] = source[from_source]
    written[~is_source] = texts
    return written.tobytes()


def _alternating(kept: Counts, others: Counts) -> Flags:
    """Return flags: as many true as the first of `kept` says, as many false as the first of `others`, and so on."""
    counts = np.empty(len(kept) + len(others), np.int64)
    counts[0::2], counts[1::2] = kept, others
    flags = np.zeros(len(counts), np.bool_)
    flags[0::2] = True
    return np.repeat(flags, counts)
