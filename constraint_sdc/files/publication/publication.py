"""Publish a set of files: all of them take their names, or none does."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from constraint_sdc.errors import JudgeError, UsageError
from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.journal import Exchange, PublicationJournal
from constraint_sdc.files.publication.lock import NameLock, lock_to_publish
from constraint_sdc.files.publication.names import (
    cannot_write,
    folders_of,
    kept_name,
    new_token,
    real_target,
    require_replaceable,
    shown_names,
)
from constraint_sdc.files.publication.recovery import clear_interrupted, sweep_noted
from constraint_sdc.files.publication.staged_file import StagedFile

_log = logging.getLogger("constraint_sdc.publication")
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_COPY = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_BLOCK = 1 << 20


class Publication:
    """Files that appear together. The first path names the set and is locked until the block ends.

        with Publication(masked, certificate) as publication:
            staged = publication.stage(masked)  # write it, judge it
            publication.add(certificate, content)
            publication.publish()

    `paths` are refused at once if they cannot be written, or exist without `overwrite`. What is not published is
    removed. After a crash at any moment, `settle_publication` or the next publication brings one whole set back.
    """

    def __init__(self, *paths: Path, overwrite: bool = False) -> None:
        self._paths = paths
        self._overwrite = overwrite
        self._token = new_token()
        self._first = real_target(paths[0])
        self._locks: list[NameLock] = []
        self._members: list[StagedFile] = []
        self._kept: dict[Path, Path] = {}
        self._folders: list[Path] = []
        self._journal: PublicationJournal | None = None
        self._is_published = False

    def __enter__(self) -> Publication:
        require_replaceable(self._paths[0], self._first, overwrite=True)
        self._locks.append(lock_to_publish(self._paths[0], self._first))
        try:
            with _writing(self._paths[0], "cannot write, or cannot remove what an interrupted run left"):
                clear_interrupted(self._paths[0], self._locks[0])
                self._locks[0].begin_notes(self._token)
            for path in self._paths:
                require_replaceable(path, real_target(path), self._overwrite)
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_published and error is not None:
            _log.info("%s was published before this happened", shown_names(self._paths[:1]))
        self._release()
        staged = {str(member.path): member for member in self._members}
        if isinstance(error, OSError) and (error.errno in _DISK_FULL or error.filename in staged):
            member = staged.get(str(error.filename))
            raise cannot_write(member.shown if member else self._paths[0], error) from error

    def stage(self, path: Path) -> Path:
        """Return an empty private file, whose content the target gets when the set is published.

        A directory that does not exist is created, if its parent exists.
        """
        with _writing(path):
            folder = Path(os.path.realpath(path.parent))
            if not folder.exists():
                self._locks[0].note("folder", folder)
                disk.DISK.mkdir(folder)
                self._folders.append(folder)
            target = real_target(path)
            require_replaceable(path, target, self._overwrite)
            if target != self._first:
                self._locks[0].note("target", target)
                self._locks.append(lock_to_publish(path, target))
            member = StagedFile(path, target, self._token)
        self._members.append(member)
        return member.path

    def add(self, path: Path, content: bytes) -> None:
        """Stage a file with this content."""
        staged = self.stage(path)
        with _writing(path), disk.open_to_write(staged) as stream:
            stream.write(content)

    def publish(self, digests: Mapping[Path, str] | None = None) -> None:
        """Give every staged file its name; on an error all targets are what they were.

        `digests` has the SHA-256 of files, by path, that must be the published ones: those of the content that was
        judged. The file that was staged first, the masked one, takes its name last.
        """
        try:
            with _writing(self._paths[0]):
                self._journal = PublicationJournal(self._first, self._token, tuple(self._exchanges(digests or {})))
                self._journal.begin()
                for member in reversed(self._members):
                    member.replace_target() if member.target in self._kept else member.take_free_name()
                self._journal.flush_folders()
                self._journal.end()
        except BaseException:
            self._go_back()
            raise
        self._is_published = True
        try:
            disk.flush_folder(self._first.parent)
        except OSError as error:
            _log.warning("%s is published, but the disk reports: %s", shown_names(self._paths[:1]), error.strerror)

    def _exchanges(self, digests: Mapping[Path, str]) -> Iterator[Exchange]:
        """Put the new content on the disk and keep the old one under another name."""
        ready = []
        for member in reversed(self._members):
            with _writing(member.shown):
                member.flush()
                digest = member.sha256()
                if digest != digests.get(member.shown, digest):
                    what = "the masked file changed after it was judged, and is not published"
                    raise JudgeError(what, file=str(member.shown), hint="run again; nothing else may write to it")
                require_replaceable(member.shown, member.target, self._overwrite)
                if member.target.exists():
                    self._kept[member.target] = kept_name(member.target, self._token)
                    _keep(member.target, self._kept[member.target])
                kept = self._kept.get(member.target)
                ready.append(Exchange(member.target, member.path, kept, digest, member.mode))
        for folder in folders_of((*self._folders, *(member.target for member in self._members))):
            disk.flush_folder(folder)
        yield from ready

    def _go_back(self) -> None:
        """Bring the old files back, unless the set is published: an interruption may come just after that."""
        journal = self._journal
        if journal is None or not os.path.lexists(journal.path):
            self._is_published = bool(self._members) and all(member.has_taken_name for member in self._members)
            return
        try:
            journal.undo()
        except OSError as error:
            what = f"cannot write: {error.strerror or error}; some files are new already, and others are not"
            hint = "the next command on this file completes or undoes the publication"
            raise UsageError(what, file=str(self._paths[0]), hint=hint) from error

    def _release(self) -> None:
        """Remove what is temporary and give up the locks; what an unfinished exchange needs stays for the next run."""
        is_clean = False
        try:
            for member in self._members:
                member.close()
            for lock in self._locks[1:]:
                lock.release(is_done=False)
            if self._journal is None or not os.path.lexists(self._journal.path):
                sweep_noted(self._locks[0])
                is_clean = True
        except OSError as error:
            _log.warning("a temporary file is left for the next run to remove: %s", error)
        finally:
            with suppress(OSError):
                self._locks[0].release(is_clean)


def _keep(target: Path, kept: Path) -> None:
    """Give the old content a second name; where there are no hard links, copy it."""
    try:
        disk.DISK.link(target, kept)
    except OSError as error:
        if error.errno not in disk.NO_HARD_LINKS:
            raise
        _copy(target, kept)


def _copy(target: Path, kept: Path) -> None:
    descriptor = disk.DISK.open(kept, _COPY)
    try:
        with target.open("rb") as stream:
            while block := stream.read(_BLOCK):
                disk.write_all(descriptor, block)
        disk.set_mode(descriptor, stat.S_IMODE(target.stat().st_mode) & 0o777)
        disk.DISK.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _writing(path: Path, what: str = "cannot write") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error, what) from error
