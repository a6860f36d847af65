"""Every operation on files that publishing consists of, in one object that tests replace.

A test can so count the operations of a run, let one of them fail, or end the process before or after it.
"""

from __future__ import annotations

import errno
import fcntl
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FULL_FSYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)  # macOS: fsync alone leaves data in the drive's cache


class Disk:
    """The operations, as the operating system has them; all raise OSError."""

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """Open or create a file; the descriptor is not inherited by other programs."""
        return os.open(path, flags, mode)

    def write(self, descriptor: int, data: Buffer) -> int:
        """Write at most all of the data, and return how many bytes were."""
        return os.write(descriptor, data)

    def fsync(self, descriptor: int) -> None:
        """Wait until the file, or the directory, is on the disk."""
        if _FULL_FSYNC is not None:
            with suppress(OSError):  # not every file system has it
                fcntl.fcntl(descriptor, _FULL_FSYNC)
                return
        os.fsync(descriptor)

    def truncate(self, descriptor: int) -> None:
        """Remove all content."""
        os.ftruncate(descriptor, 0)

    def lock(self, descriptor: int) -> None:
        """Lock the file for this process, until it is closed or the process ends; BlockingIOError if another has it."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def chmod(self, descriptor: int, mode: int) -> None:
        """Set the permissions of an open file."""
        os.fchmod(descriptor, mode)

    def rename(self, source: Path, target: Path) -> None:
        """Give the file another name, which is replaced if it exists."""
        source.rename(target)

    def link(self, source: Path, target: Path) -> None:
        """Give the file a further name, which must not exist."""
        target.hardlink_to(source)

    def unlink(self, path: Path) -> None:
        """Remove the name."""
        path.unlink()

    def mkdir(self, path: Path) -> None:
        """Create a directory."""
        path.mkdir()

    def rmdir(self, path: Path) -> None:
        """Remove an empty directory."""
        path.rmdir()


DISK = Disk()

# What several steps are made of.

_NO_FSYNC_OF_FOLDERS = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)
_NO_PERMISSIONS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def flush_folder(folder: Path) -> None:
    """Wait until the names in a directory are on the disk, where the file system can wait for that."""
    try:
        descriptor = DISK.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:  # a directory may be writable without being readable
        return
    try:
        DISK.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FSYNC_OF_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def set_mode(descriptor: int, mode: int) -> None:
    """Set the permissions of an open file, where the file system has permissions."""
    try:
        DISK.chmod(descriptor, mode)
    except OSError as error:
        if error.errno not in _NO_PERMISSIONS:
            raise


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of the content, in as many steps as it takes."""
    rest = memoryview(content)
    while rest:
        rest = rest[DISK.write(descriptor, rest) :]


def remove_if_there(path: Path) -> bool:
    """Remove the name, if it is there; tell whether it was."""
    try:
        DISK.unlink(path)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


class _DiskStream(io.RawIOBase):
    """A file to write whose every write is an operation of the disk; its errors name the file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        with _naming(path):
            self._descriptor = DISK.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Buffer, /) -> int:
        with _naming(self._path):
            return DISK.write(self._descriptor, data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
            super().close()


def open_to_write(path: Path) -> BinaryIO:
    """Open a file to be written from its start, in large blocks."""
    return io.BufferedWriter(_DiskStream(path), 1 << 16)
