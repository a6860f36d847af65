"""What an interrupted run left: an unfinished set is completed or undone, and staged files are removed."""

from __future__ import annotations

import errno
import logging
import os
import time
from contextlib import suppress
from pathlib import Path

from constraint_sdc.errors import DataError, UsageError
from constraint_sdc.files.publication import disk
from constraint_sdc.files.publication.journal import read_journal
from constraint_sdc.files.publication.lock import NameLock, try_lock
from constraint_sdc.files.publication.names import journal_name, kept_name, lock_name, shown_names, staged_name

_log = logging.getLogger("constraint_sdc.publication")
_PATIENCE = 10.0  # seconds: exchanging the files of a set takes milliseconds
_PAUSE = 0.02
_pause = time.sleep


def settle_publication(path: Path) -> None:
    """Complete or undo the publication of a file, if a run was interrupted in it, before the file is read.

    Nothing happens where nothing was left. A run that is exchanging files at this moment is waited for. DataError if
    the files may be a mix and this process cannot mend it.
    """
    target = _published_target(path)
    if target is None:
        return
    limit = time.monotonic() + _PATIENCE
    while os.path.lexists(journal_name(target)) or os.path.lexists(lock_name(target)):
        is_mixed = os.path.lexists(journal_name(target))
        try:
            lock = try_lock(target)
        except OSError as error:
            if not is_mixed:
                return  # the files are whole; another user may remove what lies beside them
            raise _unfinished(path, error.strerror or str(error)) from error
        if lock is not None:
            _clear(path, lock)
            return
        if not is_mixed:
            return  # a living run that has not begun to exchange files
        if time.monotonic() > limit:
            raise DataError("another run is publishing this file", file=str(path), hint="run again when it has ended")
        _pause(_PAUSE)


def _published_target(path: Path) -> Path | None:
    try:
        target = Path(os.path.realpath(path))
    except ValueError:  # a null character; the reader refuses the path
        return None
    return target if target.name else None


def _clear(path: Path, lock: NameLock) -> None:
    is_done = False
    try:
        _resolve_journal(path, lock.target)
        with suppress(OSError):  # the files are whole, whatever lies beside them
            _sweep_and_tell(lock)
            is_done = True
    except UsageError as error:
        raise DataError(error.what, file=error.file, hint=error.hint) from error
    except OSError as error:
        raise _unfinished(path, error.strerror or str(error)) from error
    finally:
        with suppress(OSError):
            lock.release(is_done)


def clear_interrupted(path: Path, lock: NameLock) -> None:
    """Complete or undo what a run left that had this lock before, and remove what it staged; OSError if that fails."""
    _resolve_journal(path, lock.target)
    _sweep_and_tell(lock)


def _resolve_journal(path: Path, target: Path) -> None:
    journal = read_journal(target)
    if journal is None:
        return
    is_done = journal.resolve()
    state = "is complete now" if is_done else "was undone: the files are those from before it"
    _log.info("%s: a run was interrupted while it published; its publication %s", shown_names([path]), state)
    for exchange in journal.exchanges:
        with suppress(OSError):
            exchange.clear()


def _sweep_and_tell(lock: NameLock) -> None:
    if removed := sweep_noted(lock):
        _log.info("removed what an interrupted run left behind: %s", shown_names(removed))


def sweep_noted(lock: NameLock) -> list[Path]:
    """Remove everything temporary that the notes of a lock name; return the files that were there.

    Directories that were created are removed if they are empty.
    """
    notes = lock.notes()
    if notes is None:
        return []
    removed = [name for noted in (lock.target, *notes.targets) for name in _sweep(noted, notes.token)]
    for noted in notes.targets:
        if os.path.lexists(lock_name(noted)) and (other := try_lock(noted)) is not None:
            other.release()
    for folder in notes.folders:
        _remove_if_empty(folder)
    return removed


def _sweep(target: Path, token: str) -> list[Path]:
    """Remove the temporary files that a run made for a target; return those that were there."""
    names = (staged_name(target, token), kept_name(target, token), staged_name(journal_name(target), token))
    return [name for name in names if disk.remove_if_there(name)]


def _remove_if_empty(folder: Path) -> None:
    try:
        disk.DISK.rmdir(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise


def _unfinished(path: Path, why: str) -> DataError:
    what = f"a run was interrupted while it published this file, and that cannot be mended: {why}"
    return DataError(what, file=str(path), hint="run this command as the owner of the file, with room on the disk")
