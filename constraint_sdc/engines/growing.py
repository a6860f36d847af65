"""An array whose length is not known before its last value: in memory while it is small, then in a scratch file."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import AnyArray
from constraint_sdc.engines import scratch as limits
from constraint_sdc.engines.scratch import Scratch, StoredArray

_AT_A_TIME = 1 << 18  # bytes that wait until they are written to the file


class GrowingArray:
    """Takes values part by part; `finished` returns all of them in one array."""

    def __init__(self, scratch: Scratch, dtype: npt.DTypeLike) -> None:
        self._scratch = scratch
        self._dtype = np.dtype(dtype)
        self._waiting: list[AnyArray] = []
        self._waiting_bytes = 0
        self._stored: StoredArray | None = None

    def append(self, values: AnyArray) -> None:
        """Add values at the end."""
        self._waiting.append(np.ascontiguousarray(values, self._dtype))
        self._waiting_bytes += self._waiting[-1].nbytes
        if self._waiting_bytes >= (limits.MAPPED_ABOVE if self._stored is None else _AT_A_TIME):
            self._write()

    def _write(self) -> None:
        if self._stored is None:
            self._stored = self._scratch.stored_array(self._dtype)
        self._stored.write(self._waiting)
        self._waiting, self._waiting_bytes = [], 0

    def finished(self) -> AnyArray:
        """Return the array; nothing can be added afterwards."""
        if self._stored is None:
            return np.concatenate([np.zeros(0, self._dtype), *self._waiting])
        self._write()
        return self._stored.mapped()
