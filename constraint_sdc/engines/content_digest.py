"""The SHA-256 of all that the result of a piece depends on: the same in every run, wherever its values live.

A pickle would differ from run to run: in the order of sets, which follows random hashes; in references to values that
happen to be one object; in the places of scratch files. So sets are sorted, every value is written in full, and arrays
count by their bytes.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import pickle
import platform
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from constraint_sdc import __version__
from constraint_sdc.engines.scratch import ArrayHandle
from constraint_sdc.engines.shared_value import SharedValue
from constraint_sdc.named_copies import named

_COMPUTING = ("google-re2", "highspy", "numba", "numpy", "scipy")
"""Packages whose version may change a result."""


def digest_of(name: str, piece: object) -> str:
    """Return the digest of a function by its name and of a piece: also of the program and the machine that run it."""
    about = f"{__version__} {program_digest()} {' '.join(_versions())} {name}\n"
    return hashlib.sha256(about.encode() + content_of(piece)).hexdigest()


def content_of(value: object) -> bytes:
    """Return a digest of a value; equal values have the same.

    >>> content_of(frozenset({"a", "b"})) == content_of(frozenset({"b", "a"}))
    True
    """
    found = _Hashed()
    _ContentPickler(found).dump(value)
    return found.digest.digest()


class _Hashed:
    """A file that keeps nothing but the digest of what is written."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return len(data)


class _ContentPickler(pickle.Pickler):
    def __init__(self, file: _Hashed) -> None:
        super().__init__(file, protocol=5)
        self.fast = True  # without references: what is there twice is written twice

    def persistent_id(self, value: Any) -> Any:
        """Return what stands for a value whose pickle is another in every run."""
        if isinstance(value, str):
            found = named(value)
            return None if found is value else ("text", found)
        if isinstance(value, (set, frozenset)):
            return "set", sorted(content_of(item) for item in value)
        if isinstance(value, ArrayHandle):
            return _array(value.open())
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            return _array(value)
        if isinstance(value, SharedValue):
            return "shared", _content_of_shared(value)
        return ("path", named(str(value))) if isinstance(value, Path) else None


def _array(value: np.ndarray[Any, Any]) -> tuple[str, str, tuple[int, ...], bytes]:
    data = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
    return "array", value.dtype.str, value.shape, hashlib.sha256(data.data).digest()


@lru_cache(4)
def _content_of_shared(value: SharedValue) -> bytes:
    return content_of(value.open())


@cache
def program_digest() -> str:
    """Return the SHA-256 of the source of this package: two versions under one number are two programs."""
    found, top = hashlib.sha256(), Path(__file__).resolve().parents[1]
    for path in sorted(top.rglob("*.py")):
        content = path.read_bytes()
        found.update(f"{path.relative_to(top).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()


@cache
def _versions() -> tuple[str, ...]:
    return (platform.python_version(), platform.machine(), *map(importlib.metadata.version, _COMPUTING))
