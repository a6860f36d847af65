"""The names of a publication: where a target really is, and the hidden names beside it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from constraint_sdc.errors import UsageError

_PREFIX = ".constraint-sdc"
_TEMPORARY = re.compile(rf"{re.escape(_PREFIX)}\.[0-9a-f]{{12}}\.(staged|kept)\.(.+)", re.DOTALL)
_STREAMS = re.compile(r"/dev/(stdin|stdout|stderr|fd/.*)|/proc/.*")


def new_token() -> str:
    """Return what tells the temporary names of one run from those of another."""
    return os.urandom(6).hex()


def staged_name(target: Path, token: str) -> Path:
    """Return the name under which the new content of a target is written."""
    return target.with_name(f"{_PREFIX}.{token}.staged.{target.name}")


def kept_name(target: Path, token: str) -> Path:
    """Return the name under which the old content of a target is kept until the new one is published."""
    return target.with_name(f"{_PREFIX}.{token}.kept.{target.name}")


def lock_name(target: Path) -> Path:
    """Return the file that a run locks while it may publish the target."""
    return target.with_name(f"{_PREFIX}.lock.{target.name}")


def journal_name(target: Path) -> Path:
    """Return the file that exists while the files of a set are being exchanged."""
    return target.with_name(f"{_PREFIX}.journal.{target.name}")


def is_temporary(path: Path, target: Path, kind: str) -> bool:
    """Tell whether a name is one that `staged_name` or `kept_name` gives for this target."""
    found = _TEMPORARY.fullmatch(path.name)
    return found is not None and found.groups() == (kind, target.name) and path.parent == target.parent


def staged_names(target: Path) -> list[Path]:
    """Return the staged files of a target, whichever run made them."""
    try:
        names = os.listdir(target.parent)  # noqa: PTH208  (iterdir would make a path of every name)
    except OSError:  # a directory may be writable without being readable
        return []
    paths = (target.with_name(name) for name in sorted(names) if name.startswith(f"{_PREFIX}."))
    return [path for path in paths if is_temporary(path, target, "staged")]


def real_target(path: Path) -> Path:
    """Return where the file really is or will be: a link stays, and what it leads to is replaced."""
    if _STREAMS.fullmatch(os.path.abspath(path)):  # noqa: PTH100  (resolve would follow the link)
        raise _not_a_file(path)
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise UsageError("a symbolic link that leads to itself", file=str(path), hint="choose another name")
    return target


def require_replaceable(path: Path, target: Path, overwrite: bool) -> None:
    """Refuse a target that exists, unless it may be overwritten, and one that cannot be a file."""
    try:
        mode = target.stat().st_mode
    except OSError:
        if not target.parent.is_dir():
            hint = f"create {target.parent} first"
            raise UsageError("the directory does not exist", file=str(path), hint=hint) from None
        return
    if stat.S_ISDIR(mode):
        raise UsageError("is a directory, not a file", file=str(path), hint="name a file in it")
    if not stat.S_ISREG(mode):
        raise _not_a_file(path)
    if not overwrite:
        raise already_there(path)


def _not_a_file(path: Path) -> UsageError:
    what = "not a regular file: it cannot be replaced in one step"
    return UsageError(what, file=str(path), hint="name a file, and copy it from there")


def already_there(path: Path) -> UsageError:
    """Return the refusal to replace a file."""
    return UsageError("the file exists already", file=str(path), hint="give another name, or --overwrite")


def cannot_write(path: Path, error: OSError, what: str = "cannot write") -> UsageError:
    """Return the error of an operation that failed."""
    return UsageError(f"{what}: {error.strerror or error}", file=str(path))


def mode_of_new(target: Path) -> int:
    """Return the permissions that a published file gets: those of the file that it replaces, or of any new file."""
    try:
        return stat.S_IMODE(target.stat().st_mode) & 0o777
    except FileNotFoundError:
        # The mask can only be read by setting it; meanwhile another thread could create a file that is too private.
        mask = os.umask(0o077)
        os.umask(mask)
        return 0o666 & ~mask


def folders_of(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the directory of each path once."""
    yield from dict.fromkeys(path.parent for path in paths)


def shown_names(paths: Iterable[Path]) -> str:
    """Return names for a note; characters that could control a terminal are replaced."""
    names = dict.fromkeys(path.name for path in paths)
    return ", ".join("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name) for name in names)
