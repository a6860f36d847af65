"""Judge a file by cases: Saxon judges records that stand for all classes, and its verdict counts for every record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Codes, Counts, Rows
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.errors import JudgeError
from constraint_sdc.judge.cases.classes import CaseClasses
from constraint_sdc.judge.cases.questions import CaseQuestion
from constraint_sdc.judge.cases.signatures import CaseFindings, SignedRecords, read_signature
from constraint_sdc.judge.check_rows import record_location
from constraint_sdc.judge.finding import Tally, Violation
from constraint_sdc.judge.judge import ChunkJudges
from constraint_sdc.schematron.schema import Schema, hidden_message

_MOST_RECORDS = 4_096  # of one document
_MOST_BYTES = 8 << 20  # of one document, unless a single record is larger

Askable = ChunkJudges[slice, SignedRecords]


@dataclass(frozen=True, slots=True)
class JudgedRecords:
    """The records that Saxon has judged, in file order, and the place of the signature of each among `signatures`."""

    records: Rows
    signatures: tuple[str, ...]
    of_record: Codes


def ask_cases(chunks: Iterable[Chunk], records: Rows, judges: Askable) -> JudgedRecords:
    """Let Saxon judge these records, which are in file order; `chunks` have all records with their XML."""
    found: dict[str, int] = {}
    of_record = np.full(len(records), -1, np.int64)

    def add(answers: Iterable[tuple[slice, SignedRecords]]) -> None:
        for rows, answer in answers:
            if len(answer.of_record) != rows.stop - rows.start:
                raise JudgeError("the judge's answer has another number of records", hint="please report it")
            places = np.array([found.setdefault(one, len(found)) for one in answer.signatures], np.int64)
            of_record[rows] = places[answer.of_record]

    for rows, document in documents(chunks, records):
        add(judges.ask(rows, document))
    add(judges.answers())
    return JudgedRecords(records, tuple(found), of_record)


def documents(chunks: Iterable[Chunk], records: Rows) -> Iterator[tuple[slice, bytes]]:
    """Yield documents of these records, which are in file order, and which places of `records` each one has."""
    layout: Layout | None = None
    parts: list[memoryview] = []
    size, start = 0, 0
    for chunk in chunks:
        bounds = np.searchsorted(records, [chunk.first, chunk.first + len(chunk)])
        rows = records[bounds[0] : bounds[1]] - chunk.first
        xml, is_other = chunk.raw.data, layout is not None and chunk.layout.head != layout.head
        for begin, end in zip(chunk.record_start[rows].tolist(), chunk.record_stop[rows].tolist(), strict=True):
            is_full = len(parts) == _MOST_RECORDS or size + end - begin > _MOST_BYTES
            if layout is not None and parts and (is_full or is_other):
                yield slice(start, start + len(parts)), layout.head + b"\n".join(parts) + layout.tail
                start, parts, size = start + len(parts), [], 0
            layout, is_other = chunk.layout, False
            parts.append(xml[begin:end])
            size += end - begin
    if layout is not None and parts:
        yield slice(start, start + len(parts)), layout.head + b"\n".join(parts) + layout.tail


class CaseVerdicts:
    """Turns the verdicts on the judged records into those on all records, question by question.

    `schema` has the rules that were judged, `lines` are those of all records.
    """

    def __init__(self, schema: Schema, layout: Layout, lines: npt.NDArray[np.int64], judged: JudgedRecords) -> None:
        self._layout = layout
        self._lines = lines
        self._judged = judged
        self._summaries = {a.id: hidden_message(a.parts) for a in schema.assertions()}
        self._outcomes = [read_signature(schema, signature) for signature in judged.signatures]

    def tallies(self, question: CaseQuestion, classes: CaseClasses, most: int | None) -> dict[str, Tally]:
        """Return the totals of the question's rules over all records, with at most so many violations of each."""
        outcomes, of_class = self._of_classes(question, classes)
        records = np.bincount(of_class, classes.sizes, len(outcomes)).astype(np.int64)
        first = np.full(len(outcomes), len(classes.of_record), np.int64)
        np.minimum.at(first, of_class, classes.first)
        found = {}
        for place, rule in enumerate(sorted(question.rules)):
            own = [outcome[place] for outcome in outcomes]
            found[rule] = _total(own, records, first, most)
            for record, way in self._broken(own, of_class, classes, most):
                found[rule].keep(self._violation(rule, record, way))
        return found

    def _of_classes(self, question: CaseQuestion, classes: CaseClasses) -> tuple[list[tuple[CaseFindings, ...]], Codes]:
        """Return the different outcomes of the question's rules, sorted by id, and which one each class has.

        JudgeError if Saxon judged two records of a class differently, or none: then records were joined that differ in
        what a rule reads.
        """
        different: dict[tuple[CaseFindings, ...], int] = {}
        of_signature = np.array(
            [different.setdefault(_of(question, outcomes), len(different)) for outcomes in self._outcomes], np.int64
        )
        of_judged = of_signature[self._judged.of_record]
        mine = classes.of_record[self._judged.records]
        of_class = np.full(len(classes), -1, np.int64)
        of_class[mine] = of_judged
        if (of_class < 0).any() or not np.array_equal(of_class[mine], of_judged):
            rules = ", ".join(sorted(question.rules))
            what = f"records that share all values which {rules} read have different verdicts, or none"
            raise JudgeError(what, hint="this is a defect: report it, and use --judge every-record")
        return list(different), of_class

    def _broken(
        self, outcomes: Sequence[CaseFindings], of_class: Codes, classes: CaseClasses, most: int | None
    ) -> Iterator[tuple[int, str]]:
        """Yield the records that break a rule, from 0, and the ways to the nodes."""
        fails = np.array([bool(outcome.failed) for outcome in outcomes], np.bool_)
        if not fails.any():
            return
        records = np.flatnonzero(fails[of_class][classes.of_record])[:most]
        for record, outcome in zip(records.tolist(), of_class[classes.of_record[records]].tolist(), strict=True):
            for way in outcomes[outcome].failed:
                yield record, way

    def _violation(self, rule: str, record: int, way: str) -> Violation:
        return Violation(
            rule=rule,
            record=record + 1,
            key=None,
            line=int(self._lines[record]),
            location=record_location(self._layout, record + 1) + way,
            summary=self._summaries[rule],
        )


def _of(question: CaseQuestion, outcomes: Mapping[str, CaseFindings]) -> tuple[CaseFindings, ...]:
    return tuple(outcomes[rule] for rule in sorted(question.rules))


def _total(outcomes: Sequence[CaseFindings], records: Counts, first: Rows, most: int | None) -> Tally:
    """Add up the outcomes, each over the records that have it; the error is that of the first record in the file."""

    def over(count: Callable[[CaseFindings], int]) -> int:
        return sum(count(one) * many for one, many in zip(outcomes, records.tolist(), strict=True))

    stopped = [place for place, one in enumerate(outcomes) if one.errors and records[place]]
    earliest = min(stopped, key=lambda place: int(first[place]), default=None)
    tally = Tally(most)
    tally.count(
        "saxon",
        fired=over(lambda one: one.fired),
        failed=over(lambda one: len(one.failed)),
        errors=over(lambda one: one.errors),
        error=None if earliest is None else outcomes[earliest].error,
    )
    tally.held_missing = over(lambda one: one.held_missing)
    tally.failed_missing = over(lambda one: one.failed_missing)
    return tally
