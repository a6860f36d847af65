"""The engine of the command that runs in this process.

A stage that has pieces of work asks for it here: which engine it is changes no result, so it is no part of the values
that stages hand to each other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from constraint_sdc.engines.engine import Engine, EngineSettings, Piece, Result, is_worker
from constraint_sdc.engines.registry import start_engine
from constraint_sdc.engines.serial import SerialEngine

if TYPE_CHECKING:
    from constraint_sdc.engines.journal import PieceJournal
    from constraint_sdc.engines.scratch import Scratch


class _RunningEngine:
    """The settings of a command, and its engine from the first time that there is work for it."""

    def __init__(self, settings: EngineSettings) -> None:
        self.settings = settings
        self._scratch: Scratch | None = None
        self._journal: PieceJournal | None = None
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    def engine(self) -> Engine:
        with self._lock:
            if self._engine is None:
                self._engine = SerialEngine() if is_worker() else start_engine(self.settings)
            return self._engine

    def scratch(self) -> Scratch:
        from constraint_sdc.engines.scratch import Scratch  # NumPy is slow to load

        with self._lock:
            if self._scratch is None:
                # In a worker arrays stay in memory: nobody could remove the files of one that is killed.
                self._scratch = Scratch(self.settings.scratch, uses_disk=not is_worker())
            return self._scratch

    def map(
        self, function: Callable[[Piece], Result], pieces: Iterable[Piece], work: float, *, is_verdict: bool
    ) -> Iterator[Result]:
        journal = None if is_verdict else self.journal()
        if journal is None:
            return self.engine().map(function, pieces, work=work)
        return journal.mapped(self.engine(), function, pieces, work=work)

    def journal(self) -> PieceJournal | None:
        if not self.settings.resume or self.settings.scratch is None or is_worker():
            return None
        from constraint_sdc.engines.journal import PieceJournal

        with self._lock:
            if self._journal is None:
                self._journal = PieceJournal(self.settings.scratch)
            return self._journal

    def rest(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.rest()

    def succeeded(self) -> None:
        if self._journal is not None:
            self._journal.forget()

    def close(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.close()
                self._engine = None
            if self._scratch is not None:
                self._scratch.close()
                self._scratch = None


_OUTSIDE = _RunningEngine(EngineSettings(name="serial"))
_running = _OUTSIDE


@contextmanager
def engine_of(settings: EngineSettings) -> Iterator[None]:
    """Let the stages inside the block work on the engine of these settings; it is closed with the block."""
    global _running
    before, _running = _running, _RunningEngine(settings)
    try:
        yield
        _running.succeeded()
    finally:
        mine, _running = _running, before
        mine.close()


@contextmanager
def some_engine() -> Iterator[None]:
    """Let a block work on the engine that is chosen already, or else on the one that fits the machine."""
    if _running is not _OUTSIDE:
        yield
        return
    with engine_of(EngineSettings()):
        yield


def engine_settings() -> EngineSettings:
    """Return the settings of the running command."""
    return _running.settings


def scratch() -> Scratch:
    """Return where the large arrays of the running command live."""
    return _running.scratch()


def workers() -> int:
    """Return how many pieces run at a time; nothing is started for it where work is local."""
    return _running.engine().workers


def prepare_workers(module: str, *, work: float) -> None:
    """Start workers ahead that will import a module, where so many CPU seconds of work are divided among them."""
    _running.engine().prepare(module, work=work)


def is_divided(work: float) -> bool:
    """Tell whether so many CPU seconds of work are divided among workers."""
    return _running.engine().takes(work)


def rest_workers() -> None:
    """Let workers end that have nothing to do for a while; no results may be open."""
    _running.rest()


def map_pieces(
    function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float, is_verdict: bool = False
) -> Iterator[Result]:
    """Yield `function(piece)` for every piece, in order, on the engine of the command; see `Engine.map`.

    Outside of a command, and in a worker, it is the serial engine. A run that resumes takes results from disk, but
    never a verdict (`is_verdict`): a verdict comes from the bytes that are judged, and from nothing that is stored.

    >>> from constraint_sdc.errors import no_command
    >>> list(map_pieces(no_command, ["fine", "::error::"], work=0.01))
    ['fine', '\\\\x3a:error::']
    """
    return _running.map(function, pieces, work, is_verdict=is_verdict)
