"""Give memory that nothing uses back to the system: the C library and Arrow keep it for later otherwise.

A run of a large file has stages that need hundreds of megabytes for a moment. Beside them run workers and Saxon, so
what a stage has freed must not stay with its process. Nothing depends on whether a system can do it.
"""

from __future__ import annotations

import gc
import sys
import time
from functools import cache
from typing import Any

_OBJECTS = 400_000  # more than a command makes before it works: to look through those that it loads finds nothing
_WORTH = 1.0  # CPU seconds of work after which there may be something to give back


def collect_rarely() -> None:
    """Look for cycles of objects less often: a process makes few, and each look walks through all that is loaded."""
    gc.set_threshold(max(gc.get_threshold()[0], _OBJECTS), 20, 50)


def give_back() -> None:
    """Return freed memory to the system, where the C library has a call for it."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = _trim()
    if trim is not None:
        trim(0)


class _Freed:
    """When this process gave memory back last, in CPU seconds of its life."""

    at = 0.0


def give_back_after_work() -> None:
    """Return freed memory if this process has worked for more than a second since the last time."""
    if time.process_time() - _Freed.at > _WORTH:
        give_back()
        _Freed.at = time.process_time()


@cache
def _trim() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    return getattr(ctypes.CDLL(None), "malloc_trim", None)
