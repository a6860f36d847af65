"""Saxon on one chunk of records at a time, in several worker processes, answers in the order of the questions."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Generic, TypeVar

from constraint_sdc.validate.judge import Judge
from constraint_sdc.validate.verdict import JudgeReport

Label = TypeVar("Label")


class ChunkJudges(Generic[Label]):
    """A few Saxon workers behind one queue; a worker starts only when the first document asks for it.

    Threads only wait here: Saxon holds Python's lock for a whole call, so the work itself is in other processes. At
    most two documents per worker are in flight, so memory does not grow with the file.
    """

    def __init__(self, make_judge: Callable[[], Judge], base: Path, workers: int) -> None:
        self._make_judge = make_judge
        self._base = base
        self._workers = workers
        self._idle: SimpleQueue[Judge] = SimpleQueue()
        self._started: list[Judge] = []
        self._threads = ThreadPoolExecutor(workers)
        self._waiting: deque[tuple[Label, Future[JudgeReport]]] = deque()

    def ask(self, label: Label, document: bytes) -> Iterator[tuple[Label, JudgeReport]]:
        """Hand in a document; yield the answers that must be taken before more may be asked."""
        if self._idle.empty() and len(self._started) < self._workers:
            self._started.append(self._make_judge())
            self._idle.put(self._started[-1])
        self._waiting.append((label, self._threads.submit(self._judge, document)))
        while len(self._waiting) > 2 * self._workers:
            yield self._oldest()

    def answers(self) -> Iterator[tuple[Label, JudgeReport]]:
        """Yield the answers that are still out, oldest first."""
        while self._waiting:
            yield self._oldest()

    def close(self) -> None:
        """Stop the workers; unanswered questions are dropped."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for judge in self._started:
            judge.close()

    def _oldest(self) -> tuple[Label, JudgeReport]:
        label, future = self._waiting.popleft()
        return label, future.result()

    def _judge(self, document: bytes) -> JudgeReport:
        judge = self._idle.get()
        try:
            return judge.judge_bytes(document, self._base)
        finally:
            self._idle.put(judge)
