"""The protocol of an engine, and what a user says about it.

An engine applies one function to many pieces. What comes out does not depend on the engine, on the number of workers or
on who finishes first: a function sees nothing but its piece, a piece brings its own seed, and results come in the order
of the pieces.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from constraint_sdc.errors import UsageError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

WORTH_WORKERS = 2.0
"""CPU seconds of work below which pieces run in the calling process: starting two workers takes half a second."""
SECONDS_PER_BYTE = 2e-8
"""CPU seconds in which a byte of plain rows is scanned and judged, roughly."""
ATTEMPTS = 3
"""How often a piece is run when the worker that has it dies."""
IN_FLIGHT = 2
"""Pieces per worker that are sent or finished and not yet taken: memory does not grow with the number of pieces."""
WORKER_MARK = "CONSTRAINT_SDC_WORKER"
"""The variable of the environment that makes a process a worker."""


class Engine(Protocol):
    """Runs pieces of work. Close it when the work is done; closing ends every process that it started."""

    name: str
    workers: int

    def map(self, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float) -> Iterator[Result]:
        """Yield `function(piece)` for every piece, in the order of the pieces.

        `function` stands at the top of a module of this package, because workers import it by name. Pieces and results
        are frozen dataclasses, arrays, numbers, texts and paths. `work` is roughly how many CPU seconds all pieces take
        together; a little work is done in the calling process. An error of the function is raised here.
        """
        ...

    def prepare(self, module: str, *, work: float) -> None:
        """Let workers import a module of this package ahead, if so much work will be divided; nothing waits for it."""
        ...

    def takes(self, work: float) -> bool:
        """Tell whether so much work is divided among workers; a stage then need not do it in one go."""
        ...

    def rest(self) -> None:
        """End workers that have nothing to do, so that others have their memory; the next pieces start new ones.

        No results may be open.
        """
        ...

    def close(self) -> None:
        """End what was started; results that were not taken are lost."""
        ...


@dataclass(frozen=True, slots=True)
class Tls:
    """Files for an encrypted connection to a scheduler: its certificate authority, our certificate and our key."""

    ca: Path
    cert: Path
    key: Path


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """Where work runs. `name` is that of an engine, or `auto`: processes if there are several cores, else serial.

    `workers` is how many processes work at a time, all cores if it is None. `scheduler` is the address of a Dask
    scheduler, `tls` how it is reached. Large arrays live in a private directory inside `scratch`, by default inside the
    system's directory for temporary files. With `resume`, results of finished pieces are kept in `scratch` until the
    command has succeeded, and those that an earlier run left there are taken. No result depends on any of these.
    """

    name: str = "auto"
    workers: int | None = None
    scheduler: str | None = None
    tls: Tls | None = None
    scratch: Path | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        """Refuse what contradicts itself or would be without effect."""
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"{self.workers} workers cannot work", hint="give at least 1")
        if self.workers is not None and self.name == "serial":
            raise UsageError("--workers has no meaning here", hint="the engine serial works in one process")
        self._require_cluster()
        if self.scratch is not None and not self.scratch.is_dir():
            raise UsageError(f"{str(self.scratch)!r} is not a directory", hint="name a directory for --scratch")
        if self.resume and self.scratch is None:
            raise UsageError(
                "--resume needs a directory that outlives the run",
                hint="name one with --scratch; the system's may be emptied when the machine restarts",
            )

    def _require_cluster(self) -> None:
        if self.scheduler is None:
            if self.tls is not None:
                raise UsageError("TLS files have no meaning here", hint="they belong to --scheduler")
            return
        if self.name != "dask":
            raise UsageError("--scheduler has no meaning here", hint="it belongs to --engine dask")
        if self.workers is not None:
            raise UsageError("--workers has no meaning here", hint="a scheduler has workers of its own")
        if not re.fullmatch(r"(tcp|tls)://\S+:\d+", self.scheduler):
            raise UsageError(
                f"{self.scheduler!r} is not the address of a scheduler", hint="write it like tcp://127.0.0.1:8786"
            )
        if self.scheduler.startswith("tls://") != (self.tls is not None):
            raise UsageError(
                f"the address {self.scheduler} and the TLS files do not fit",
                hint="a tls:// address needs --tls-ca, --tls-cert and --tls-key; a tcp:// address takes none",
            )

    @property
    def chosen(self) -> str:
        """Return the name of the engine, decided by the number of cores where it is `auto`."""
        if self.name != "auto":
            return self.name
        return "processes" if (self.workers or cores()) > 1 else "serial"


class EngineKind(Protocol):
    """An engine by its name, before it is started."""

    name: str

    def start(self, settings: EngineSettings) -> Engine:
        """Return the engine, ready to work."""
        ...


def cores() -> int:
    """Return how many cores this process may use; a worker has one, because every core has a worker."""
    if is_worker():
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_worker() -> bool:
    """Tell whether this process is a worker: work inside a piece is serial."""
    return WORKER_MARK in os.environ


def mark_worker() -> None:
    """Make this process a worker, as the processes of a cluster are."""
    os.environ[WORKER_MARK] = "1"
