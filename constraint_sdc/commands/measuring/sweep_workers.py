"""Processes that compute points of a sweep, one after another: a line of JSON in, a line of JSON out."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from constraint_sdc.commands.measuring.sweep_bench import SweepBench, open_for_sweep
from constraint_sdc.commands.measuring.sweep_journal import point_from_json, point_to_json
from constraint_sdc.errors import ConstraintSdcError, JudgeError, UsageError
from constraint_sdc.files.recipe import recipe_from_json, recipe_to_json
from constraint_sdc.files.tables.registry import current_reading
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.measures.sweep_points import SweepOptions, SweepPoint, SweepTask
from constraint_sdc.settings.table_reading import table_reading_from_json
from constraint_sdc.settings.words import Standardise

# Not `-m`: that would put the current directory on the module path, where a stranger's file could pass for a module.
_START = (
    "import sys; sys.path.append(sys.argv[1]); from constraint_sdc.commands.measuring.sweep_workers import main; main()"
)
_ROOT = str(Path(__file__).resolve().parents[3])


def compute_points(
    data: Path, rules: Path | None, options: SweepOptions, tasks: Sequence[SweepTask], jobs: int, bench: SweepBench
) -> Iterator[SweepPoint]:
    """Yield the points as they are ready; their values do not depend on `jobs`. `bench` is for those computed here."""
    if jobs < 2 or len(tasks) < 2:
        yield from (bench.point(task) for task in tasks)
        return
    waiting: queue.SimpleQueue[SweepTask] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    ready: queue.SimpleQueue[SweepPoint | Exception] = queue.SimpleQueue()
    workers = [_SweepWorker(_inputs(data, rules, options)) for _ in range(min(jobs, len(tasks)))]
    try:
        for worker in workers:
            threading.Thread(target=worker.work_off, args=(waiting, ready), daemon=True).start()
        for _ in tasks:
            found = ready.get()
            if isinstance(found, Exception):
                raise found
            yield found
    finally:
        for worker in workers:
            worker.end()


class _SweepWorker:
    """One process; it ends with us, because its input then closes."""

    def __init__(self, inputs: str) -> None:
        command = [sys.executable, "-P", "-c", _START, _ROOT]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._inputs = inputs

    def work_off(self, waiting: queue.SimpleQueue[SweepTask], ready: queue.SimpleQueue[SweepPoint | Exception]) -> None:
        """Compute what is waiting until nothing is."""
        try:
            self._say(self._inputs)
            while True:
                try:
                    task = waiting.get_nowait()
                except queue.Empty:
                    return
                ready.put(self._compute(task))
        except Exception as problem:
            ready.put(problem)

    def end(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.communicate()

    def _compute(self, task: SweepTask) -> SweepPoint:
        self._say(json.dumps(asdict(task)))
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            what = f"a process that computed k = {task.k} with {task.masked_by.name} ended unexpectedly"
            raise JudgeError(what, hint="run the same command again: what is done is kept; or use fewer --jobs")
        answer = json.loads(line)
        if "problem" in answer:
            raise UsageError(answer["problem"])
        return point_from_json(answer, answer["refused"])

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: reading its answer says so


def _inputs(data: Path, rules: Path | None, options: SweepOptions) -> str:
    masking = options.masking
    content: dict[str, Any] = {
        "data": str(data),
        "rules": None if rules is None else str(rules),
        "known_at_most": options.known_at_most,
        "recipe": recipe_to_json(masking.recipe),
        "partition": masking.partition,
        "effort": masking.effort,
        "standardise": None if masking.standardise is None else Standardise(masking.standardise).value,
        "weights": masking.weights,
        "seed": masking.seed,
        "on_broken": masking.on_broken,
        "undecided": masking.undecided,
        "phase": masking.phase,
        "original": None if masking.original is None else str(masking.original),
        "record": masking.record,
        "allow": [str(path) for path in masking.allow],
        "allow_idle": list(masking.allow_idle),
        "time_limit": masking.time_limit,
        "table": current_reading().over(masking.table).to_json(),
    }
    return json.dumps(content)


@contextmanager
def _bench(content: dict[str, Any]) -> Iterator[SweepBench]:
    data, rules, known_at_most = Path(content.pop("data")), content.pop("rules"), content.pop("known_at_most")
    recipe, standardise, original, table = (
        content.pop(name) for name in ("recipe", "standardise", "original", "table")
    )
    masking = MaskOptions(
        **{**content, "allow": tuple(map(Path, content["allow"])), "allow_idle": tuple(content["allow_idle"])},
        recipe=recipe_from_json(recipe),
        standardise=None if standardise is None else Standardise(standardise),
        original=None if original is None else Path(original),
        table=table_reading_from_json(table),
    )
    with open_for_sweep(data, None if rules is None else Path(rules), masking) as original:
        yield SweepBench(original, masking, known_at_most)


def main(source: TextIO = sys.stdin, target: TextIO = sys.stdout) -> None:
    """Answer tasks until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted too, and ends this process
    with _bench(json.loads(source.readline())) as bench:
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(source, lines), daemon=True).start()
        while True:
            answer = _answer(bench, SweepTask(**json.loads(lines.get())))
            try:
                target.write(json.dumps(answer) + "\n")
                target.flush()
            except BrokenPipeError:
                os._exit(1)


def _answer(bench: SweepBench, task: SweepTask) -> dict[str, Any]:
    try:
        return point_to_json(bench.point(task))
    except ConstraintSdcError as problem:
        return {"problem": str(problem)}


def _listen(source: TextIO, lines: queue.SimpleQueue[str]) -> None:
    """Hand on the tasks; when the input ends, so does the process, in the middle of a point if need be."""
    for line in source:
        lines.put(line)
    os._exit(0)
