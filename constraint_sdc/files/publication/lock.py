"""A lock on the name of a target: at most one run publishes to it, and the lock ends with the process that has it."""

from __future__ import annotations

import errno
import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal as OneOf

from constraint_sdc.errors import UsageError
from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.names import cannot_write, lock_name

_NO_LOCKS = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL)
_OPEN = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class RunNotes:
    """What a run has staged: the token in its temporary names, its targets, and directories that it created."""

    token: str
    targets: tuple[Path, ...]
    folders: tuple[Path, ...]


class NameLock:
    """The lock of one target. Its file holds the notes of the run, so that the next run finds all that it staged."""

    def __init__(self, target: Path, descriptor: int) -> None:
        self.target = target
        self._descriptor = descriptor

    def begin_notes(self, token: str) -> None:
        """Replace the notes of an earlier run.

        The inode tells these notes from a copy of them, or from a file that somebody prepared.
        """
        disk.DISK.truncate(self._descriptor)
        self._write([os.fstat(self._descriptor).st_ino, token])

    def note(self, kind: OneOf["target", "folder"], path: Path) -> None:
        """Write down a target, or a directory that will be created, before anything is created for it."""
        self._write([kind, os.path.relpath(path, self.target.parent)])

    def _write(self, value: object) -> None:
        disk.write_all(self._descriptor, (json.dumps(value) + "\n").encode("ascii"))

    def notes(self) -> RunNotes | None:
        """Return the notes of the run that had the lock before; None if it staged nothing."""
        lines = os.pread(self._descriptor, _MOST_BYTES, 0).split(b"\n")[:-1]  # the last line may be cut off
        try:
            (inode, token), *noted = map(json.loads, lines)
            if inode != os.fstat(self._descriptor).st_ino or not bytes.fromhex(token):
                return None
            paths = [(kind, Path(os.path.normpath(self.target.parent / name))) for kind, name in noted]
        except (ValueError, TypeError):
            return None
        targets, folders = (tuple(path for kind, path in paths if kind == one) for one in ("target", "folder"))
        return RunNotes(token, targets, folders)

    def release(self, is_done: bool = True) -> None:
        """Give up the lock; its file is removed, while nobody else can have it, unless something is left to be done."""
        try:
            if is_done:
                disk.remove_if_there(lock_name(self.target))
        finally:
            os.close(self._descriptor)


def try_lock(target: Path) -> NameLock | None:
    """Lock the name of a target; None if another run has it. OSError if it cannot be locked."""
    path = lock_name(target)
    while True:
        descriptor = disk.DISK.open(path, _OPEN)
        try:
            _refuse_foreign(descriptor)
            disk.DISK.lock(descriptor)
            # Whoever had the lock may have removed its file meanwhile; then another file has the name, or none.
            if path.exists() and os.path.samestat(os.fstat(descriptor), path.stat()):
                return NameLock(target, descriptor)
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError) and error.errno in _NO_LOCKS:
                disk.remove_if_there(path)  # nobody can have locked it
            raise
        os.close(descriptor)


def lock_to_publish(shown: Path, target: Path) -> NameLock:
    """Lock the name of a target, or say why that cannot be."""
    try:
        lock = try_lock(target)
    except OSError as error:
        raise _no_lock(shown, target, error) from error
    if lock is None:
        what = "another run publishes to this name at this moment"
        raise UsageError(what, file=str(shown), hint="wait until it has ended, or give another name")
    return lock


def _no_lock(shown: Path, target: Path, error: OSError) -> UsageError:
    if error.errno in _NO_LOCKS:
        what = "the file system cannot lock files, so two runs could mix their results"
        return UsageError(what, file=str(shown), hint="publish to a local directory and copy all files from there")
    if isinstance(error, PermissionError) and os.path.lexists(lock_name(target)):
        what = "another user publishes to this name, or a run of another user was interrupted"
        hint = f"give another name, or let its owner remove {lock_name(target).name}"
        return UsageError(what, file=str(shown), hint=hint)
    return cannot_write(shown, error)


def _refuse_foreign(descriptor: int) -> None:
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
        raise PermissionError(errno.EACCES, "the lock is not a file of this user")
