"""The staged file: written from its source, then read back and compared with what it should be, value by value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Counts, Flags
from constraint_sdc.data.codes import join_codes
from constraint_sdc.data.table import Chunk, Column, Layout, State, Table
from constraint_sdc.data.text import Text, equal
from constraint_sdc.engines.growing import GrowingArray
from constraint_sdc.engines.running import scratch
from constraint_sdc.errors import DataError, JudgeError
from constraint_sdc.evaluate.distinct_texts import codes_of_values
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.masked_document.document import Copied, Skeleton, write_masked
from constraint_sdc.files.microdata.around import Around
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.microdata.source import OnePass
from constraint_sdc.files.microdata.whole_table import read_table
from constraint_sdc.files.tables.registry import current_reading, table_format
from constraint_sdc.files.tables.table_format import TableChange, TableCopied, TableFormat, is_same_number
from constraint_sdc.judge.cases.outlines import Outlines


def write_staged(
    dataset: Dataset,
    staged: Path,
    columns: Mapping[str, Column],
    removed: frozenset[str] = frozenset(),
    taken_out: frozenset[str] = frozenset(),
) -> bytes:
    """Write the document into the staged file with the values of `columns` and without `removed` variables.

    `taken_out` are the paths of surroundings that are left out. Return the digest of its skeleton, that is of all that
    must be the same in both files. DataError when the source is no longer what was read.
    """
    microdata, known = dataset.microdata, table_format(dataset.path)
    copied: Copied | TableCopied
    if known is not None:
        copied = known.write_masked(dataset.path, staged, TableChange(columns, removed, taken_out), current_reading())
    else:
        copied = write_masked(
            microdata.path,
            staged,
            record=microdata.layout.record,
            codec=microdata.how.codec,
            columns=columns,
            removed=removed,
            moved=_moved(dataset.table, columns),
            taken_out=taken_out,
        )
    if copied.sha256 != dataset.sha256:
        what = "the file is not as it was read: its bytes have changed"
        raise DataError(what, file=str(microdata.path), hint="run again")
    return copied.skeleton


def spelled(
    dataset: Dataset, columns: Mapping[str, Column], removed: frozenset[str] = frozenset()
) -> Mapping[str, Column]:
    """Return the new values as the format of the file spells them: the same values, maybe without `.0`."""
    known = table_format(dataset.path)
    if known is None:
        return columns
    found = known.spelled(dataset.path, TableChange(columns, removed), current_reading()).columns
    for name in () if found is columns else columns.keys() - removed:
        texts, others = columns[name].texts(), found[name].texts()
        if len(texts) != len(others) or any(
            text != other and not is_same_number(text, other) for text, other in zip(texts, others, strict=True)
        ):
            raise _differs(f"values of {name} cannot be stored as they are")
    return found


def _moved(table: Table, columns: Mapping[str, Column]) -> frozenset[str]:
    """Return the variables that come into some record, or leave it."""
    return frozenset(
        name
        for name, column in columns.items()
        if not np.array_equal(
            table.columns[name].present() if name in table.columns else np.zeros(len(column), np.bool_),
            column.present(),
        )
    )


@dataclass(frozen=True, slots=True)
class ReadBack:
    """A staged file that was read back: its records' lines, the digest of its bytes, and the smallest groups.

    `smallest` has, for each block of variables asked for, the least number of records that share all its values.
    `table` has the values that were asked for, and those of the blocks.
    """

    layout: Layout
    lines: npt.NDArray[np.int64]
    sha256: str
    smallest: tuple[int, ...]
    table: Table


def verify_staged(
    dataset: Dataset,
    staged: Path,
    columns: Mapping[str, Column],
    skeleton: bytes,
    removed: frozenset[str] = frozenset(),
    blocks: Sequence[Sequence[str]] = (),
    taken_out: frozenset[str] = frozenset(),
    wanted: Collection[str] = (),
    outlines: Outlines | None = None,
) -> ReadBack:
    """Read the staged file back, once, and prove that it is what it should be; the values of `wanted` are returned.

    `outlines` gets the outlines of the records that were read.

    Proven, or JudgeError: it has the source's records in the same places; each value of `columns` has exactly the
    intended text and state (empty is accepted for nil); `removed` variables are nowhere, also not in the metadata;
    every other value is the source's; `taken_out` surroundings are gone and all others are there as often as in the
    source; and with masked values left out, the two documents are the same text from the first byte to the last:
    `skeleton` is the digest of the source without them, as `write_staged` returns it.
    """
    layout, found = dataset.microdata.layout, _skeleton(dataset, staged, columns, removed)
    with OnePass(staged, found.feed) as source:
        with _read_back():
            written = open_microdata(staged, record=layout.record, source=source)
        if written.layout.wrappers != layout.wrappers or written.layout.record != layout.record:
            raise _differs("the records are elsewhere in the document")
        source.begin()
        lines, around = GrowingArray(scratch(), np.int64), Around()
        kept = frozenset(wanted).union(*blocks)
        comparison = _StagedComparison(dataset, columns, removed)
        chunks = written.chunks(around, source)

        def compared() -> Iterator[Chunk]:
            while (chunk := _next(chunks)) is not None:
                comparison.take(chunk)
                if outlines is not None:
                    outlines.take(chunk)
                lines.append(chunk.lines)
                columns = {name: column for name, column in chunk.columns.items() if name in kept}
                yield Chunk.without_xml(chunk.layout, columns, chunk.lines, chunk.first)

        table = read_table(compared(), str(staged))
        comparison.finish()
    if found.digest(source.sha256) != skeleton:
        raise _differs("something else than a masked value has changed (a comment, an attribute, white space)")
    expected = dataset.surroundings.without(taken_out, removed)
    if difference := expected.difference(around.surroundings(), taken_out):
        raise _differs(difference)
    return ReadBack(written.layout, lines.finished(), source.sha256, smallest_groups(table, blocks), table)


class _SkeletonFound(Protocol):
    """The skeleton of a written file, as it is read."""

    def feed(self, raw: bytes, /) -> None:
        """Take the next bytes."""

    def digest(self, sha256: str, /) -> bytes:
        """Return the digest of the skeleton; the file has this digest."""
        ...


def _skeleton(dataset: Dataset, staged: Path, columns: Mapping[str, Column], removed: frozenset[str]) -> _SkeletonFound:
    known = table_format(staged)
    if known is not None:
        return _TableSkeleton(known, staged, TableChange(columns, removed))
    layout, moved = dataset.microdata.layout, _moved(dataset.table, columns)
    masked, gone = frozenset(columns) - removed - moved, removed | moved
    return _DocumentSkeleton(
        Skeleton(staged, record=layout.record, codec=dataset.microdata.how.codec, masked=masked, removed=gone)
    )


class _DocumentSkeleton:
    """The skeleton of an XML document."""

    def __init__(self, found: Skeleton) -> None:
        self._found = found

    def feed(self, raw: bytes) -> None:
        """Take the next bytes."""
        self._found.feed(raw)

    def digest(self, _: str) -> bytes:
        """Return the digest."""
        return self._found.digest()


class _TableSkeleton:
    """The skeleton of a table, whose own bytes are read once more for it."""

    def __init__(self, known: TableFormat, staged: Path, change: TableChange) -> None:
        self._known = known
        self._staged = staged
        self._change = change

    def feed(self, _: bytes) -> None:
        """Pass over the presentation."""

    def digest(self, sha256: str) -> bytes:
        """Return the digest."""
        with _read_back():
            copied = self._known.skeleton(self._staged, self._change, current_reading())
        if copied.sha256 != sha256:
            raise _differs("its bytes have changed since it was written")
        return copied.skeleton


def _next(chunks: Iterator[Chunk]) -> Chunk | None:
    with _read_back():
        return next(chunks, None)


def group_sizes(table: Table, blocks: Sequence[Sequence[str]]) -> tuple[Counts, ...]:
    """Return, for each block of variables, how many records have each combination of texts and states that occurs.

    >>> from constraint_sdc.data.table import column_of
    >>> table = Table({"V1": column_of("V1", ["1", "2", "1"]), "V2": column_of("V2", ["5", "5", "5"])}, 3)
    >>> [sizes.tolist() for sizes in group_sizes(table, [["V1"], ["V2"], ["V1", "V2"], ["nowhere"]])]
    [[2, 1], [3], [2, 1], [3]]
    """
    return tuple(_sizes([table.columns[name] for name in block if name in table.columns], table) for block in blocks)


def _sizes(columns: Sequence[Column], table: Table) -> Counts:
    return np.bincount(join_codes((codes_of_values(column) for column in columns), table.records))


def smallest_groups(table: Table, blocks: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Return the smallest number for each block; 0 for a file without records."""
    return tuple(int(sizes.min()) if len(sizes) else 0 for sizes in group_sizes(table, blocks))


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


class _StagedComparison:
    """Compares every value of a written file with what it should be, a chunk at a time."""

    def __init__(self, dataset: Dataset, columns: Mapping[str, Column], removed: frozenset[str]) -> None:
        self._dataset = dataset
        self._columns = columns
        self._removed = removed
        self._count = 0

    def take(self, chunk: Chunk) -> None:
        """Compare the next records."""
        first, records = self._count, self._dataset.table.records
        self._count += len(chunk)
        rows = slice(first, min(self._count, records))
        for name in dict.fromkeys((*self._dataset.table.columns, *chunk.columns, *self._columns)):
            found = _column(chunk, name).of(slice(0, rows.stop - first))
            _refuse_difference(found, self._expected(name, rows, found), first)
        if self._count > records:
            raise _differs(f"it has more records than the source, from {records + 1} on")

    def _expected(self, name: str, rows: slice, found: Column) -> Column:
        if name in self._removed:
            return _absent(name, len(found))
        if name in self._columns:
            if rows.stop > len(self._columns[name]):
                raise _differs(f"there are more records than values of {name}")
            return _writable(self._columns[name].of(rows), found)
        source = self._dataset.table.columns.get(name)
        return _absent(name, len(found)) if source is None else source.of(rows)

    def finish(self) -> None:
        """Compare the number of records; after the last chunk."""
        if self._count < self._dataset.table.records:
            raise _differs(f"it has fewer records than the source, from {self._count + 1} on")
        if any(len(column) != self._count for column in self._columns.values()):
            raise _differs(f"there are {self._count} records, and another number of values")


def _column(chunk: Chunk, name: str) -> Column:
    return chunk.columns[name] if name in chunk.columns else _absent(name, len(chunk))


def _absent(name: str, count: int) -> Column:
    nowhere = np.zeros(count, np.int64)
    return Column(name, np.zeros(1, np.uint8), nowhere, nowhere, np.full(count, State.ABSENT, np.uint8))


def _writable(intended: Column, after: Column) -> Column:
    """Return the intended values with nil as empty where it was written so, and a value without text as empty."""
    is_empty = (intended.start == intended.stop) & (intended.state == State.VALUE)
    is_empty |= (intended.state == State.NIL) & (after.state == State.EMPTY)
    state = np.where(is_empty, np.uint8(State.EMPTY), intended.state)
    return Column(intended.name, intended.buffer, intended.start, intended.stop, state)


def _refuse_difference(found: Column, expected: Column, first: int) -> None:
    is_same: Flags = np.equal(found.state, expected.state)
    is_same &= equal(Text.of_column(found), Text.of_column(expected))
    if not is_same.all():
        record = first + int(np.argmin(is_same)) + 1
        raise _differs(f"{found.name} of record {record} has not the value that it should have")
