"""Fetch what addresses name, each once, into private files that end with the command.

A copy is complete or not there: bytes arrive under another name, and are counted. Everything after that reads the copy
as any file of this machine, with the digest of the bytes that it reads.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from constraint_sdc.engines.scratch import private_directory
from constraint_sdc.errors import DataError, LimitError
from constraint_sdc.files.addresses.address import Address
from constraint_sdc.files.addresses.source import FileSource, told
from constraint_sdc.files.addresses.stored import stored_file
from constraint_sdc.files.addresses.web import web_file
from constraint_sdc.named_copies import remember_copy
from constraint_sdc.stages import advance, stage

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LARGER_DISK = "name a directory on a larger disk with --scratch, or for a command without it with TMPDIR"


@contextmanager
def fetched(addresses: Iterable[Address], inside: Path | None) -> Iterator[Mapping[str, Path]]:
    """Yield the copy of every address, by its URL; they are removed with the block, and named by their addresses.

    `inside` is where the private directory is made, the system's place for temporary files by default.
    """
    wanted = {one.url: one for one in addresses}
    with private_directory(inside) as folder:
        found: dict[str, Path] = {}
        for number, one in enumerate(wanted.values(), 1):
            place = folder / str(number)
            place.mkdir(0o700)
            found[one.url] = fetch(one, place)
            remember_copy(place, one.shown)
        yield found


def fetch(address: Address, place: Path) -> Path:
    """Return the whole file of an address, in a directory."""
    part = place / ".part"
    with stage("fetching"):
        try:
            with (web_file if address.protocol in ("http", "https") else stored_file)(address) as source:
                _require_room(address, source.size, place)
                _copy(address, source, part)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    return part.rename(place / address.name)


def _require_room(address: Address, size: int, place: Path) -> None:
    free = shutil.disk_usage(place).free
    if size > free:
        what = f"a private copy needs {size >> 20:,} MB, {free >> 20:,} MB are free"
        raise LimitError(what, file=address.shown, hint=_LARGER_DISK)


def _copy(address: Address, source: FileSource, part: Path) -> None:
    """Write the bytes of a file as they come; DataError unless they are as many as were announced."""
    count, blocks = 0, source.blocks()
    with _no_room(address), part.open("xb") as file:
        while block := _next(address, blocks):
            count += len(block)
            if count > source.size:
                break
            file.write(block)
            advance(0, count / source.size)
    if count != source.size:
        much = "more" if count > source.size else f"{count:,}"
        what = f"cannot be fetched: {source.size:,} bytes were announced, {much} came"
        raise DataError(what, file=address.shown, hint="run again")
    with told(address):
        source.finish()


def _next(address: Address, blocks: Iterator[bytes]) -> bytes:
    """Return what comes next, b"" at the end; a connection that breaks is an error of the address, not of the disk."""
    with told(address):
        return next(blocks, b"")


@contextmanager
def _no_room(address: Address) -> Iterator[None]:
    """Say what to do when the disk is full before the copy is complete."""
    try:
        yield
    except OSError as problem:
        if problem.errno not in _DISK_FULL:
            raise
        what = f"no room for a private copy: {problem.strerror}"
        raise LimitError(what, file=address.shown, hint=_LARGER_DISK) from None
