"""The vectorised rules on some records, as counts and the few records that somebody must look at again.

This is what a worker returns for a run of records, and what one process computes for a chunk: adding up is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Positions
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.files.microdata.divided import RunPiece, ScannedRun, scan_piece
from constraint_sdc.files.microdata.parse import FilePlace
from constraint_sdc.judge.first_match import ChunkVerdict, FirstMatch, judge_chunk
from constraint_sdc.judge.missing_rows import MissingInRows


@dataclass(frozen=True, slots=True)
class RowsContext:
    """What is the same for all records of a check: the vectorised rules and what they are evaluated with.

    `key` is the variable that names a record. `needs_xml` tells whether Saxon writes the messages of violations, so
    that their records are needed as XML. At most `examples` violations of a rule are wanted, all if it is None.
    """

    matches: tuple[FirstMatch, ...]
    xpath1: bool
    domains: Mapping[Outside, Domain]
    missing: MissingInRows
    key: str | None
    needs_xml: bool
    examples: int | None


@dataclass(frozen=True, slots=True)
class RuleCount:
    """On how many records a rule fired and failed, and on how many of each a value that it reads is missing."""

    rule: str
    fired: int
    failed: int
    held_missing: int
    failed_missing: int


@dataclass(frozen=True, slots=True)
class SeenRows:
    """Single records of a file: their numbers from 1, lines and keys; `xml` of those that Saxon must see, else b""."""

    numbers: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    keys: tuple[str | None, ...]
    xml: tuple[bytes, ...]

    @classmethod
    def of(cls, chunk: Chunk, rows: Positions, key: str | None, needs_xml: Positions) -> SeenRows:
        """Return these rows of a chunk; NoXmlError if XML is needed and the chunk has none."""
        column = chunk.columns.get(key or "")
        keys = tuple(column.text(row) if column is not None else None for row in rows.tolist())
        shown = set(needs_xml.tolist())
        if shown:
            chunk.require_xml()
        xml = tuple(chunk.record_xml(row) if row in shown else b"" for row in rows.tolist())
        return cls(chunk.first + rows.astype(np.int64) + 1, chunk.lines[rows], keys, xml)

    def take(self, positions: Positions) -> SeenRows:
        """Return some of the records."""
        some = positions.tolist()
        keys, xml = tuple(self.keys[i] for i in some), tuple(self.xml[i] for i in some)
        return SeenRows(self.numbers[positions], self.lines[positions], keys, xml)

    def document(self, layout: Layout) -> bytes:
        """Return a whole XML document with these records and nothing else."""
        return layout.head + b"\n".join(self.xml) + layout.tail


@dataclass(frozen=True, slots=True)
class JudgedRows:
    """The verdict on some records: `wanted` has for each rule which of `rows` break it, `unsure` which Saxon judges."""

    records: int
    names: tuple[str, ...]
    counts: tuple[RuleCount, ...]
    broken: int
    rows: SeenRows
    wanted: Mapping[str, Positions]
    unsure: Positions


def judge_rows(chunk: Chunk, context: RowsContext, rooms: Mapping[str, int | None]) -> JudgedRows:
    """Evaluate the vectorised rules on a chunk; `rooms` has how many violations of a rule are wanted, None for all."""
    verdict = judge_chunk(context.matches, chunk, xpath1=context.xpath1, domains=context.domains)
    failed = {rule: np.flatnonzero(flags)[: rooms[rule]] for rule, flags in verdict.failed.items()}
    unsure = np.flatnonzero(verdict.unsure)
    broken = np.unique(np.concatenate([*failed.values(), np.zeros(0, np.intp)]))
    rows = np.union1d(broken, unsure)
    seen = SeenRows.of(chunk, rows, context.key, rows if context.needs_xml else unsure)
    return JudgedRows(
        records=len(chunk),
        names=tuple(chunk.columns),
        counts=_counts(verdict, chunk, context.missing),
        broken=verdict.broken_records(),
        rows=seen,
        wanted={rule: np.searchsorted(rows, places) for rule, places in failed.items()},
        unsure=np.searchsorted(rows, unsure),
    )


def _counts(verdict: ChunkVerdict, chunk: Chunk, values: MissingInRows) -> tuple[RuleCount, ...]:
    missing = values.on(chunk)
    found = []
    for rule, fired in verdict.fired.items():
        failed, lacking = verdict.failed[rule], missing.of(rule)
        broken = 0 if lacking is None else int(np.count_nonzero(lacking & failed))
        held = 0 if lacking is None else int(np.count_nonzero(lacking & fired)) - broken
        found.append(RuleCount(rule, int(np.count_nonzero(fired)), int(np.count_nonzero(failed)), held, broken))
    return tuple(found)


# In a worker.


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """The verdict on a run of records, whose numbers and lines count from the beginning of the run."""

    scanned: ScannedRun
    judged: JudgedRows

    def at(self, place: FilePlace) -> JudgedRows:
        """Return the verdict with the numbers and lines of the file."""
        rows = self.judged.rows
        moved = replace(rows, numbers=rows.numbers + place.record, lines=rows.lines + place.line)
        return replace(self.judged, rows=moved)


def judge_run(piece: RunPiece) -> JudgedRun | None:
    """Scan and judge a run; None if it is not plain."""
    found = scan_piece(piece)
    if found is None:
        return None
    chunk, scanned = found
    context: RowsContext = piece.context.open()
    rooms = {rule.id: context.examples for match in context.matches for rule in match.rules}
    return JudgedRun(scanned, judge_rows(chunk, context, rooms))
