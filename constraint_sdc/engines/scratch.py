"""Arrays that live on disk: a private directory of memory-mapped files, removed when the work is done.

What is mapped does not count as memory that a run needs: the system writes it out and reads it again as it likes. Room
on the disk is reserved when an array is made, so a full disk is an error here and not a signal in the middle of work.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import shutil
import stat
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import FileIO
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import AnyArray, AnyIntegers
from constraint_sdc.errors import LimitError

MAPPED_ABOVE = 1 << 18
"""Bytes of an array from which it lives on disk: smaller ones stay in memory."""
_AT_A_TIME = 1 << 17  # rows that are gathered together
_PREFIX = "constraint-sdc-scratch-"
_OWNER = "owner"
_SUFFIX = ".array"


@dataclass(frozen=True, slots=True)
class ArrayHandle:
    """An array in a file: what a worker needs to map it, in place of its bytes."""

    path: Path
    dtype: str
    shape: tuple[int, ...]
    offset: int

    def open(self) -> AnyArray:
        """Return the array, mapped for reading."""
        if not prod(self.shape):
            return np.empty(self.shape, np.dtype(self.dtype))
        return np.asarray(np.memmap(self.path, np.dtype(self.dtype), "r", self.offset, self.shape))


def array_in_place(path: str, dtype: str, shape: tuple[int, ...], offset: int) -> AnyArray:
    """Return an array of a scratch file as a worker gets it: what the worker changes stays with the worker.

    ValueError for a file that is not in a scratch directory.
    """
    return np.asarray(np.memmap(_scratch_file(path), np.dtype(dtype), "c", offset, shape))


def read_stored(path: str | Path) -> bytes:
    """Return the bytes of a scratch file; ValueError for a file that is not in a scratch directory."""
    return _scratch_file(path).read_bytes()


def _scratch_file(path: str | Path) -> Path:
    place = Path(path)
    if not place.parent.name.startswith(_PREFIX) or place.suffix != _SUFFIX:
        raise ValueError(f"{str(path)!r} is not a scratch file")
    return place


SharedArray: TypeAlias = ArrayHandle | AnyArray
"""An array as a piece of work carries it: where it is, or itself if it is small."""


def opened(array: SharedArray) -> AnyArray:
    """Return the array of a piece.

    >>> opened(np.arange(3)).tolist()
    [0, 1, 2]
    """
    return array.open() if isinstance(array, ArrayHandle) else array


class StoredArray:
    """An array of one dimension that is written to a file from its beginning to its end, then mapped."""

    def __init__(self, path: Path, dtype: np.dtype[Any]) -> None:
        self._path = path
        self._dtype = dtype

    def write(self, parts: Sequence[AnyArray]) -> None:
        """Write values behind those that are there; LimitError if the disk is full."""
        with _full_disk(self._path), self._path.open("ab") as file:
            for part in parts:
                file.write(part.data)

    def mapped(self) -> AnyArray:
        """Return the array as it was written."""
        return np.asarray(np.memmap(self._path, self._dtype, "r+"))


@contextlib.contextmanager
def _full_disk(path: Path) -> Iterator[None]:
    """Say what to do when there is no room for a scratch file, and remove it."""
    try:
        yield
    except OSError as problem:
        path.unlink(missing_ok=True)
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise LimitError(
            f"no room for more scratch files: {problem.strerror}",
            file=str(path.parent.parent),
            hint="name a directory on a larger disk with --scratch",
        ) from None


class Scratch:
    """A private directory for the arrays of one run; it is made when the first of them is large.

    `inside` is the directory in which it is made, that of the system for temporary files by default. What a run left
    behind that was killed is removed by the next one there. Without `uses_disk` all arrays stay in memory.
    """

    def __init__(self, inside: Path | None = None, *, uses_disk: bool = True) -> None:
        self._uses_disk = uses_disk
        self._inside = Path(tempfile.gettempdir()) if inside is None else inside
        self._folder: Path | None = None
        self._removal: weakref.finalize[..., Scratch] | None = None
        self._count = 0
        self._lock = threading.Lock()

    def empty(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> AnyArray:
        """Return an array without values: in memory if it is small, else in a file of its own, filled with zeros."""
        sizes = (shape,) if isinstance(shape, int) else shape
        size = prod(sizes) * np.dtype(dtype).itemsize
        if not self._is_large(size):
            return np.empty(sizes, dtype)
        path = self._new_file(size)
        return np.asarray(np.memmap(path, np.dtype(dtype), "r+", shape=sizes))

    def kept(self, array: AnyArray) -> AnyArray:
        """Return the same values in an array of the scratch directory, or the array itself if it is small or there.

        The disk space is given back when nobody has the array any more.
        """
        if not self._is_large(array.nbytes) or handle_of(array) is not None:
            return array
        return _going_with_its_file(self._copied(array))

    def own(self, shape: int | tuple[int, ...], dtype: npt.DTypeLike) -> AnyArray:
        """Return an array without values, as `empty` does, whose file goes with it."""
        return _going_with_its_file(self.empty(shape, dtype))

    def taken(self, array: AnyArray, rows: AnyIntegers) -> AnyArray:
        """Return `array[rows]`, gathered a part at a time if it is large."""
        shape = (len(rows), *array.shape[1:])
        if not self._is_large(prod(shape) * array.dtype.itemsize):
            return np.asarray(array[rows])
        found = self.own(shape, array.dtype)
        for start in range(0, len(rows), _AT_A_TIME):
            some = slice(start, start + _AT_A_TIME)
            found[some] = array[rows[some]]
        return found

    def _copied(self, array: AnyArray) -> AnyArray:
        """Return a copy in a file of its own; written as a whole, because to write to a mapped page costs more."""
        values = np.ascontiguousarray(array)
        path = self._new_file(values.nbytes)
        with path.open("r+b", buffering=0) as file:
            _write_all(file, values.data.cast("B"))
        return np.asarray(np.memmap(path, values.dtype, "r+", shape=values.shape))

    def _is_large(self, size: int) -> bool:
        return self._uses_disk and size >= MAPPED_ABOVE

    def share(self, array: AnyArray) -> SharedArray:
        """Return the array as a piece carries it; a large one that is not in a file yet is written to one."""
        if not self._is_large(array.nbytes):
            return array
        return handle_of(array) or _required(handle_of(self._copied(np.ascontiguousarray(array))))

    def stored(self, data: bytes) -> Path:
        """Return a new file that holds some bytes."""
        path = self._new_file(len(data))
        path.write_bytes(data)
        return path

    def stored_array(self, dtype: np.dtype[Any]) -> StoredArray:
        """Return an array to be written part by part."""
        return StoredArray(self._new_file(0), dtype)

    def release(self, array: AnyArray) -> None:
        """Give the disk space of an array back before the work is done; the array must not be used again."""
        handle = handle_of(array)
        if handle is not None and handle.path.parent == self._folder:
            handle.path.unlink(missing_ok=True)

    def require(self, size: int) -> None:
        """Refuse work whose arrays take so many bytes, if the disk has less: before anything is written."""
        free = shutil.disk_usage(self._inside).free
        if size > free:
            raise LimitError(
                f"the scratch files need about {size >> 20:,} MB, {free >> 20:,} MB are free",
                file=str(self._inside),
                hint="name a directory on a larger disk with --scratch",
            )

    def close(self) -> None:
        """Remove the directory; arrays that are still mapped stay readable."""
        with self._lock:
            self._folder = None
            if self._removal is not None:
                self._removal()

    def _new_file(self, size: int) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = self._new_folder()
            self._count += 1
            path = self._folder / f"{self._count}{_SUFFIX}"
        number = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        try:
            if size:
                with _full_disk(path):
                    _reserve(number, size)
        finally:
            os.close(number)
        return path

    def _new_folder(self) -> Path:
        folder, owner = _owned_folder(self._inside)
        self._removal = weakref.finalize(self, _remove, folder, owner)  # when the process ends, at the latest
        return folder


def _owned_folder(inside: Path) -> tuple[Path, int]:
    """Return a new directory that only its owner may enter, and the open file whose lock says that it is in use."""
    remove_abandoned(inside)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=inside))
    owner = os.open(folder / _OWNER, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    fcntl.flock(owner, fcntl.LOCK_EX)
    return folder, owner


@contextlib.contextmanager
def private_directory(inside: Path | None = None) -> Iterator[Path]:
    """Yield an empty directory for files that are nobody else's business; it is removed with the block.

    `inside` is the directory in which it is made, that of the system for temporary files by default. What a killed run
    left behind there is removed by the next one.
    """
    folder, owner = _owned_folder(Path(tempfile.gettempdir()) if inside is None else inside)
    files = folder / "files"
    try:
        files.mkdir(0o700)
        yield files.resolve()
    finally:
        _remove(folder, owner)


def _remove(folder: Path, owner: int) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    os.close(owner)


def _write_all(file: FileIO, data: memoryview) -> None:
    while data:
        data = data[file.write(data) :]


def _reserve(number: int, size: int) -> None:
    """Give a file its blocks, so that writing to the mapped file cannot fail."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(number, 0, size)
    else:
        os.ftruncate(number, size)


def remove_abandoned(inside: Path) -> None:
    """Remove scratch directories of this user whose process has ended: it holds a lock as long as it lives."""
    for folder in inside.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            owner = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(owner)


def _going_with_its_file(array: AnyArray) -> AnyArray:
    """Return the array; its file, if it has one, is removed when nobody has the array any more."""
    handle = handle_of(array)
    if handle is not None:
        weakref.finalize(_mapped_owner(array), handle.path.unlink, missing_ok=True).atexit = False
    return array


def _mapped_owner(array: AnyArray) -> Any:
    """Return the mapped array whose memory an array uses, None if it uses no file."""
    found: Any = array
    while found is not None and not isinstance(found, np.memmap):
        found = found.base if isinstance(found, np.ndarray) else None
    return found


def handle_of(array: AnyArray) -> ArrayHandle | None:
    """Return the handle of an array whose values stand one after another in a mapped file, None for any other."""
    found = _mapped_owner(array)
    if found is None or not array.flags.c_contiguous or not isinstance(getattr(found, "_mmap", None), mmap.mmap):
        return None
    if found.filename is None:
        return None
    inside = array.__array_interface__["data"][0] - found.__array_interface__["data"][0]
    return ArrayHandle(Path(found.filename), array.dtype.str, array.shape, found.offset + inside)


def _required(handle: ArrayHandle | None) -> ArrayHandle:
    assert handle is not None
    return handle
