"""Counts how often a run opens and reads its files, loads its rules and starts Saxon; for any version of the package.

Files are watched where Python opens them, and in the messages to Saxon's process, which reads a file that it is told.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

_PASS = 0.99  # of a file's bytes, read through one opening
_CALLS = ("load_schema", "understand")
_COUNTED = ("opens", "passes")


@dataclass
class FileCount:
    """One file: the bytes read through each opening."""

    path: Path
    read: list[int] = field(default_factory=list)

    @property
    def opens(self) -> int:
        return len(self.read)

    @property
    def passes(self) -> int:
        size = self.path.stat().st_size if self.path.exists() else 0
        return sum(1 for count in self.read if size and count >= _PASS * size)


@dataclass
class ReadingCount:
    """What a run did: `files` by their names, calls of functions by theirs, and processes that run Saxon."""

    files: dict[str, FileCount] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    saxon: int = 0

    def opened(self, path: Path) -> FileCount | None:
        return next((count for count in self.files.values() if path.absolute() == count.path.absolute()), None)

    def figures(self) -> dict[str, int]:
        """Return every number by its name."""
        files = {f"{name}: {what}": getattr(count, what) for name, count in self.files.items() for what in _COUNTED}
        return {**files, **self.calls, "Saxon processes": self.saxon}


class _Raw(io.FileIO):
    """A file that counts its bytes as they are read."""

    def __init__(self, path: str, count: FileCount) -> None:
        super().__init__(path, "rb")
        self._count, self._place = count, len(count.read)
        count.read.append(0)

    def readinto(self, buffer: Any) -> int:
        return self._counted(super().readinto(buffer) or 0)

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._counted(len(data))
        return data

    def readall(self) -> bytes:
        data = super().readall() or b""
        self._counted(len(data))
        return data

    def _counted(self, count: int) -> int:
        self._count.read[self._place] += count
        return count


@contextmanager
def counting(files: Mapping[str, Path], staged_for: Path | None = None) -> Iterator[ReadingCount]:
    """Count within the block. `staged_for` is an output: the file that is written beside it first is "staged"."""
    count = ReadingCount({name: FileCount(path) for name, path in files.items()})
    opening, starting = io.open, subprocess.Popen.__init__
    with ExitStack() as stack:

        def counted_open(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **named: Any) -> Any:
            found = _watched(file, mode, count, staged_for)
            if found is None:
                return opening(file, mode, buffering, *more, **named)
            raw = _Raw(str(file), found)
            return raw if buffering == 0 else io.BufferedReader(raw)

        def counted_start(self: Any, args: Any, *more: Any, **named: Any) -> None:
            count.saxon += any("worker import main" in str(arg) for arg in args)
            starting(self, args, *more, **named)

        stack.enter_context(patch.object(io, "open", counted_open))
        stack.enter_context(patch.object(subprocess.Popen, "__init__", counted_start))
        _count_messages(stack, count, staged_for)
        for name in _CALLS:
            _count_calls(stack, name, count)
        yield count


def _watched(file: Any, mode: str, count: ReadingCount, staged_for: Path | None) -> FileCount | None:
    if mode != "rb" or not isinstance(file, str | Path):
        return None
    path = Path(file)
    if staged_for is not None and _is_staged(path, staged_for):
        return count.files.setdefault("staged", FileCount(staged_for))
    return count.opened(path)


def _is_staged(path: Path, output: Path) -> bool:
    return path.absolute().parent == output.absolute().parent and path.name.endswith(f".{output.name}")


def _count_messages(stack: ExitStack, count: ReadingCount, staged_for: Path | None) -> None:
    """Count the files that Saxon's process is told to read: it reads each from beginning to end."""
    process = next(
        module for name, module in sys.modules.items() if name.endswith(".process") and hasattr(module, "Worker")
    )
    asking = process.Worker.ask

    def counted_ask(self: Any, message: dict[str, Any], *more: Any, **named: Any) -> Any:
        if "path" in message and (found := _watched(message["path"], "rb", count, staged_for)) is not None:
            found.read.append(Path(message["path"]).stat().st_size)
        if message["do"] == "compile":
            count.calls["compile"] = count.calls.get("compile", 0) + 1
        return asking(self, message, *more, **named)

    stack.enter_context(patch.object(process.Worker, "ask", counted_ask))


def _count_calls(stack: ExitStack, name: str, count: ReadingCount) -> None:
    """Count the calls of a function of the package, through whichever module it is called."""
    modules = [
        m for n, m in list(sys.modules.items()) if n.startswith("constraint_sdc") and callable(getattr(m, name, None))
    ]
    count.calls[name] = 0
    if not modules:
        return
    real: Callable[..., Any] = getattr(modules[0], name)

    def counted(*given: Any, **named: Any) -> Any:
        count.calls[name] += 1
        return real(*given, **named)

    for module in modules:
        stack.enter_context(patch.object(module, name, counted))
