"""The protocol of a file elsewhere: its length, which is known before, and its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from constraint_sdc.errors import ConstraintSdcError, DataError
from constraint_sdc.files.addresses.address import Address

BLOCK = 1 << 20
"""Bytes that are read at a time."""


class FileSource(Protocol):
    """An open file elsewhere; `size` is how many bytes it has."""

    size: int

    def blocks(self) -> Iterator[bytes]:
        """Yield the bytes; there may come fewer than `size`, which the caller counts."""
        ...

    def finish(self) -> None:
        """Raise DataError if the file was replaced while it was read."""
        ...


def unreachable(address: Address, why: str) -> DataError:
    """Return the error of a file that cannot be fetched."""
    return DataError(f"cannot be fetched: {why}", file=address.shown, hint="check the address and your access to it")


def reason_of(address: Address, problem: Exception) -> str:
    """Return what a library says of a failure; only its kind if the address holds a secret that it might quote."""
    if isinstance(problem, FileNotFoundError):
        return "there is no such file"
    if isinstance(problem, PermissionError):
        return "access is denied"
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    text = "" if address.has_secret else " ".join(str(problem).split())[:200]
    return f"{type(problem).__name__}: {text}" if text else type(problem).__name__


@contextmanager
def told(address: Address) -> Iterator[None]:
    """Turn every error of a library into ours; each package has its own kinds."""
    try:
        yield
    except ConstraintSdcError:
        raise
    except Exception as problem:
        raise unreachable(address, reason_of(address, problem)) from None
