"""Judge a file of rows chunk by chunk, each rule by the engine of its route, and add up the results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Positions
from constraint_sdc.data.surroundings import DocumentSurroundings
from constraint_sdc.data.table import Chunk, Layout
from constraint_sdc.errors import JudgeError, UsageError
from constraint_sdc.evaluate.domain import Domain
from constraint_sdc.evaluate.expression import Outside
from constraint_sdc.judge.across.folding import FileTests
from constraint_sdc.judge.across.parent_folding import held_by_parents
from constraint_sdc.judge.finding import RuleResult, Tally, Violation, rule_results
from constraint_sdc.judge.judge import ChunkJudges, Judge, Judges
from constraint_sdc.judge.judge_report import JudgeFinding, JudgeReport
from constraint_sdc.judge.judged_rows import JudgedRows, RowsContext, SeenRows, judge_rows
from constraint_sdc.judge.missing import MissingValues
from constraint_sdc.judge.routes import Routes
from constraint_sdc.schematron.schema import Schema, hidden_message

_SMALL = 8 << 20  # bytes; a smaller file needs no more than one process


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asks to see: the key variable, how many examples per rule (None is all), and whether values."""

    key: str | None = None
    examples: int | None = 10
    show_values: bool = False


class NotAggregatedError(Exception):
    """Tests about all records do not certainly hold: Saxon must judge their `rules` on the whole file."""

    def __init__(self, rules: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(rules)))
        self.rules = rules


class RowsCheck:
    """A check in progress: feed it every chunk, finish, then ask for the results.

    `judged` has the totals of rules that were judged already; no route takes them.
    """

    def __init__(
        self,
        schema: Schema,
        routes: Routes,
        layout: Layout,
        domains: Mapping[Outside, Domain],
        judges: Judges,
        data: Path,
        wishes: Wishes,
        missing: MissingValues | None = None,
        judged: Mapping[str, Tally] | None = None,
    ) -> None:
        self._schema = schema
        self._routes = routes
        self._layout = layout
        self._domains = domains
        self._judges = judges
        self._data = data
        self._wishes = wishes
        self._missing = missing or MissingValues()
        self._conditions = tuple(self._missing.conditions(a.id for a in schema.assertions()).items())
        self._summaries = {a.id: hidden_message(a.parts) for a in schema.assertions()}
        self._tallies = {a.id: Tally(wishes.examples) for a in schema.assertions()} | dict(judged or {})
        self._second = self._workers(routes.vectorised_ids(), 1)
        self._local = self._workers(routes.by_chunk, processes_for(data))
        by_parent = self._added_up_by_parent()
        self._tallies |= by_parent
        self._whole_rules = routes.whole_file | routes.parent_ids().difference(by_parent)
        self._across = FileTests(routes.across, wishes.examples, xpath1=schema.is_xpath1)
        self._whole = self._judge_whole_file()
        self._whole_places: dict[int, tuple[str | None, int]] = {}
        self._whole_records = {finding.record for finding in self._whole.findings if finding.record}
        variables = {rule.id: match.context.variable for match in routes.vectorised for rule in match.rules}
        self._steps = {rule: variable_step(name) if name else "" for rule, name in variables.items()}
        self._context = RowsContext(
            routes.vectorised,
            schema.is_xpath1,
            domains,
            self._missing.of_rows(),
            wishes.key,
            wishes.show_values,
            wishes.examples,
        )
        self.records = 0
        self.names: set[str] = set()
        self._broken = 0
        self._has_key = wishes.key is None

    def _workers(self, ids: frozenset[str], count: int) -> ChunkJudges[SeenRows, JudgeReport]:
        def make_judge(number: int) -> Judge:
            choose = self._judges.another if number else self._judges.of
            return choose(ids, self._layout.record, self._conditions)

        return ChunkJudges(make_judge, self._data, count, Judge.judge_bytes)

    def _added_up_by_parent(self) -> dict[str, Tally]:
        """Return the totals of rules about the records of each parent that certainly hold; Saxon judges the others."""
        counted = dict(self._conditions)  # Saxon counts missing values
        tests = [test for test in self._routes.by_parent if test.rule not in counted]
        return held_by_parents(self._data, self._layout, tests, self._judges.readings, self._wishes.examples)

    def _judge_whole_file(self) -> JudgeReport:
        """Judge the rules that look beyond a record; before the chunks, which then supply the keys of the findings."""
        if not self._whole_rules:
            return JudgeReport(counts=(), findings=())
        judge = self._judges.of(self._whole_rules, self._layout.record, self._conditions)
        return judge.judge_file(self._data)

    @property
    def divisible(self) -> RowsContext | None:
        """Return what workers need to judge runs of records, None where Saxon must see all of them."""
        in_order = self._routes.across  # sums of doubles depend on the order
        by_saxon = self._routes.by_chunk or self._whole_rules or not self._routes.vectorised or in_order
        return None if by_saxon else self._context

    def take(self, chunk: Chunk) -> None:
        """Judge one chunk."""
        if self._whole_records:
            for number in self._whole_records & set(range(chunk.first + 1, chunk.first + len(chunk) + 1)):
                row = number - chunk.first - 1
                self._whole_places[number] = self._key(chunk, row), int(chunk.lines[row])
        self._across.take(chunk)
        if self._routes.vectorised:
            rooms = {rule: tally.room for rule, tally in self._tallies.items()}
            self._add_judged(judge_rows(chunk, self._context, rooms))
        if self._routes.by_chunk and len(chunk):
            rows = np.arange(len(chunk))
            self._add(self._local.ask(SeenRows.of(chunk, rows, self._wishes.key, rows[:0]), chunk.document()))
        self._note(tuple(chunk.columns), len(chunk))

    def take_judged(self, judged: JudgedRows) -> None:
        """Add the verdict of a worker on the next records."""
        self._add_judged(judged)
        self._note(judged.names, judged.records)

    def _note(self, names: tuple[str, ...], records: int) -> None:
        self.names.update(names)
        self._has_key |= self._wishes.key in names
        self.records += records

    def finish(self, outside: Collection[str] = (), surroundings: DocumentSurroundings | None = None) -> None:
        """Wait for the outstanding answers; call it after the last chunk.

        `outside` and `surroundings` are what stands outside records. NotAggregatedError if rules that were added up do
        not certainly hold.
        """
        held = self._across.held(outside, surroundings or DocumentSurroundings())
        doubtful = self._routes.across_ids().difference(held)
        if doubtful:
            raise NotAggregatedError(doubtful)
        self._tallies |= held
        if not self._has_key:
            raise UsageError(f"no record has the key variable {self._wishes.key!r}", file=str(self._data))
        self._add(self._second.answers())
        self._add(self._local.answers())
        add_report(
            self._tallies,
            self._whole,
            self._summaries,
            show_values=self._wishes.show_values,
            place=self._place_in_file,
        )

    def results(self) -> tuple[RuleResult, ...]:
        """Return one result per assertion; call it after `finish`."""
        return rule_results(self._schema, self._tallies, self._missing.variables)

    @property
    def broken_records(self) -> int | None:
        """Count the records with a violation; None when Saxon found some of them, since it may list only a few."""
        by_saxon = any(t.failed for t in self._tallies.values() if "saxon" in t.engines)
        return None if by_saxon else self._broken

    def __enter__(self) -> RowsCheck:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the workers."""
        self._second.close()
        self._local.close()

    def _add_judged(self, judged: JudgedRows) -> None:
        for count in judged.counts:
            tally = self._tallies[count.rule]
            tally.count("vectorised", fired=count.fired, failed=count.failed)
            tally.failed_missing += count.failed_missing
            tally.held_missing += count.held_missing
        self._broken += judged.broken
        self._keep(judged.rows, {rule: rows[: self._tallies[rule].room] for rule, rows in judged.wanted.items()})
        if len(judged.unsure):
            unsure = judged.rows.take(judged.unsure)
            self._add(self._second.ask(unsure, unsure.document(self._layout)))

    def _keep(self, seen: SeenRows, wanted: Mapping[str, Positions]) -> None:
        texts = self._texts(seen, wanted) if self._wishes.show_values else {}
        for rule, places in wanted.items():
            for place in places.tolist():
                found, number = texts.get((rule, place)), int(seen.numbers[place])
                if self._wishes.show_values and found is None:
                    raise JudgeError(
                        f"the two engines disagree on rule {rule!r}, record {number}",
                        hint="this is a defect: please report it",
                    )
                self._tallies[rule].keep(
                    Violation(
                        rule=rule,
                        record=number,
                        key=seen.keys[place],
                        line=int(seen.lines[place]),
                        location=record_location(self._layout, number) + self._steps[rule],
                        summary=self._summaries[rule],
                        message=found.text if found else None,
                        diagnostics=found.diagnostics if found else (),
                    )
                )

    def _texts(self, seen: SeenRows, wanted: Mapping[str, Positions]) -> dict[tuple[str, int], JudgeFinding]:
        """Have Saxon write the messages of these violations, values included."""
        places = np.unique(np.concatenate([*wanted.values(), np.zeros(0, np.intp)]))
        if not len(places):
            return {}
        shown = seen.take(places)
        self._add(self._second.answers())
        answers = [*self._second.ask(shown, shown.document(self._layout)), *self._second.answers()]
        findings = answers[-1][1].findings
        return {(f.assertion, int(places[f.record - 1])): f for f in findings if f.record is not None}

    def _key(self, chunk: Chunk, row: int) -> str | None:
        column = chunk.columns.get(self._wishes.key or "")
        return column.text(row) if column is not None else None

    def _add(self, answers: Iterable[tuple[SeenRows, JudgeReport]]) -> None:
        for sent, report in answers:
            add_report(
                self._tallies,
                report,
                self._summaries,
                show_values=self._wishes.show_values,
                place=partial(self._place, sent),
            )

    def _place(self, sent: SeenRows, finding: JudgeFinding) -> tuple[int | None, str | None, int | None, str]:
        if finding.record is None:
            return None, None, None, finding.location
        i = finding.record - 1
        number = int(sent.numbers[i])
        return number, sent.keys[i], int(sent.lines[i]), self._location(number, finding)

    def _place_in_file(self, finding: JudgeFinding) -> tuple[int | None, str | None, int | None, str]:
        if finding.record is None:
            return None, None, finding.line, finding.location
        key, line = self._whole_places[finding.record]
        return finding.record, key, line, self._location(finding.record, finding)

    def _location(self, number: int, finding: JudgeFinding) -> str:
        return record_location(self._layout, number) + inside_record(finding.location, self._layout.record)


def processes_for(data: Path) -> int:
    """Return the number of processes in which Saxon may judge the chunks of a file."""
    return os.cpu_count() or 1 if data.stat().st_size > _SMALL else 1


Place = Callable[[JudgeFinding], tuple[int | None, str | None, int | None, str]]


def add_report(
    tallies: dict[str, Tally],
    report: JudgeReport,
    summaries: Mapping[str, str],
    *,
    show_values: bool,
    place: Place = lambda finding: (finding.record, None, finding.line, finding.location),
) -> None:
    """Add Saxon's results; `place` gives a finding's record number, key, line and location in the file."""
    for count in report.counts:
        tallies[count.assertion].count(
            "saxon", fired=count.fired, failed=count.failed, errors=count.errors, error=count.error
        )
        tallies[count.assertion].held_missing += count.held_missing
        tallies[count.assertion].failed_missing += count.failed_missing
    for finding in report.findings:
        record, key, line, location = place(finding) if finding.document is None else _elsewhere(finding)
        tallies[finding.assertion].keep(
            Violation(
                rule=finding.assertion,
                record=record,
                key=key,
                line=line,
                location=location,
                summary=summaries[finding.assertion],
                message=finding.text if show_values else None,
                diagnostics=finding.diagnostics if show_values else (),
            )
        )


def _elsewhere(finding: JudgeFinding) -> tuple[None, None, None, str]:
    """Place a finding in another document (a pattern's `documents`): no record or line of the checked file."""
    return None, None, None, f"doc('{finding.document}'){finding.location}"


def record_location(layout: Layout, number: int) -> str:
    """Return an XPath that selects the record by its number, counted over the whole document.

    >>> record_location(Layout(("Data",), "Record", "elements", b"", b""), 7)
    '(/Q{}Data/Q{}Record)[7]'
    """
    names = [_braced(name) for name in (*layout.wrappers, layout.record)]
    return f"(/{'/'.join(names)})[{number}]" if layout.is_uniform else f"(//{names[-1]})[{number}]"


def variable_step(name: str) -> str:
    """Return the step from a record to one of its variables.

    >>> variable_step("{urn:x}V1"), variable_step("@id")
    ('/Q{urn:x}V1[1]', '/@id')
    """
    if name.startswith("@"):
        return f"/@{_braced(name[1:]) if name.startswith('@{') else name[1:]}"
    return f"/{_braced(name)}[1]"


_STEP = re.compile(r"/(?:Q\{[^}]*\}[^/\[]*|@Q\{[^}]*\}[^/]*|[^/\[]+)(?:\[\d+\])?")


def inside_record(location: str, record: str) -> str:
    """Return the part of a path that leads from the record to the node.

    >>> inside_record("/Q{}Data[1]/Q{}Record[5]/Q{}V1[1]", "Record")
    '/Q{}V1[1]'
    """
    steps = _STEP.findall(location)
    places = [i for i, step in enumerate(steps) if i and f"{step}[".startswith(f"/{_braced(record)}[")]
    return "".join(steps[places[0] + 1 :]) if places else ""


def _braced(name: str) -> str:
    return f"Q{name}" if name.startswith("{") else f"Q{{}}{name}"


# Judge any XML document, rows or not, with Saxon on the whole document.


def check_document(schema: Schema, judge: Judge, data: Path, wishes: Wishes) -> tuple[RuleResult, ...]:
    """Return one result per assertion; violations carry locations and lines."""
    tallies = {a.id: Tally(wishes.examples) for a in schema.assertions()}
    summaries = {a.id: hidden_message(a.parts) for a in schema.assertions()}
    add_report(tallies, judge.judge_file(data), summaries, show_values=wishes.show_values)
    return rule_results(schema, tallies)
