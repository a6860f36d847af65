"""A disk on which one operation fails, or at which the process ends: every operation of a run can be tried in turn."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from constraint_sdc.files.publication import disk

Act = Callable[[Callable[[], Any], str], Any]


class QuietDisk(disk.Disk):
    """The real disk without waiting for it: no power fails here, and what is not on the disk yet is not lost."""

    def fsync(self, descriptor: int) -> None:
        """Ask only whether the file is open."""
        os.fstat(descriptor)


class FaultyDisk:
    """Does what the real disk does, except at the operation with the number `at`, which `act` does instead."""

    def __init__(self, at: int = 0, act: Act = lambda operation, _: operation()) -> None:
        self.names: list[str] = []
        self._at = at
        self._act = act
        self._real = QuietDisk()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self._real, name)

        def counted(*given: Any) -> Any:
            self.names.append(name)
            if len(self.names) == self._at:
                return self._act(lambda: operation(*given), name)
            return operation(*given)

        return counted


class BrokenAfterRenames(FaultyDisk):
    """Fails for good after some renames; after two, the journal and the certificate are new, and the rest is old."""

    def __init__(self, renames: int) -> None:
        super().__init__()
        self._left = renames

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = super().__getattr__(name)

        def counted(*given: Any) -> Any:
            self._left -= name == "rename"
            if self._left < 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return operation(*given)

        return counted


def failing(number: int) -> Act:
    """Fail with this error number."""

    def act(_operation: Callable[[], Any], _name: str) -> Any:
        raise OSError(number, os.strerror(number))

    return act


def dying_before(_operation: Callable[[], Any], _name: str) -> Any:
    """End the process as kill -9 does: nothing is unwound."""
    os._exit(9)


def dying_after(operation: Callable[[], Any], _name: str) -> Any:
    """End the process right after the operation."""
    operation()
    os._exit(9)


@contextmanager
def installed(faulty: FaultyDisk) -> Iterator[FaultyDisk]:
    """Put the disk in place of the real one."""
    real = disk.DISK
    disk.DISK = faulty  # type: ignore[assignment]
    try:
        yield faulty
    finally:
        disk.DISK = real
