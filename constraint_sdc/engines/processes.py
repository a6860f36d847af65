"""The engine of worker processes on this machine.

Workers start with the first pieces that are worth it. A worker that dies (killed, out of memory) is replaced and its
piece runs again; a piece at which every worker dies ends the work with an error.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from constraint_sdc.engines.engine import (
    ATTEMPTS,
    IN_FLIGHT,
    WORTH_WORKERS,
    Engine,
    EngineSettings,
    Piece,
    Result,
    cores,
)
from constraint_sdc.engines.parcel import packed
from constraint_sdc.engines.serial import SerialEngine
from constraint_sdc.engines.task import import_ahead, lost, name_of, result_of
from constraint_sdc.engines.worker import WorkerLostError, WorkerProcess


class ProcessesEngine:
    """Sends pieces to worker processes; one thread per worker waits for its answers."""

    name = "processes"

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._idle: SimpleQueue[WorkerProcess | None] = SimpleQueue()
        self._living: set[WorkerProcess] = set()
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self._is_closed = False

    def map(self, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float) -> Iterator[Result]:
        """Yield `function(piece)` for every piece, in the order of the pieces."""
        if not self.takes(work):
            return SerialEngine().map(function, pieces, work=work)
        return self._mapped(name_of(function), iter(pieces))

    def prepare(self, module: str, *, work: float) -> None:
        """Start the workers, and let each import the module while the caller does something else."""
        if self.takes(work):
            threads = self._started()
            for _ in range(self.workers):
                threads.submit(self._run, name_of(import_ahead), module)

    def takes(self, work: float) -> bool:
        """Tell whether the work takes longer than starting the workers."""
        return self.workers > 1 and work >= WORTH_WORKERS

    def _mapped(self, name: str, pieces: Iterator[Any]) -> Iterator[Any]:
        threads = self._started()
        waiting: deque[Future[Any]] = deque()
        try:
            for piece in pieces:
                waiting.append(threads.submit(self._run, name, piece))
                while len(waiting) >= IN_FLIGHT * self.workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _run(self, name: str, piece: Any) -> Any:
        task, how = packed((name, piece)), ""
        for _ in range(ATTEMPTS):
            worker = self._idle.get()
            if worker is None:
                raise WorkerLostError("closed")
            try:
                is_fine, found = worker.run(task)
            except WorkerLostError as end:
                how = end.how
                self._replace(worker)
                continue
            self._idle.put(worker)
            return result_of(is_fine, found)
        raise lost(name, how, ATTEMPTS)

    def _started(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self.workers, thread_name_prefix="engine")
            for _ in range(self.workers):
                self._add()
        return self._threads

    def _replace(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._living.discard(worker)
        worker.kill()
        self._add()

    def _add(self) -> None:
        with self._lock:
            if self._is_closed:
                raise WorkerLostError("closed")
            worker = WorkerProcess()
            self._living.add(worker)
        self._idle.put(worker)

    def rest(self) -> None:
        """End all workers; the next pieces start new ones."""
        self._end_workers()
        self._idle = SimpleQueue()

    def close(self) -> None:
        """End all workers at once."""
        with self._lock:
            self._is_closed = True
        self._end_workers()

    def _end_workers(self) -> None:
        with self._lock:
            living, self._living = self._living, set()
        for worker in living:
            worker.kill()
        for _ in range(self.workers):
            self._idle.put(None)
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)
            self._threads = None


class _Processes:
    name = "processes"

    def start(self, settings: EngineSettings) -> Engine:
        return ProcessesEngine(settings.workers or cores())


REGISTERED = {"processes": _Processes()}
