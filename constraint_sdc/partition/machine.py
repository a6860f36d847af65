"""What a machine has, and from which size of file on it is worth compiling for it."""

from __future__ import annotations

import os

COMPILED_ABOVE = 5_000
"""Records; up to here NumPy answers before a compiler would."""


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
