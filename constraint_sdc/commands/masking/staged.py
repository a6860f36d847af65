"""The staged file: written from its source, then read back and compared with what it should be, value by value."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Bytes
from constraint_sdc.data.table import Chunk, Column, State
from constraint_sdc.errors import DataError, JudgeError
from constraint_sdc.files.masked_document.document import skeleton_digest, write_masked
from constraint_sdc.files.microdata.microdata import Microdata, open_microdata
from constraint_sdc.files.microdata.source import open_binary, read_up_to, sniff_encoding

_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_WITHOUT_MARK = {"utf-16": (b"<\0", "utf-16-le", "utf-16-be"), "utf-32": (b"<\0\0\0", "utf-32-le", "utf-32-be")}


def write_staged(
    microdata: Microdata, staged: Path, columns: Mapping[str, Column], removed: frozenset[str] = frozenset()
) -> None:
    """Write the document into the staged file with the values of `columns` and without `removed` variables."""
    codec = codec_of(microdata)
    write_masked(microdata.path, staged, record=microdata.layout.record, codec=codec, columns=columns, removed=removed)


def verify_staged(
    microdata: Microdata, staged: Path, columns: Mapping[str, Column], removed: frozenset[str] = frozenset()
) -> Microdata:
    """Read the staged file back, prove that it is what it should be, and return it opened.

    Proven, or JudgeError: it has the source's records in the same places; each value of `columns` has exactly the
    intended text and state (empty is accepted for nil); `removed` variables are nowhere; every other value is the
    source's; and with masked values left out, the two documents are the same text from the first byte to the last.
    """
    codec = codec_of(microdata)
    with _read_back():
        written = open_microdata(staged, record=microdata.layout.record)
    if written.layout.wrappers != microdata.layout.wrappers or written.layout.record != microdata.layout.record:
        raise _differs("the records are elsewhere in the document")
    moved = _compare_values(microdata, written, columns, removed)
    masked = frozenset(columns) - removed - moved
    skeletons = [
        skeleton_digest(path, record=microdata.layout.record, codec=codec, masked=masked, removed=removed | moved)
        for path in (microdata.path, staged)
    ]
    if skeletons[0] != skeletons[1]:
        raise _differs("something else than a masked value has changed (a comment, an attribute, white space)")
    return written


def smallest_groups(chunks: Iterable[Chunk], blocks: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return, for each block of variables, the least number of records that share all its texts and states.

    0 for a file without records. One pass; memory grows with the number of different combinations.

    >>> from constraint_sdc.data.table import Layout, column_of
    >>> nothing = np.zeros(3, np.int64)
    >>> columns = {"V1": column_of("V1", ["1", "2", "1"]), "V2": column_of("V2", ["5", "5", "5"])}
    >>> layout = Layout(("Microdata",), "Record", "elements", b"", b"")
    >>> chunk = Chunk(layout, 0, columns, np.zeros(0, np.uint8), nothing, nothing, nothing)
    >>> smallest_groups([chunk], [["V1"], ["V2"], ["V1", "V2"]])
    (1, 3, 1)
    """
    counts: list[Counter[tuple[bytes | int, ...]]] = [Counter() for _ in blocks]
    for chunk in chunks:
        cells = {name: _cells(_column(chunk, name)) for name in {name for block in blocks for name in block}}
        for count, block in zip(counts, blocks, strict=True):
            rows = zip(*(cells[name] for name in block), strict=True) if block else [()] * len(chunk)
            count.update(rows)
    return tuple(min(count.values(), default=0) for count in counts)


def _cells(column: Column) -> list[bytes | int]:
    """Return each value as its bytes, or its state's number where it has none."""
    raw = column.buffer.tobytes()
    rows = zip(column.start.tolist(), column.stop.tolist(), column.state.tolist(), strict=True)
    return [state or raw[start:stop] for start, stop, state in rows]


def codec_of(microdata: Microdata) -> str:
    """Return Python's name of the file's encoding, byte order included."""
    with open_binary(microdata.path) as stream:
        opening = read_up_to(stream, 1 << 12, microdata.path)
    how = sniff_encoding(opening)
    if how.codec is not None:
        return how.codec
    for mark, codec in _MARKS.items():
        if opening.startswith(mark):
            return codec
    try:
        codec = codecs.lookup(microdata.encoding).name
    except LookupError:
        what = f"files in {microdata.encoding} cannot be written"
        raise DataError(what, file=str(microdata.path), hint="convert the file to UTF-8 first") from None
    if codec in _WITHOUT_MARK:
        little_start, little, big = _WITHOUT_MARK[codec]
        return little if opening.startswith(little_start) else big
    return codec


@contextmanager
def _read_back() -> Iterator[None]:
    """Say of a file that we wrote and cannot read that it is our fault."""
    try:
        yield
    except DataError as error:
        raise _differs(f"it cannot be read back: {error.what}") from error


def _differs(what: str) -> JudgeError:
    return JudgeError(
        f"the masked file is not what it should be, and is not published: {what}",
        hint="run again; if the input did not change meanwhile, please report it",
    )


@dataclass(frozen=True, slots=True)
class _StagedPair:
    """The same records of both files: rows `source_rows` of `source`, rows `written_rows` of `written`."""

    first: int
    source: Chunk
    source_rows: slice
    written: Chunk
    written_rows: slice

    def names(self) -> set[str]:
        return {*self.source.columns, *self.written.columns}


def _compare_values(
    microdata: Microdata, written: Microdata, columns: Mapping[str, Column], removed: frozenset[str]
) -> frozenset[str]:
    """Compare every value of the written file; return the masked variables that came into or left some record."""
    moved: set[str] = set()
    outside: tuple[set[str], set[str]] = (set(), set())
    count = 0
    for pair in _pairs(microdata.chunks(outside[0]), written.chunks(outside[1])):
        stop = pair.first + len(range(*pair.source_rows.indices(len(pair.source))))
        for name in pair.names() | set(columns):
            before = _rows(_column(pair.source, name), pair.source_rows)
            after = _rows(_column(pair.written, name), pair.written_rows)
            if name in removed:
                expected = _absent(name, len(before))
            elif name in columns:
                if stop > len(columns[name]):
                    raise _differs(f"there are more records than values of {name}")
                expected = _writable(_rows(columns[name], slice(pair.first, stop)), after)
                if (before.present() != after.present()).any():
                    moved.add(name)
            else:
                expected = before
            _refuse_difference(after, expected, pair.first)
        count = stop
    if any(len(column) != count for column in columns.values()):
        raise _differs(f"there are {count} records, and another number of values")
    if outside[0] != outside[1]:
        raise _differs("the elements around the records have changed")
    return frozenset(moved)


def _pairs(source: Iterator[Chunk], written: Iterator[Chunk]) -> Iterator[_StagedPair]:
    """Go through both files in step; their chunks may be cut at different records."""
    ours: Chunk | None = None
    theirs: Chunk | None = None
    our_at = their_at = first = 0
    while True:
        if ours is None or our_at == len(ours):
            ours, our_at = next(source, None), 0
        if theirs is None or their_at == len(theirs):
            with _read_back():
                theirs, their_at = next(written, None), 0
        if ours is None or theirs is None:
            break
        size = min(len(ours) - our_at, len(theirs) - their_at)
        yield _StagedPair(first, ours, slice(our_at, our_at + size), theirs, slice(their_at, their_at + size))
        our_at, their_at, first = our_at + size, their_at + size, first + size
    if ours is not theirs:
        raise _differs(f"it has {'fewer' if theirs is None else 'more'} records than the source, from {first + 1} on")


def _column(chunk: Chunk, name: str) -> Column:
    return chunk.columns[name] if name in chunk.columns else _absent(name, len(chunk))


def _absent(name: str, count: int) -> Column:
    nowhere = np.zeros(count, np.int64)
    return Column(name, np.zeros(1, np.uint8), nowhere, nowhere, np.full(count, State.ABSENT, np.uint8))


def _rows(column: Column, rows: slice) -> Column:
    return Column(column.name, column.buffer, column.start[rows], column.stop[rows], column.state[rows])


def _writable(intended: Column, after: Column) -> Column:
    """Return the intended values with nil as empty where it was written so, and a value without text as empty."""
    is_empty = (intended.start == intended.stop) & (intended.state == State.VALUE)
    is_empty |= (intended.state == State.NIL) & (after.state == State.EMPTY)
    state = np.where(is_empty, np.uint8(State.EMPTY), intended.state)
    return Column(intended.name, intended.buffer, intended.start, intended.stop, state)


def _refuse_difference(found: Column, expected: Column, first: int) -> None:
    lengths = found.stop - found.start
    same = (found.state == expected.state) & (lengths == expected.stop - expected.start)
    if same.all():
        # The rows are of equal length one by one, so a byte's place in the whole is its place in its row.
        differing = np.flatnonzero(_joined(found, lengths) != _joined(expected, lengths))
        if not len(differing):
            return
        row = int(np.searchsorted(np.cumsum(lengths), differing[0], "right"))
    else:
        row = int(np.flatnonzero(~same)[0])
    raise _differs(f"{found.name} of record {first + row + 1} has not the value that it should have")


def _joined(column: Column, lengths: npt.NDArray[np.int64]) -> Bytes:
    """Return the bytes of all values, one after another."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    places = np.arange(total) + np.repeat(column.start - (ends - lengths), lengths)
    joined: Bytes = column.buffer[places]
    return joined
