"""Files that appear whole or not at all: staged beside their target, flushed to the disk, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from constraint_sdc.errors import UsageError

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def atomic_file(path: Path, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Give a binary file to write; it takes the name `path` only when the block ends without an exception.

    A crash at any moment leaves the old file or the new one. An existing file is refused unless `overwrite`.
    """
    with atomic_path(path, overwrite) as staged, staged.open("r+b") as file:
        yield file


@contextmanager
def atomic_path(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """Give the path of a staged empty file, for writers that want a name; otherwise as `atomic_file`."""
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
    """Create the staged file with the rights of the file that it replaces, or those of any new file."""
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
    """Link under the final name, which fails if another process took it meanwhile; some file systems have no links."""
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
