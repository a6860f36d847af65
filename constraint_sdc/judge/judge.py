"""The judge: it applies a schema to documents with Saxon and returns the verdicts."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import TracebackType
from typing import Generic, TypeAlias, TypeVar

from constraint_sdc.errors import JudgeError
from constraint_sdc.files.readings import Readings
from constraint_sdc.judge.cases.signatures import SignedRecords, read_signatures
from constraint_sdc.judge.control import prove_svrl
from constraint_sdc.judge.judge_report import JudgeReport, read_broken, read_report
from constraint_sdc.judge.stylesheet.transpile import Output, Stylesheet, make_stylesheet
from constraint_sdc.judge.worker.bench import Bench, rules_error
from constraint_sdc.judge.worker.process import Message
from constraint_sdc.limits import sooner
from constraint_sdc.schematron.confinement import Confinement
from constraint_sdc.schematron.schema import Schema


class SaxonProcess:
    """The process in which Saxon runs for all judges of a run; a new one starts after a time limit has ended the last.

    One judge at a time has its turn; the time limit of each counts from there. `readings` has what the run has read.
    """

    def __init__(self, readings: Readings | None = None) -> None:
        self.readings = readings or Readings()
        self._turn = threading.RLock()
        self._bench: Bench | None = None
        self._judges = 0
        self._is_closed = False

    def start(self) -> None:
        """Start the process before it is needed, without waiting for it."""
        with self._turn:
            self._living()

    def enrol(self) -> int:
        """Return a number for a new judge, which identifies its stylesheets."""
        with self._turn:
            self._judges += 1
            return self._judges

    @contextmanager
    def turn(self, time_limit: float | None) -> Iterator[Bench]:
        """Yield a running bench whose answers must all arrive within the time limit, in seconds from now."""
        with self._turn:
            bench = self._living()
            bench.deadline = sooner(None if time_limit is None else time.monotonic() + time_limit)
            bench.readings = self.readings
            yield bench

    def close(self) -> None:
        """End the process, even during a call; no other is started."""
        self._is_closed = True
        if self._bench is not None:
            self._bench.close()

    def _living(self) -> Bench:
        if self._is_closed:
            raise JudgeError("the Saxon process was ended")
        if self._bench is None or not self._bench.is_alive:
            self._bench = Bench()
        return self._bench

    def __enter__(self) -> SaxonProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Judge:
    """Judges documents against a schema, in `saxon` or a process of its own. Use it in a `with` statement.

    `record` is the Clark name of the record element; findings then carry record numbers. `parameters` names documents
    that take the place of variables (`{"original": path}`). Rules may read files beside the rules, beside the data and
    in `allowed` directories; `readings` keeps the digests of all that is read. `time_limit` is in seconds for each
    document; `max_findings` caps the findings of each assertion, never the counts. `missing` has, by the id of an
    assertion, the condition that a value which its test reads is missing. `first` is what it is asked for first: the
    stylesheet is compiled at once.
    """

    def __init__(
        self,
        schema: Schema,
        *,
        record: str | None = None,
        parameters: Mapping[str, Path] | None = None,
        allowed: tuple[Path, ...] = (),
        time_limit: float | None = None,
        max_findings: int | None = 1000,
        saxon: SaxonProcess | None = None,
        missing: Mapping[str, str] | None = None,
        readings: Readings | None = None,
        first: Output = "counts",
    ) -> None:
        self._own = SaxonProcess(readings)
        self._shared = saxon
        self._number = (saxon or self._own).enrol()
        self._schema = schema
        self._record = record
        self._parameters = dict(parameters or {})
        self._allowed = allowed
        self._time_limit = time_limit
        self._max_findings = max_findings
        self._missing = dict(missing or {})
        self._sheets: dict[str, Stylesheet] = {}
        self._guarded: set[Output] = set()
        try:
            with self._limited() as bench:
                self._ready(bench, first, guarded=False)
        except BaseException:
            self._own.close()  # the error may be held for long, and with it the judge that came to nothing
            raise

    def judge_file(self, path: Path) -> JudgeReport:
        """Judge a file; findings carry line numbers."""
        with self._limited() as bench:
            bench.open_file(path, self._parameters)
            answer = self._run(bench, "counts", path)
            return read_report(self._schema, answer["text"], answer["lines"])

    def judge_bytes(self, document: bytes, base: Path) -> JudgeReport:
        """Judge a document in memory that stands for (a part of) the file `base`; there are no line numbers."""
        with self._limited() as bench:
            bench.open_bytes(document, base)
            answer = self._run(bench, "counts", base)
            return read_report(self._schema, answer["text"], None)

    def broken_records(self, document: bytes, base: Path) -> dict[str, frozenset[int]]:
        """Return, by assertion, the records of a document in memory on which it fails or XPath stops, from 1.

        Many such documents follow each other: once XPath has stopped, tests are guarded from the beginning.
        """
        with self._limited() as bench:
            bench.open_bytes(document, base)
            answer = self._run(bench, "records", base, stays_guarded=True)
            return read_broken(self._schema, answer["text"])

    def judge_cases(self, document: bytes, base: Path) -> SignedRecords:
        """Return the verdict on each record of a document in memory; nodes outside records are not judged.

        Many such documents follow each other, as with `broken_records`.
        """
        with self._limited() as bench:
            bench.open_bytes(document, base)
            answer = self._run(bench, "cases", base, stays_guarded=True)
            return read_signatures(self._schema, answer["text"])

    def svrl_file(self, path: Path, *, show_values: bool = True) -> str:
        """Return the full validation report for a file, in the Schematron Validation Report Language."""
        with self._limited() as bench:
            bench.open_file(path, self._parameters)
            answer = self._run(bench, "svrl" if show_values else "hidden svrl", path)
            control, _, report = str(answer["text"]).partition("\n")
            prove_svrl(control)
            return report

    def close(self) -> None:
        """End the process if it is the judge's own; judging again starts a new one."""
        self._own.close()
        self._own = SaxonProcess(self._own.readings)

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _limited(self) -> AbstractContextManager[Bench]:
        """Yield a running bench whose answers must all arrive within the time limit."""
        return (self._shared or self._own).turn(self._time_limit)

    def _ready(self, bench: Bench, output: Output, *, guarded: bool) -> tuple[str, Stylesheet]:
        key = f"{self._number} {output}{' guarded' if guarded else ''}"
        if key not in self._sheets:
            self._sheets[key] = make_stylesheet(
                self._schema,
                record=self._record,
                output=output,
                given=frozenset(self._parameters),
                max_findings=self._max_findings,
                guarded=guarded,
                missing=self._missing if output in ("counts", "cases") else {},
            )
        bench.compile(key, self._sheets[key])
        return key, self._sheets[key]

    def _run(self, bench: Bench, output: Output, data: Path, *, stays_guarded: bool = False) -> Message:
        """Run until every resource is loaded, unguarded first, guarded when XPath stops on some node.

        A run that misses a resource ends there; a guarded run continues and names all missing resources. A schema that
        asks for many documents is therefore run a few times, not once for each. With `stays_guarded` later runs are
        guarded at once.
        """
        bench.give(self._parameters)
        bench.confine(Confinement.around([self._schema.origin.file, data], self._allowed))
        key, sheet = self._ready(bench, output, guarded=False)
        bench.prefetch(sheet.wanted)
        fruitless, must_guard = 0, output in self._guarded
        while True:
            key, sheet = self._ready(bench, output, guarded=must_guard or fruitless > 1)
            answer = bench.run(key)
            if bench.provide(answer, sheet, self._schema.origin.file):
                fruitless += 1
            elif "error" not in answer:
                return answer
            elif must_guard:
                error = rules_error(str(answer["error"]), sheet.places)
                error.quotes_data = True
                raise error
            else:
                must_guard = True
                self._guarded |= {output} if stays_guarded else set()


Conditions: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of an assertion's id and the XPath condition that a value which its test reads is missing."""


class Judges:
    """The judges of a run, each for some rules of a schema: all of them share one process and compile once.

    The keywords are those of `Judge`.
    """

    def __init__(
        self,
        schema: Schema,
        saxon: SaxonProcess,
        *,
        parameters: Mapping[str, Path],
        allowed: tuple[Path, ...],
        time_limit: float | None,
        max_findings: int | None,
    ) -> None:
        self._schema = schema
        self._saxon = saxon
        self._parameters = parameters
        self._allowed = allowed
        self._time_limit = time_limit
        self._max_findings = max_findings
        self.readings = saxon.readings
        self._all = frozenset(assertion.id for assertion in schema.assertions())
        self._known: dict[tuple[frozenset[str], str | None, Conditions], Judge] = {}
        self._of_records: dict[tuple[frozenset[str], str], Judge] = {}
        self._lock = threading.Lock()

    def of_all(self, record: str | None = None, missing: Conditions = ()) -> Judge:
        """Return the judge of all rules: it also reports mistakes that no other engine would find."""
        return self.of(self._all, record, missing)

    def of(self, ids: frozenset[str], record: str | None, missing: Conditions = ()) -> Judge:
        """Return the judge of some rules, in the process of the run; `record` names the record element."""
        key = ids, record, tuple(pair for pair in missing if pair[0] in ids)
        with self._lock:
            if key not in self._known:
                self._known[key] = self._judge(*key, self._saxon)
            return self._known[key]

    def of_records(self, ids: frozenset[str], record: str) -> Judge:
        """Return the judge of some rules that is asked which records break them, in the process of the run."""
        with self._lock:
            if (ids, record) not in self._of_records:
                self._of_records[ids, record] = self._judge(ids, record, (), self._saxon, first="records")
            return self._of_records[ids, record]

    def of_cases(self, ids: frozenset[str], record: str, missing: Conditions, *, is_own: bool) -> Judge:
        """Return a judge of some rules that is asked for the verdict on each record; `is_own` in its own process."""
        return self._judge(ids, record, missing, None if is_own else self._saxon, first="cases")

    def with_parameters(self, parameters: Mapping[str, Path]) -> Judges:
        """Return judges of the same rules, in the same process, for which variables have other documents."""
        return Judges(
            self._schema,
            self._saxon,
            parameters=parameters,
            allowed=self._allowed,
            time_limit=self._time_limit,
            max_findings=self._max_findings,
        )

    def another(self, ids: frozenset[str], record: str | None, missing: Conditions = ()) -> Judge:
        """Return one more judge of some rules, in a process of its own."""
        return self._judge(ids, record, missing, None)

    def _judge(
        self,
        ids: frozenset[str],
        record: str | None,
        missing: Conditions,
        saxon: SaxonProcess | None,
        first: Output = "counts",
    ) -> Judge:
        return Judge(
            self._schema.only(ids),
            record=record,
            parameters=self._parameters,
            allowed=self._allowed,
            time_limit=self._time_limit,
            max_findings=self._max_findings,
            saxon=saxon,
            missing=dict(missing),
            readings=self.readings,
            first=first,
        )


# Saxon on one chunk of records at a time, in several worker processes; answers come in the order of the requests.

Label = TypeVar("Label")
Answer = TypeVar("Answer")


class ChunkJudges(Generic[Label, Answer]):
    """A few Saxon workers behind one queue; the workers start with the first document.

    Threads only wait here: Saxon holds Python's lock for a whole call, so the work is done in other processes. At
    most two documents per worker are in progress, so memory does not grow with the file. `make_judge` gets the number
    of judges so far; `question` is what a judge is asked about a document that stands for part of `base`.
    """

    def __init__(
        self,
        make_judge: Callable[[int], Judge],
        base: Path,
        workers: int,
        question: Callable[[Judge, bytes, Path], Answer],
    ) -> None:
        self._make_judge = make_judge
        self._question = question
        self._base = base
        self._workers = workers
        self._idle: SimpleQueue[Judge] = SimpleQueue()
        self._started: list[Judge] = []
        self._threads = ThreadPoolExecutor(workers)
        self._waiting: deque[tuple[Label, Future[Answer]]] = deque()

    def ask(self, label: Label, document: bytes) -> Iterator[tuple[Label, Answer]]:
        """Submit a document; yield the answers that must be taken before the next one."""
        if self._idle.empty() and len(self._started) < self._workers:
            self._started.append(self._make_judge(len(self._started)))
            self._idle.put(self._started[-1])
        self._waiting.append((label, self._threads.submit(self._judge, document)))
        while len(self._waiting) > 2 * self._workers:
            yield self._oldest()

    def answers(self) -> Iterator[tuple[Label, Answer]]:
        """Yield the outstanding answers, oldest first."""
        while self._waiting:
            yield self._oldest()

    def close(self) -> None:
        """Stop the workers; unanswered requests are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for judge in self._started:
            judge.close()

    def _oldest(self) -> tuple[Label, Answer]:
        label, future = self._waiting.popleft()
        return label, future.result()

    def _judge(self, document: bytes) -> Answer:
        judge = self._idle.get()
        try:
            return self._question(judge, document, self._base)
        finally:
            self._idle.put(judge)
