"""What a run has read: every file's digest, of the bytes that were read first.

A file may be read more than once, by several parts of a run and in several processes. Each reading is hashed, and one
that gives other bytes than the first ends the run: so everything works on the bytes whose digest is certified.
"""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from constraint_sdc.errors import ChangedFileError
from constraint_sdc.files.microdata.source import open_binary, read_up_to
from constraint_sdc.files.tables.document import PresentedFile
from constraint_sdc.files.tables.registry import current_reading, table_format

if TYPE_CHECKING:
    from constraint_sdc.files.tables.table_format import TableFormat

_BLOCK = 1 << 20


class Readings:
    """The digest of each file that was read, under the name by which it was read; several threads may use it."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}
        self._documents: dict[str, None] = {}
        self._lock = threading.Lock()

    def note(self, path: Path, sha256: str) -> None:
        """Remember the digest of a whole file; ChangedFileError if it was read before with another."""
        with self._lock:
            if self._first.setdefault(str(path.absolute()), sha256) != sha256:
                raise ChangedFileError("the file has changed since it was first read", file=str(path), hint="run again")

    def note_document(self, path: Path) -> None:
        """Remember that rules named this file."""
        with self._lock:
            self._documents[str(path.absolute())] = None

    def digest(self, path: Path) -> str | None:
        """Return the digest of a file, None if it was not read to its end."""
        return self._first.get(str(path.absolute()))

    def documents(self, beside: Path) -> dict[str, str]:
        """Return the digests of the documents that rules named, by their path from the directory of a file."""
        folder = beside.resolve().parent
        with self._lock:
            read = [name for name in self._documents if name in self._first]
            return {os.path.relpath(name, folder): self._first[name] for name in sorted(read)}


class SentFile:
    """A file on its way to another process: its size, and its bytes a block at a time, hashed as they go."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream = open_binary(path)
        self._digest = hashlib.sha256()
        status = os.fstat(self._stream.fileno())
        self._content = None if stat.S_ISREG(status.st_mode) else read_up_to(self._stream, 1 << 62, path)
        self._size = status.st_size if self._content is None else len(self._content)

    @property
    def size(self) -> int:
        """Return how many bytes are sent."""
        return self._size

    def blocks(self) -> Iterator[bytes]:
        """Yield exactly as many bytes as the size says; ChangedFileError if the file has others."""
        left = self._size
        while left:
            block = self._next(min(left, _BLOCK))
            if not block:
                break
            left -= len(block)
            self._digest.update(block)
            yield block
        if left or self._next(1):
            raise ChangedFileError("the file changed while it was read", file=str(self._path), hint="run again")

    def _next(self, size: int) -> bytes:
        if self._content is None:
            return read_up_to(self._stream, size, self._path)
        block, self._content = self._content[:size], self._content[size:]
        return block

    @property
    def sha256(self) -> str:
        """Return the digest of the bytes that were sent."""
        return self._digest.hexdigest()

    def __enter__(self) -> SentFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()


class SentTable:
    """A table on its way to another process, as it is presented; how many bytes that are is known at the end."""

    def __init__(self, path: Path, known: TableFormat) -> None:
        self._rows = PresentedFile(known.open(path, current_reading()))

    @property
    def size(self) -> None:
        """Return that nobody knows."""
        return None

    def blocks(self) -> Iterator[bytes]:
        """Yield the presentation."""
        return (block for block in self._rows.blocks() if block)

    @property
    def sha256(self) -> str:
        """Return the digest of the table's own bytes."""
        return self._rows.sha256

    def __enter__(self) -> SentTable:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()


def sent_rows(path: Path) -> SentFile | SentTable:
    """Return a file on its way to a parser of XML; a table is sent as it is presented."""
    known = table_format(path)
    return SentFile(path) if known is None else SentTable(path, known)
