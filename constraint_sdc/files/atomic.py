"""Files that appear whole or not at all: staged beside their target, flushed to the disk, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

from constraint_sdc.errors import UsageError

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def atomic_file(path: Path, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Yield a binary file to write; it takes the name `path` only when the block ends without an exception.

    A crash at any moment leaves the old file or the new one. An existing file is refused unless `overwrite`.
    """
    with atomic_path(path, overwrite) as staged, staged.open("r+b") as file:
        yield file


@contextmanager
def atomic_path(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield the path of an empty staged file, for writers that need a path; otherwise like `atomic_file`."""
    target = Path(os.path.realpath(path))
    _refuse_impossible(path, target, overwrite)
    staged = _stage(path, target)
    try:
        yield staged
        _publish(path, staged, target, overwrite)
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise _cannot_write(path, error) from error
        raise
    finally:
        staged.unlink(missing_ok=True)


def _refuse_impossible(path: Path, target: Path, overwrite: bool) -> None:
    if target.exists():
        if not target.is_file():
            raise UsageError("not a regular file: it cannot be replaced in one step", file=str(path))
        if not overwrite:
            raise _already_there(path)
    elif not target.parent.is_dir():
        raise UsageError("the directory does not exist", file=str(path), hint=f"create {target.parent} first")


def _stage(path: Path, target: Path) -> Path:
    """Create the staged file with the permissions of the file that it replaces, or of any new file."""
    staged = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    try:
        staged.touch(exist_ok=False)
        if target.exists():
            staged.chmod(stat.S_IMODE(target.stat().st_mode))
    except OSError as error:
        raise _cannot_write(path, error) from error
    return staged


def _publish(path: Path, staged: Path, target: Path, overwrite: bool) -> None:
    try:
        _flush(staged, os.O_RDWR)
        if overwrite:
            staged.replace(target)
        else:
            _rename_without_replacing(path, staged, target)
        _flush(target.parent, os.O_RDONLY)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _rename_without_replacing(path: Path, staged: Path, target: Path) -> None:
    """Hard-link the final name, which fails if another process has created it; some file systems have no hard links."""
    try:
        target.hardlink_to(staged)
    except FileExistsError as error:
        raise _already_there(path) from error
    except OSError:
        if target.exists():
            raise _already_there(path) from None
        staged.replace(target)


def _flush(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _already_there(path: Path) -> UsageError:
    return UsageError("the file exists already", file=str(path), hint="give another name, or --overwrite")


def _cannot_write(path: Path, error: OSError) -> UsageError:
    return UsageError(f"cannot write: {error.strerror or error}", file=str(path))


def no_overwrite(inputs: Iterable[Path | None], output: Path | None) -> None:
    """Refuse an output that is one of the inputs."""
    if output is None:
        return
    for path in inputs:
        if path is not None and path.exists() and output.exists() and path.samefile(output):
            raise UsageError("the output would overwrite an input", file=str(output), hint="choose another file name")


# Files that accompany a publication: written completely before it, and removed or restored if it fails.

Publish: TypeAlias = Callable[[Mapping[Path, bytes]], None]


@contextmanager
def side_files(overwrite: bool) -> Iterator[Publish]:
    """Yield a function that writes files; if the block ends with an exception, all files are restored.

    A directory that does not exist is created, if its parent exists.
    """
    undo: list[Callable[[], None]] = []

    def publish(files: Mapping[Path, bytes]) -> None:
        for path, content in files.items():
            if not path.parent.exists():
                _make_folder(path.parent)
                undo.append(path.parent.rmdir)
            undo.append(_restoring(path))
            with atomic_file(path, overwrite) as stream:
                stream.write(content)

    try:
        yield publish
    except BaseException:
        for step in reversed(undo):
            with suppress(OSError):  # a failed restore must not hide the original error
                step()
        raise


def require_place(path: Path, overwrite: bool) -> None:
    """Refuse a path that cannot be written, before anything is computed for it."""
    if path.is_dir():
        raise UsageError("is a directory, not a file", file=str(path), hint="name a file in it")
    if path.exists() and not path.is_file():
        raise UsageError("not a regular file, so it is not replaced", file=str(path), hint="choose another name")
    if path.exists() and not overwrite:
        raise UsageError("the file exists already", file=str(path), hint="give another name, or --overwrite")
    if not path.parent.is_dir():
        raise UsageError("the directory does not exist", file=str(path), hint=f"create {path.parent} first")
    _require_writable(path.parent)


def require_folder(folder: Path) -> None:
    """Refuse a directory that could neither be written into nor created."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file, but charts need a directory", file=str(folder), hint="choose another name")
    if not folder.exists() and not folder.parent.is_dir():
        raise UsageError("the directory cannot be created", file=str(folder), hint=f"create {folder.parent} first")
    _require_writable(folder if folder.exists() else folder.parent)


def _require_writable(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("cannot write: no permission", file=str(folder))


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir()
    except OSError as error:
        raise UsageError(f"cannot create the directory: {error.strerror}", file=str(folder)) from error


def _restoring(path: Path) -> Callable[[], None]:
    """Return a function that restores the file's present state: absent, or its present content."""
    old = path.read_bytes() if path.is_file() else None
    is_foreign = old is None and path.exists()  # a pipe or a device, which is never removed

    def restore() -> None:
        if is_foreign:
            return
        if old is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != old:
            with atomic_file(path, overwrite=True) as stream:
                stream.write(old)

    return restore
