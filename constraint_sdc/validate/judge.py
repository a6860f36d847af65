"""The judge: a schema on one side, documents on the other, Saxon's verdict between them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from constraint_sdc.model.confinement import Confinement
from constraint_sdc.model.schema import Schema
from constraint_sdc.validate.bench import Bench
from constraint_sdc.validate.complaints import rules_error
from constraint_sdc.validate.frames import Message
from constraint_sdc.validate.transpile import Output, Stylesheet, make_stylesheet
from constraint_sdc.validate.verdict import JudgeReport, read_report


class Judge:
    """Judges documents against a schema; owns the process in which Saxon runs. Use it in a `with` statement.

    `record` is the Clark name of the record element; findings then carry record numbers. `parameters` names documents
    that take the place of variables (`{"original": path}`). Rules may read files beside the rules, beside the data and
    in `allowed` directories. `time_limit` is in seconds for each document; `max_findings` caps the findings of each
    assertion, never the counts.
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
    ) -> None:
        self._schema = schema
        self._record = record
        self._parameters = dict(parameters or {})
        self._allowed = allowed
        self._time_limit = time_limit
        self._max_findings = max_findings
        self._sheets: dict[str, Stylesheet] = {}
        self._bench: Bench | None = None
        with self._limited() as bench:
            self._ready(bench, "counts", guarded=False)

    def judge_file(self, path: Path) -> JudgeReport:
        """Judge a file; findings carry line numbers."""
        with self._limited() as bench:
            bench.open_file(path)
            answer = self._run(bench, "counts", path)
            return read_report(self._schema, answer["text"], answer["lines"])

    def judge_bytes(self, document: bytes, base: Path) -> JudgeReport:
        """Judge a document in memory that stands for (a part of) the file `base`; there are no line numbers."""
        with self._limited() as bench:
            bench.open_bytes(document, base)
            answer = self._run(bench, "counts", base)
            return read_report(self._schema, answer["text"], None)

    def svrl_file(self, path: Path) -> str:
        """Return the full validation report for a file, in the Schematron Validation Report Language."""
        with self._limited() as bench:
            bench.open_file(path)
            return str(self._run(bench, "svrl", path)["text"])

    def close(self) -> None:
        """End the process; judging again starts a new one."""
        if self._bench is not None:
            self._bench.close()
        self._bench = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _limited(self) -> Iterator[Bench]:
        """Give a living bench whose every answer must come before the time limit."""
        if self._bench is None or not self._bench.is_alive:
            self._bench = Bench()
        self._bench.deadline = None if self._time_limit is None else time.monotonic() + self._time_limit
        yield self._bench

    def _ready(self, bench: Bench, output: Output, *, guarded: bool) -> tuple[str, Stylesheet]:
        key = f"{output} guarded" if guarded else output
        if key not in self._sheets:
            self._sheets[key] = make_stylesheet(
                self._schema,
                record=self._record,
                output=output,
                given=frozenset(self._parameters),
                max_findings=self._max_findings,
                guarded=guarded,
            )
        bench.compile(key, self._sheets[key])
        return key, self._sheets[key]

    def _run(self, bench: Bench, output: Output, data: Path) -> Message:
        """Run until every resource is at hand, unguarded first, guarded when XPath stops on some node.

        A run that misses a resource ends there, a guarded one goes on and names all that it misses: so a schema that
        asks for many documents is run a few times, not once for each.
        """
        bench.give(self._parameters)
        bench.confine(Confinement.around([self._schema.origin.file, data], self._allowed))
        key, sheet = self._ready(bench, output, guarded=False)
        bench.prefetch(sheet.wanted)
        fruitless, must_guard = 0, False
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
