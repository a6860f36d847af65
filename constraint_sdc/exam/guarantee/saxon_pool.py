"""Saxon without its start-up: worker processes that serve one case after another.

Starting Saxon costs more than judging a hundred records. Everything that reaches a worker is as usual (a stylesheet,
a document, a run); only its process survives the judge that used it. The bench that takes over a worker has it compile
its own stylesheets under the same names and forget all documents before it runs anything.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from constraint_sdc.judge.judge import Judge, JudgeReport
from constraint_sdc.judge.worker import bench
from constraint_sdc.judge.worker.process import Message, Worker
from constraint_sdc.schematron.load import load_schema

# Saxon leaks a little at every call.
SERVICES = 150


class _Pool:
    def __init__(self) -> None:
        self._idle: list[tuple[Worker, int]] = []
        self._lock = threading.Lock()

    def borrow(self) -> tuple[Worker, int]:
        with self._lock:
            while self._idle:
                worker, services = self._idle.pop()
                if worker.is_alive and services < SERVICES:
                    return worker, services + 1
                worker.kill()
        return Worker(), 0

    def give_back(self, worker: Worker, services: int) -> None:
        with self._lock:
            self._idle.append((worker, services))

    def close(self) -> None:
        with self._lock:
            for worker, _ in self._idle:
                worker.kill()
            self._idle.clear()


_POOL = _Pool()


class BorrowedWorker:
    """Looks like a worker to the bench; when the bench ends it, the process goes back to the pool."""

    def __init__(self) -> None:
        self._worker: Worker | None
        self._worker, self._services = _POOL.borrow()

    @property
    def is_alive(self) -> bool:
        """Tell whether there is a process that answers."""
        return self._worker is not None and self._worker.is_alive

    def ask(self, message: Message, attachment: bytes = b"", deadline: float | None = None) -> Message:
        """Send a message and return the answer."""
        if self._worker is None:
            raise RuntimeError("the worker was given back")
        return self._worker.ask(message, attachment, deadline)

    def kill(self) -> None:
        """Give the process back to the pool."""
        if self._worker is not None and self._worker.is_alive:
            _POOL.give_back(self._worker, self._services)
        self._worker = None


@contextmanager
def pooled_saxon() -> Iterator[None]:
    """Let every judge within take its worker from the pool; the pool's processes end with the block."""
    names = vars(bench)
    started = names["Worker"]
    names["Worker"] = BorrowedWorker
    try:
        yield
    finally:
        names["Worker"] = started
        _POOL.close()


def judge(data: Path, rules: Path, record: str, phase: str | None = None) -> JudgeReport:
    """Return Saxon's verdict on a file with every finding; `record` is the record element's Clark name."""
    with Judge(load_schema(rules, phase=phase), record=record, max_findings=None) as saxon:
        return saxon.judge_file(data)
