"""Thousands of cases in processes of their own: in order, with a line now and then, and a summary if it is stopped."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import islice
from types import FrameType
from typing import TypeVar

from constraint_sdc.exam.guarantee.judging import pooled_saxon

T = TypeVar("T")

STOPPED = 130
"""Exit code of a run that was stopped before its end, as shells have it."""

_PATIENCE = 600.0  # seconds, after which a line says which case is waited for
_AHEAD = 8  # cases that are handed out for each process: one slow case does not leave the others idle
_EVERY = 20  # cases from one line to the next where nobody watches

_OPEN = ExitStack()


def run_cases(run: Callable[[int], T], seeds: Iterable[int], jobs: int) -> Iterator[T]:
    """Yield what becomes of each case, in order; `run` must be importable by a process of its own.

    A process that dies ends the run with an error instead of letting it wait for ever. When the caller stops, cases
    that have begun come to their end and no other begins.
    """
    if jobs == 1:
        with pooled_saxon():
            yield from map(run, seeds)
        return
    left = iter(seeds)
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _enter_pool) as pool:
        try:
            waiting: deque[tuple[int, Future[T]]] = deque()
            while True:
                for seed in islice(left, _AHEAD * jobs - len(waiting)):
                    waiting.append((seed, pool.submit(run, seed)))
                if not waiting:
                    return
                yield _patiently(*waiting.popleft())
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _enter_pool() -> None:
    """Keep Saxon's processes of this process for all its cases; the parent alone hears an interruption."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _OPEN.enter_context(pooled_saxon())


def _patiently(seed: int, future: Future[T]) -> T:
    """Wait for a case, and say now and then that it is this one that takes so long."""
    minutes = 0.0
    while True:
        try:
            return future.result(_PATIENCE)
        except TimeoutError:
            if future.done():
                raise
            minutes += _PATIENCE / 60
            print(f"\ncase {seed} has been waited for during {minutes:.0f} minutes", file=sys.stderr, flush=True)


def tell_progress(number: int, text: str) -> None:
    """Tell how far the run is: on a terminal after every case, elsewhere a line for every few cases."""
    if sys.stderr.isatty():
        print(f"\r{text}", end="", file=sys.stderr, flush=True)
    elif number % _EVERY == 0:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGTERM end the block like Ctrl-C, by KeyboardInterrupt."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
