"""Results of finished pieces on disk, so that a run that was stopped goes on where it was.

A result is found by the SHA-256 of all that it was computed from (`content_digest.py`). A file whose own digest does
not fit is ignored, and its piece runs again.

Whoever can write into the directory, which is its owner alone, can write a result together with its digest. So no
verdict is taken from here: what a stored result led to is written, read back, judged and counted as in any run.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from constraint_sdc.engines.content_digest import digest_of
from constraint_sdc.engines.engine import Engine, Piece, Result
from constraint_sdc.engines.parcel import packed_bytes, unpacked
from constraint_sdc.engines.task import name_of
from constraint_sdc.errors import UsageError

_FOLDER = "constraint-sdc-resume"
_UNFINISHED = "unfinished-"
_DIGEST = 32  # bytes


class PieceJournal:
    """The results that earlier runs left in a directory, and those of this run."""

    def __init__(self, inside: Path) -> None:
        self._folder = inside / _FOLDER
        self._folder.mkdir(mode=0o700, exist_ok=True)
        found = self._folder.lstat()
        if found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise UsageError(
                "the results of an earlier run could have been changed by others",
                file=str(self._folder),
                hint="remove the directory, or name another one with --scratch",
            )
        self._used: set[str] = set()
        self._remove_unfinished()

    def mapped(
        self, engine: Engine, function: Callable[[Piece], Result], pieces: Iterable[Piece], *, work: float
    ) -> Iterator[Result]:
        """Yield what `engine.map` yields; pieces with a result on disk do not run."""
        name = name_of(function)
        order: deque[tuple[str, bool]] = deque()

        def unfinished() -> Iterator[Piece]:
            for piece in pieces:
                key = digest_of(name, piece)
                is_known = self._body(key) is not None
                order.append((key, is_known))
                self._used.add(key)
                if not is_known:
                    yield piece

        for result in engine.map(function, unfinished(), work=work):
            while order[0][1]:
                yield self._known(order.popleft()[0])
            self._keep(order.popleft()[0], result)
            yield result
        while order:
            yield self._known(order.popleft()[0])

    def forget(self) -> None:
        """Remove the results that this run has used: it is finished."""
        for key in self._used:
            (self._folder / key).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # those of other runs stay
            self._folder.rmdir()

    def _body(self, key: str) -> bytes | None:
        """Return the packed result of a key, None if there is none or if its bytes are not those that were written."""
        try:
            content = (self._folder / key).read_bytes()
        except FileNotFoundError:
            return None
        digest, body = content[:_DIGEST], content[_DIGEST:]
        return body if hashlib.sha256(body).digest() == digest else None

    def _known(self, key: str) -> Any:
        body = self._body(key)
        if body is None:
            raise UsageError(
                "the results of an earlier run changed while they were used", file=str(self._folder), hint="run again"
            )
        return unpacked(body)

    def _keep(self, key: str, result: object) -> None:
        body = packed_bytes(result)
        unfinished = self._folder / f"{_UNFINISHED}{os.getpid()}"
        try:
            unfinished.write_bytes(hashlib.sha256(body).digest() + body)
            unfinished.replace(self._folder / key)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise

    def _remove_unfinished(self) -> None:
        """Remove what runs were writing when they were killed."""
        for path in self._folder.glob(f"{_UNFINISHED}*"):
            if not _is_alive(path.name.removeprefix(_UNFINISHED)):
                path.unlink(missing_ok=True)


def _is_alive(process: str) -> bool:
    """Tell whether a process of this number runs, of whomever."""
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True
