"""A file that appears whole or not at all: staged beside its target, flushed to the disk, then renamed.

Several files that belong together are published by `files/publication`.
"""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from constraint_sdc.errors import UsageError
from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.disk import flush_folder, open_to_write
from constraint_sdc.files.publication.names import (
    cannot_write,
    folders_of,
    real_target,
    require_replaceable,
    shown_names,
)
from constraint_sdc.files.publication.publication import Publication
from constraint_sdc.files.publication.staged_file import StagedFile, sweep_staged

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_log = logging.getLogger("constraint_sdc.publication")


@contextmanager
def atomic_file(path: Path, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Yield a binary file to write; it takes the name `path` only when the block ends without an exception.

    A crash at any moment leaves the old file or the new one. An existing file is refused unless `overwrite`.
    """
    with atomic_path(path, overwrite) as staged, open_to_write(staged) as file:
        yield file


@contextmanager
def atomic_path(path: Path, overwrite: bool = False) -> Iterator[Path]:
    """Yield the path of an empty staged file, for writers that need a path; otherwise like `atomic_file`."""
    target = real_target(path)
    require_replaceable(path, target, overwrite)
    if left := sweep_staged(target):
        _log.info("removed what an interrupted run left behind: %s", shown_names(left))
    staged = StagedFile(path, target)
    try:
        yield staged.path
        _publish(staged, overwrite)
    except OSError as error:
        if error.errno in _DISK_FULL or error.filename == str(staged.path):
            raise cannot_write(path, error) from error
        raise
    finally:
        staged.discard()


def _publish(staged: StagedFile, overwrite: bool) -> None:
    try:
        staged.flush()
        if overwrite:
            staged.replace_target()
        else:
            staged.take_free_name()
        flush_folder(staged.target.parent)
    except OSError as error:
        raise cannot_write(staged.shown, error) from error


def publish_files(files: Mapping[Path, bytes], overwrite: bool = False) -> None:
    """Write all files, or none. A directory that does not exist is created, if its parent exists."""
    if not files:
        return
    made = [folder for folder in folders_of(files) if not folder.exists()]
    try:
        for folder in made:
            disk.DISK.mkdir(folder)
        with Publication(*files, overwrite=overwrite) as publication:
            for path, content in files.items():
                publication.add(path, content)
            publication.publish()
    except BaseException as error:
        for folder in made:
            with suppress(OSError):  # it may hold something by now
                disk.DISK.rmdir(folder)
        if isinstance(error, OSError):
            raise cannot_write(next(iter(files)), error) from error
        raise


def no_overwrite(inputs: Iterable[Path | None], output: Path | None) -> None:
    """Refuse an output that is one of the inputs."""
    if output is None:
        return
    for path in inputs:
        if path is not None and path.exists() and output.exists() and path.samefile(output):
            raise UsageError("the output would overwrite an input", file=str(output), hint="choose another file name")


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
