"""Files that accompany a publication: written whole before it, and taken back if it fails."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from constraint_sdc.errors import UsageError
from constraint_sdc.write.atomic import atomic_file

Publish: TypeAlias = Callable[[Mapping[Path, bytes]], None]


@contextmanager
def side_files(overwrite: bool) -> Iterator[Publish]:
    """Give a function that writes files; if the block ends with an exception, all is again as it was before.

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
            with suppress(OSError):  # what cannot be taken back must not hide why it should be
                step()
        raise


def require_place(path: Path, overwrite: bool) -> None:
    """Refuse a file that could not be written, before anything is computed for it."""
    if path.is_dir():
        raise UsageError("a directory cannot be this file", file=str(path), hint="name a file in it")
    if path.exists() and not path.is_file():
        raise UsageError("not a regular file, and is left as it is", file=str(path), hint="choose another name")
    if path.exists() and not overwrite:
        raise UsageError("the file exists already", file=str(path), hint="give another name, or --overwrite")
    if not path.parent.is_dir():
        raise UsageError("the directory does not exist", file=str(path), hint=f"create {path.parent} first")
    _require_writable(path.parent)


def require_folder(folder: Path) -> None:
    """Refuse a directory that could neither be written into nor created."""
    if folder.exists() and not folder.is_dir():
        raise UsageError("is a file, and charts need a directory", file=str(folder), hint="choose another name")
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
    """Return what puts a file back as it is now: away, or with its old content."""
    old = path.read_bytes() if path.is_file() else None
    is_foreign = old is None and path.exists()  # a pipe or a device: none of ours to take away

    def restore() -> None:
        if is_foreign:
            return
        if old is None:
            path.unlink(missing_ok=True)
        elif path.read_bytes() != old:
            with atomic_file(path, overwrite=True) as stream:
                stream.write(old)

    return restore
