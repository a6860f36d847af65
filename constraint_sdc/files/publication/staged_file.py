"""A file under a temporary name beside its target: private, locked by its writer, removed if it is not published."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from pathlib import Path

from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.names import (
    already_there,
    cannot_write,
    mode_of_new,
    new_token,
    staged_name,
    staged_names,
)

_BLOCK = 1 << 20
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class StagedFile:
    """An empty file that only its owner can read; `path` is for the code that writes it.

    The lock, which lasts as long as the writer lives, tells a file that is being written from one left behind.
    """

    def __init__(self, shown: Path, target: Path, token: str | None = None) -> None:
        self.shown = shown
        self.target = target
        self.has_taken_name = False
        try:
            self.mode = mode_of_new(target)
            self.path, self._descriptor = _create(target, token or new_token())
        except OSError as error:
            raise cannot_write(shown, error) from error

    def flush(self) -> None:
        """Wait until the content is on the disk."""
        disk.DISK.fsync(self._descriptor)

    def sha256(self) -> str:
        """Return the digest of the content; FileNotFoundError if the name no longer stands for this file."""
        if not os.path.samestat(os.fstat(self._descriptor), self.path.stat()):
            raise FileNotFoundError(2, "the staged file was replaced", str(self.path))
        return digest_of(self._descriptor)

    def replace_target(self) -> None:
        """Take the name of the target from its old content, then the permissions of a published file."""
        disk.DISK.rename(self.path, self.target)
        self.has_taken_name = True
        disk.set_mode(self._descriptor, self.mode)

    def take_free_name(self) -> None:
        """Take the name of the target, which must be free.

        A hard link fails if the name has been taken meanwhile. Without hard links a file that appears between the test
        and the rename is replaced.
        """
        try:
            disk.DISK.link(self.path, self.target)
        except FileExistsError:
            raise already_there(self.shown) from None
        except OSError as error:
            if error.errno not in disk.NO_HARD_LINKS:
                raise
            if os.path.lexists(self.target):
                raise already_there(self.shown) from None
            disk.DISK.rename(self.path, self.target)
        else:
            self._drop_staged_name()
        self.has_taken_name = True
        disk.set_mode(self._descriptor, self.mode)

    def _drop_staged_name(self) -> None:
        try:
            disk.DISK.unlink(self.path)
        except OSError:
            disk.remove_if_there(self.target)
            raise

    def close(self) -> None:
        """Give up the lock; the file stays."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def discard(self) -> None:
        """Remove the file unless it has taken its target's name, and give up the lock."""
        try:
            if not self.has_taken_name:
                disk.remove_if_there(self.path)
        finally:
            self.close()


def _create(target: Path, token: str) -> tuple[Path, int]:
    path = staged_name(target, token)
    descriptor = disk.DISK.open(path, _CREATE)
    with suppress(OSError):  # without locks nobody can prove that the file was left behind, and it is not swept
        disk.DISK.lock(descriptor)
    return path, descriptor


def sweep_staged(target: Path) -> list[Path]:
    """Remove the staged files of a target that no living process writes; return them."""
    return [path for path in staged_names(target) if _remove_abandoned(path)]


def _remove_abandoned(path: Path) -> bool:
    try:
        descriptor = disk.DISK.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
            return False
        disk.DISK.lock(descriptor)
        disk.DISK.unlink(path)
    except OSError:  # locked by its writer, or not ours to remove
        return False
    finally:
        os.close(descriptor)
    return True


def digest_of(descriptor: int) -> str:
    """Return the SHA-256 of an open file's content."""
    digest, at = hashlib.sha256(), 0
    while block := os.pread(descriptor, _BLOCK, at):
        digest.update(block)
        at += len(block)
    return digest.hexdigest()


def content_digest(path: Path) -> str | None:
    """Return the SHA-256 of a regular file, None if there is something else or nothing under the name."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        return digest_of(descriptor) if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
    finally:
        os.close(descriptor)
