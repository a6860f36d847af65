"""The journal of a set of files: it exists while they are exchanged, and says how to go back.

As long as there is a journal, the files may be a mix of old and new. Its removal is the moment of publication.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.names import (
    folders_of,
    is_temporary,
    journal_name,
    staged_name,
)
from constraint_sdc.files.publication.staged_file import content_digest

_FORMAT = "constraint-sdc/publication 1"
_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class Exchange:
    """One file of the set: its target, both temporary names, the digest of the new content, and its permissions.

    `kept` is None if there was no file before.
    """

    target: Path
    staged: Path
    kept: Path | None
    sha256: str
    mode: int

    def is_done(self) -> bool:
        """Tell whether the target has its new content."""
        return content_digest(self.target) == self.sha256

    def finish(self) -> None:
        """Give the target its permissions, after its staged name, if that is left, was removed: it is the same file."""
        disk.remove_if_there(self.staged)
        with suppress(FileNotFoundError):
            descriptor = os.open(self.target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                if stat.S_IMODE(os.fstat(descriptor).st_mode) != self.mode:
                    disk.set_mode(descriptor, self.mode)
            finally:
                os.close(descriptor)

    def undo(self) -> None:
        """Bring the old state back; repeating it changes nothing. A file that somebody else put there stays."""
        is_there, is_done = os.path.lexists(self.target), self.is_done()
        if self.kept is None:
            if is_done:
                disk.DISK.unlink(self.target)
        elif os.path.lexists(self.kept) and (is_done or not is_there) and not self._is_as_it_was(self.kept):
            disk.DISK.rename(self.kept, self.target)

    def _is_as_it_was(self, kept: Path) -> bool:
        """Tell whether both names stand for one file; renaming one to the other would then do nothing."""
        return os.path.lexists(self.target) and kept.samefile(self.target)

    def clear(self) -> None:
        """Remove the temporary names."""
        disk.remove_if_there(self.staged)
        if self.kept is not None:
            disk.remove_if_there(self.kept)


@dataclass(frozen=True, slots=True)
class PublicationJournal:
    """The exchanges of a set, in the order in which they are made; `first` names the set."""

    first: Path
    token: str
    exchanges: tuple[Exchange, ...]

    @property
    def path(self) -> Path:
        """Return where the journal is: beside the first target."""
        return journal_name(self.first)

    def begin(self) -> None:
        """Put the journal on the disk, in one step."""
        written = staged_name(self.path, self.token)
        descriptor = disk.DISK.open(written, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
        try:
            disk.write_all(descriptor, self._to_json(os.fstat(descriptor).st_ino).encode("ascii"))
            disk.DISK.fsync(descriptor)
            disk.DISK.rename(written, self.path)
        except BaseException:
            with suppress(OSError):
                disk.remove_if_there(written)
            raise
        finally:
            os.close(descriptor)
        disk.flush_folder(self.path.parent)

    def end(self) -> None:
        """Remove the journal: from here on the set is what it is."""
        try:
            disk.DISK.unlink(self.path)
        except OSError:
            if os.path.lexists(self.path):  # some network file systems remove a name and report an error
                raise

    def undo(self) -> None:
        """Bring the old files back and remove the journal."""
        for exchange in reversed(self.exchanges):
            exchange.undo()
        self._settle()

    def resolve(self) -> bool:
        """Complete the set if every file has its new content, else bring the old files back; tell which it was."""
        is_done = all(exchange.is_done() for exchange in self.exchanges)
        if is_done:
            for exchange in self.exchanges:
                exchange.finish()
            self._settle()
        else:
            self.undo()
        return is_done

    def _settle(self) -> None:
        self.flush_folders()
        self.end()
        disk.flush_folder(self.path.parent)

    def flush_folders(self) -> None:
        """Wait until all names are on the disk."""
        for folder in folders_of(exchange.target for exchange in self.exchanges):
            if folder.is_dir():
                disk.flush_folder(folder)

    def _to_json(self, inode: int) -> str:
        folder = self.path.parent
        exchanges = [
            {
                "target": os.path.relpath(exchange.target, folder),
                "staged": exchange.staged.name,
                "kept": None if exchange.kept is None else exchange.kept.name,
                "sha256": exchange.sha256,
                "mode": exchange.mode,
            }
            for exchange in self.exchanges
        ]
        content = {"format": _FORMAT, "inode": inode, "token": self.token, "exchanges": exchanges}
        return json.dumps(content, indent=1) + "\n"


def read_journal(first: Path) -> PublicationJournal | None:
    """Return the journal of a set, None if there is none.

    It says which files to rename and remove, so it must have been written here, by this user: it names its own inode,
    which a copy, an archive or a prepared file does not have, and its names have the form that this program gives.
    """
    path = journal_name(first)
    try:
        content, inode = _own_content(path)
        found = json.loads(content)
        if found["format"] != _FORMAT or found["inode"] != inode:
            raise _unusable(path, "it was not written here by this version of the program")
        exchanges = tuple(_exchange(entry, path) for entry in found["exchanges"])
        return PublicationJournal(first, str(found["token"]), exchanges)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, f"it cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise _unusable(path, "its content is damaged") from error


def _own_content(path: Path) -> tuple[bytes, int]:
    """Return the content and the inode of a private file of this user."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid() or state.st_mode & 0o077:
            raise _unusable(path, "it is not a private file of this user")
        return os.pread(descriptor, _MOST_BYTES, 0), state.st_ino
    finally:
        os.close(descriptor)


def _exchange(entry: Mapping[str, Any], path: Path) -> Exchange:
    target = Path(os.path.normpath(path.parent / entry["target"]))
    staged = target.with_name(entry["staged"])
    kept = None if entry["kept"] is None else target.with_name(entry["kept"])
    if not is_temporary(staged, target, "staged") or not (kept is None or is_temporary(kept, target, "kept")):
        raise ValueError("a temporary name has another form")
    return Exchange(target, staged, kept, str(entry["sha256"]), int(entry["mode"]) & 0o777)


def _unusable(path: Path, why: str) -> UsageError:
    what = f"the publication is unfinished, and its journal cannot be followed: {why}"
    hint = "compare the file with its certificate, publish it again under another name, or remove the journal"
    return UsageError(what, file=str(path), hint=hint)
