"""Judge a staged file by cases: every different combination of the values that rules read, once.

Reading the file back has given the values of all records and the outlines of their XML. Records that share both for
what a rule reads have the same verdict, so Saxon judges one record of each class, as it stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from constraint_sdc.arrays import Rows
from constraint_sdc.commands.check import hiding_values
from constraint_sdc.commands.masking.preparation import Original
from constraint_sdc.commands.masking.staged import ReadBack
from constraint_sdc.data.table import Chunk
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.files.microdata.source import OnePass
from constraint_sdc.judge.across.file_test import FileTest, ParentTest
from constraint_sdc.judge.across.folding import FileTests
from constraint_sdc.judge.across.parent_folding import held_by_parents
from constraint_sdc.judge.across.recognise import variables_of
from constraint_sdc.judge.cases.cases_check import CaseVerdicts, JudgedRecords, ask_cases
from constraint_sdc.judge.cases.classes import CaseClasses, classes_of, representatives
from constraint_sdc.judge.cases.outlines import Outlines
from constraint_sdc.judge.cases.questions import CaseRules, divide_rules
from constraint_sdc.judge.cases.signatures import SignedRecords
from constraint_sdc.judge.cases.stand_in import names_documents, needs_original, write_stand_in
from constraint_sdc.judge.check_rows import processes_for
from constraint_sdc.judge.finding import Tally
from constraint_sdc.judge.judge import ChunkJudges, Judge, Judges

_ROWS = 16_384  # records that are added up at a time
_WORTH_A_PROCESS = 50_000  # records that another process of Saxon must have to judge
CASES_FROM = 10_000
"""Records from which a file is judged by cases unless the user says otherwise; below, it saves no time."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The rules that are judged by cases, and the outlines of the records as the file is read back."""

    rules: CaseRules
    across: tuple[FileTest, ...] = ()
    by_parent: tuple[ParentTest, ...] = ()
    outlines: Outlines = field(default_factory=Outlines)

    @property
    def names(self) -> frozenset[str]:
        """Return the variables whose values are needed."""
        return frozenset(self.rules.names).union(*map(variables_of, self.across))


@dataclass(frozen=True, slots=True)
class JudgedCases:
    """The totals of the rules that need no tree of the file, and how many records Saxon was shown for that.

    `aggregated` are those of them that were added up over all records.
    """

    tallies: Mapping[str, Tally] = field(default_factory=dict)
    records: int = 0
    aggregated: frozenset[str] = frozenset()


def cases_of(original: Original) -> Cases | None:
    """Return what is judged by cases; None if the user wants every record, or leaves it open and the file is small."""
    if not original.has_rules or original.judge == "every-record":
        return None
    if original.judge is None and original.dataset.table.records < CASES_FROM:
        return None
    understood = original.understood
    counted = understood.missing.conditions(understood.routes.parent_ids())  # Saxon counts missing values
    by_parent = tuple(test for test in understood.routes.by_parent if test.rule not in counted)
    return Cases(divide_rules(understood), understood.routes.across, by_parent)


@dataclass(frozen=True, slots=True)
class CasesToJudge:
    """The classes of every question, and the records that stand for them; `held` are rules that need not be asked."""

    held: Mapping[str, Tally]
    rules: CaseRules
    classes: tuple[CaseClasses, ...]
    records: Rows


def find_cases(cases: Cases, original: Original, staged: Path, written: ReadBack) -> CasesToJudge:
    """Return the cases of the staged file, with what is about all records added up."""
    held = _added_up(cases, original, written)
    held |= held_by_parents(staged, written.layout, cases.by_parent, original.readings, original.check.max_examples)
    outlines, rules = cases.outlines.of_records(), cases.rules
    if outlines is None or not len(outlines) or not rules.questions:
        return CasesToJudge(held, rules, (), representatives(()))
    classes = tuple(classes_of(written.table, outlines, question.names) for question in rules.questions)
    return CasesToJudge(held, rules, classes, representatives(classes))


def judge_cases(found: CasesToJudge, original: Original, staged: Path, written: ReadBack) -> JudgedCases:
    """Judge the staged file by its cases; what is about all records and does not certainly hold is left to Saxon."""
    held, rules = found.held, found.rules
    if not found.classes:
        return JudgedCases(held, 0, frozenset(held))
    with hiding_values(original.check):
        judged = _ask(rules, found.records, original, staged, written)
    schema = original.rule_set.schema.only(rules.by_case)
    verdicts = CaseVerdicts(schema, written.layout, written.lines, judged)
    tallies: dict[str, Tally] = dict(held)
    for question, own in zip(rules.questions, found.classes, strict=True):
        tallies |= verdicts.tallies(question, own, original.check.max_examples)
    return JudgedCases(tallies, len(judged.records), frozenset(held))


def _added_up(cases: Cases, original: Original, written: ReadBack) -> dict[str, Tally]:
    """Return the totals of the rules about all records that certainly hold on the values that were read back."""
    dataset, table = original.dataset, written.table
    tests = FileTests(
        cases.across,
        original.check.max_examples,
        xpath1=original.rule_set.schema.is_xpath1,
        names=dataset.table.columns,
    )
    for first in range(0, table.records if cases.across else 0, _ROWS):
        rows = slice(first, first + _ROWS)
        columns = {name: column.of(rows) for name, column in table.columns.items()}
        tests.take(Chunk.without_xml(written.layout, columns, written.lines[rows], first))
    return tests.held(dataset.outside, dataset.surroundings)


def _ask(rules: CaseRules, records: Rows, original: Original, staged: Path, written: ReadBack) -> JudgedRecords:
    """Let Saxon judge these records, in several processes where no rule needs a large document."""
    understood, record, ids = original.understood, written.layout.record, rules.by_case
    missing = tuple(understood.missing.conditions(sorted(ids)).items())
    with TemporaryDirectory(prefix="constraint-sdc-") as folder:
        judges, is_light = _judges(original, rules, records, written, Path(folder))

        def make_judge(number: int) -> Judge:
            return judges.of_cases(ids, record, missing, is_own=number > 0)

        workers = min(processes_for(staged), 1 + len(records) // _WORTH_A_PROCESS) if is_light else 1
        asked: ChunkJudges[slice, SignedRecords] = ChunkJudges(make_judge, staged, workers, Judge.judge_cases)
        try:
            return ask_cases(_chunks(original, staged), records, asked)
        finally:
            asked.close()


def _judges(
    original: Original, rules: CaseRules, records: Rows, written: ReadBack, folder: Path
) -> tuple[Judges, bool]:
    """Return the judges, and whether each of them is light: none has to keep a tree of the original."""
    understood, ids = original.understood, rules.by_case
    if not original.check.parameters:
        return original.judges, not names_documents(understood, ids)
    is_data = original.original_file.path == original.dataset.path
    if not is_data or needs_original(understood, ids):
        return original.judges, False
    path = write_stand_in(understood, ids, records, written.table, folder)
    return original.judges.with_parameters({"original": path}), True


def _chunks(original: Original, staged: Path) -> Iterator[Chunk]:
    """Yield the records of the staged file with their XML; it must be the file that was read back."""
    with OnePass(staged) as source:
        microdata = open_microdata(staged, record=original.dataset.layout.record, source=source)
        source.begin()
        yield from microdata.chunks(source=source)
    original.readings.note(staged, source.sha256)
