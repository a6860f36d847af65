"""Saxon's verdict on records with other values, for rules that the evaluator does not take.

A record is presented as the masked file would have it: its own XML with the new values in place of the old ones,
written by the same code. All records of a question go to Saxon together, in the process of the run, and no question is
asked twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Flags, Rows
from constraint_sdc.data.table import Chunk, Column, Layout
from constraint_sdc.errors import JudgeError
from constraint_sdc.files.dataset import Dataset
from constraint_sdc.files.masked_document.cells import CellBytes, Cells
from constraint_sdc.files.masked_document.document import Rewriting
from constraint_sdc.files.masked_document.record import RecordWriter
from constraint_sdc.judge.judge import Judges

_MOST_RECORDS = 16_384  # of one document
_MOST_BYTES = 16 << 20  # of one document, unless a single record is larger
_MOST_KNOWN = 1_000_000  # verdicts that are kept


class RecordJudge(Protocol):
    """Judges some rules on records of the file with other values; `calls` and `asked` count documents and records."""

    @property
    def calls(self) -> int:
        """Return how many documents were judged."""

    @property
    def asked(self) -> int:
        """Return how many records were judged."""

    def holds(self, records: Rows, columns: Mapping[str, Column]) -> Mapping[str, Flags]:
        """Tell for each rule where it holds if record `records[i]` has value i of every column."""


class RecordsXml:
    """The XML of every record of a file, read when it is first needed; variables that are `removed` are left out.

    So are attributes and comments whose paths are in `taken_out`.
    """

    def __init__(
        self,
        dataset: Dataset,
        judges: Judges,
        removed: frozenset[str] = frozenset(),
        taken_out: frozenset[str] = frozenset(),
    ) -> None:
        self.dataset = dataset
        self.judges = judges
        self._removed = removed
        self._taken_out = taken_out
        self._rows: Rows | None = None

    def part(self, rows: Rows) -> RecordsXml:
        """Return the same for some records: record i is `rows[i]` of the file, which is read once for all parts."""
        found = copy(self)
        found._chunks, found._rows = self._chunks, rows
        return found

    @cached_property
    def _chunks(self) -> list[Chunk]:
        return [_without_values(chunk) for chunk in self.dataset.chunks_with_xml(self.judges.readings)]

    @cached_property
    def _firsts(self) -> Rows:
        return np.array([chunk.first for chunk in self._chunks], np.int64)

    def documents(self, records: Rows, columns: Mapping[str, Column]) -> Iterator[tuple[slice, bytes]]:
        """Yield documents of records with the values of the columns, and which places of `records` each one has."""
        start, records = 0, records if self._rows is None else self._rows[records]
        for layout, parts in self._batches(records):
            rows = slice(start, start + len(parts))
            cells = Cells({name: column.of(rows) for name, column in columns.items()})
            writer = RecordWriter(cells, self._removed, taken_out=self._taken_out)
            rewriting = Rewriting(layout.record, writer, self.dataset.path)
            document = layout.head + b"\n".join(parts) + layout.tail
            yield rows, rewriting.feed(document) + rewriting.finish()
            start = rows.stop

    def _batches(self, records: Rows) -> Iterator[tuple[Layout, list[bytes]]]:
        """Yield runs of records that fit into one document; they are under the same elements."""
        layout: Layout | None = None
        parts: list[bytes] = []
        size = 0
        owners = np.searchsorted(self._firsts, records, side="right") - 1
        for owner, record in zip(owners.tolist(), records.tolist(), strict=True):
            chunk = self._chunks[owner]
            xml = chunk.record_xml(record - chunk.first)
            is_full = len(parts) == _MOST_RECORDS or size + len(xml) > _MOST_BYTES
            if layout is not None and (chunk.layout.head != layout.head or is_full):
                yield layout, parts
                parts, size = [], 0
            layout = chunk.layout
            parts.append(xml)
            size += len(xml)
        if layout is not None:
            yield layout, parts


def _without_values(chunk: Chunk) -> Chunk:
    """Return a chunk of XML alone: the values are in the table."""
    return Chunk(chunk.layout, chunk.first, {}, chunk.raw, chunk.record_start, chunk.record_stop, chunk.lines)


@dataclass(slots=True)
class SaxonOnRecords:
    """Judges the rules `ids` on records; of the columns only those of `reads` matter, None is all."""

    xml: RecordsXml
    ids: Sequence[str]
    reads: Collection[str] | None
    calls: int = 0
    asked: int = 0
    _known: dict[tuple[int, tuple[CellBytes, ...]], int] = field(default_factory=dict)

    def holds(self, records: Rows, columns: Mapping[str, Column]) -> Mapping[str, Flags]:
        """Tell for each rule where it holds if record `records[i]` has value i of every column.

        A rule on which XPath stops does not hold.
        """
        columns = {name: column for name, column in columns.items() if self.reads is None or name in self.reads}
        cells = Cells(columns)
        rows = (cells.row(place) or () for place in range(len(records)))
        keys = list(zip(records.tolist(), rows, strict=True))
        places = {key: place for place, key in enumerate(keys) if key not in self._known}
        new = np.array(sorted(places.values()), np.int64)
        if len(self._known) + len(new) > _MOST_KNOWN:
            self._known.clear()
            new = np.array(sorted({key: place for place, key in enumerate(keys)}.values()), np.int64)
        answers = self._ask(records[new], {name: column.take(new) for name, column in columns.items()})
        self._known.update(zip((keys[place] for place in new.tolist()), answers, strict=True))
        broken = [self._known[key] for key in keys]
        return {
            name: np.fromiter((not bits >> place & 1 for bits in broken), np.bool_, len(keys))
            for place, name in enumerate(self.ids)
        }

    def _ask(self, records: Rows, columns: Mapping[str, Column]) -> list[int]:
        """Return, for every record, a number with a bit for each rule that does not hold."""
        answers = [0] * len(records)
        if not len(records):
            return answers
        judge = self.xml.judges.of_records(frozenset(self.ids), self.xml.dataset.layout.record)
        for rows, document in self.xml.documents(records, columns):
            self.calls += 1
            self.asked += rows.stop - rows.start
            try:
                broken = judge.broken_records(document, self.xml.dataset.path)
            except JudgeError as error:
                what = f"{error.what}, while it checked candidates for masked records by {', '.join(self.ids)}"
                raise JudgeError(what, hint=error.hint) from None
            for place, name in enumerate(self.ids):
                numbers = range(1, rows.stop - rows.start + 1) if 0 in broken[name] else broken[name]
                for number in numbers:
                    answers[rows.start + number - 1] |= 1 << place
        return answers
