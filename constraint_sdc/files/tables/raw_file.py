"""The bytes of a table, hashed as they are read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO

from constraint_sdc.errors import ChangedFileError, DataError

BLOCK = 1 << 20


def open_binary(path: Path) -> BinaryIO:
    """Open the file for reading, or raise an error with the reason."""
    try:
        return path.open("rb", buffering=0)
    except FileNotFoundError:
        raise DataError("no such file", file=str(path), hint="check the path") from None
    except IsADirectoryError:
        raise DataError("is a directory, not a file", file=str(path), hint="name one microdata file") from None
    except PermissionError:
        raise DataError("permission denied", file=str(path), hint="check the read permission of the file") from None
    except OSError as error:
        raise DataError(f"cannot be opened: {error.strerror}", file=str(path)) from None
    except ValueError as error:
        raise DataError(f"cannot be opened: {error}", file=str(path)) from None


class HashedFile:
    """A file that is read once, from its first byte to its last; the digest covers what was read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream = open_binary(path)
        self._digest = hashlib.sha256()
        self._size = os.fstat(self._stream.fileno()).st_size  # 0 for a pipe
        self._read = 0
        self._is_at_end = False

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes, fewer than `size` only at the end."""
        parts: list[bytes] = []
        try:
            while size > 0 and (part := self._stream.read(size)):
                parts.append(part)
                size -= len(part)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", file=str(self._path)) from None
        data = b"".join(parts)
        self._is_at_end |= size > 0
        self._digest.update(data)
        self._read += len(data)
        return data

    @property
    def share(self) -> float | None:
        """Return what share of the file was read; None if its size is not known."""
        return min(1.0, self._read / self._size) if self._size else None

    @property
    def sha256(self) -> str:
        """Return the digest of the whole file: what is left is read for it, unless the file is closed."""
        while not self._is_at_end:
            self.read()
        return self._digest.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def changed_file(path: Path) -> ChangedFileError:
    """Return the error of a file whose bytes were not the same from the first byte to the last."""
    return ChangedFileError("the file changed while it was read", file=str(path), hint="run again")


class SteadyFile:
    """A file with random access: hashed when it is opened and again at the end, through the same open file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.stream = open_binary(path)
        if not self.stream.seekable():
            self.stream.close()
            raise DataError("is a pipe: this format is not read from its beginning to its end", file=str(path))
        self._first = self._hash()

    def _hash(self) -> str:
        try:
            self.stream.seek(0)
            digest = hashlib.sha256()
            while block := self.stream.read(BLOCK):
                digest.update(block)
            self.stream.seek(0)
        except OSError as error:
            raise DataError(f"cannot be read: {error.strerror}", file=str(self._path)) from None
        return digest.hexdigest()

    def confirmed(self) -> str:
        """Return the digest; ChangedFileError if the bytes are not those that were there at the beginning."""
        if self._hash() != self._first:
            raise changed_file(self._path)
        return self._first

    def close(self) -> None:
        """Close the file."""
        self.stream.close()
