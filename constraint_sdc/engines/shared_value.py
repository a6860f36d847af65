"""A value that all pieces of a map have in common: sent with each piece if it is small, else left in a scratch file.

Workers map the file, so that its arrays are in memory once, however many workers use them.
"""

from __future__ import annotations

import mmap
import uuid
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from constraint_sdc.engines.parcel import packed_for_mapping, unpacked_in_place
from constraint_sdc.engines.running import scratch

_SENT_UP_TO = 1 << 16
_KEPT = 4  # values that a worker remembers


@dataclass(frozen=True, slots=True)
class SharedValue:
    """A packed value, or the file that holds it; `token` is another for every value."""

    token: str
    parcel: bytes | Path

    def open(self) -> Any:
        """Return the value, whose arrays cannot be written to; a worker unpacks it once."""
        return _opened(self)


def share_value(value: object) -> SharedValue:
    """Return a value as pieces carry it. The caller holds the value until they are done: its scratch files go with it.

    >>> share_value({"k": 5}).open()
    {'k': 5}
    """
    parcel = packed_for_mapping(value)
    is_small = len(parcel) <= _SENT_UP_TO
    return SharedValue(uuid.uuid4().hex, parcel if is_small else scratch().stored(parcel))


@lru_cache(_KEPT)
def _opened(shared: SharedValue) -> Any:
    if not isinstance(shared.parcel, Path):
        return unpacked_in_place(memoryview(shared.parcel))
    with shared.parcel.open("rb") as file:
        return unpacked_in_place(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))
