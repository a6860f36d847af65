"""What a command is doing at the moment, for whoever wants to show it: the stage, the records, and the share of it.

Stages announce themselves; nobody need listen, and no result depends on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class StageProgress:
    """A stage by its name, the records that it has done, the share of its work if that is known, and its seconds."""

    name: str
    records: int = 0
    share: float | None = None
    seconds: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Return how long the stage still takes if it goes on like this; None as long as that is a guess.

        >>> StageProgress("reading", 500, share=0.25, seconds=10.0).seconds_left
        30.0
        """
        if self.share is None or self.share < 0.02 or self.seconds < 1:
            return None
        return self.seconds * (1 - self.share) / self.share


StageListener: TypeAlias = Callable[[StageProgress], None]


class _Announcer:
    """The listener of this process, and the stage that runs."""

    def __init__(self) -> None:
        self.listener: StageListener | None = None
        self.now: StageProgress | None = None
        self.started = 0.0


_announcer = _Announcer()


@contextmanager
def listening(listener: StageListener) -> Iterator[None]:
    """Let a function hear of every stage inside the block."""
    before, _announcer.listener = _announcer.listener, listener
    try:
        yield
    finally:
        _announcer.listener = before


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Announce a stage; the one around it goes on when this one ends. It can also decorate a function.

    >>> heard = []
    >>> with listening(lambda now: heard.append((now.name, now.records))), stage("reading"):
    ...     advance(7)
    >>> heard
    [('reading', 0), ('reading', 7)]
    """
    before = _announcer.now, _announcer.started
    _announcer.now, _announcer.started = StageProgress(name), time.monotonic()
    _tell()
    try:
        yield
    finally:
        _announcer.now, _announcer.started = before


def advance(records: int, share: float | None = None) -> None:
    """Say how many records the stage has done, and what share of its work that is."""
    if _announcer.now is not None:
        seconds = time.monotonic() - _announcer.started
        _announcer.now = replace(_announcer.now, records=records, share=share, seconds=seconds)
        _tell()


def _tell() -> None:
    if _announcer.listener is not None and _announcer.now is not None:
        _announcer.listener(_announcer.now)
