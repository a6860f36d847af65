"""How much memory another process holds, read from outside.

A limit of the address space (RLIMIT_AS) does not work for Saxon: its runtime reserves far more than it uses. So the
process that waits for an answer looks from time to time, and ends the worker when it holds too much.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from constraint_sdc.errors import JudgeError
from constraint_sdc.limits import saxon_memory

LOOK_EVERY = 0.2 if Path("/proc/self/statm").exists() else 2.0
"""Seconds between two looks; elsewhere than on Linux a look starts a process."""


def resident_bytes(process: int) -> int:
    """Return the memory that a process holds; 0 when it has ended.

    >>> resident_bytes(os.getpid()) > 1_000_000
    True
    """
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except FileNotFoundError:
        if Path("/proc/self/statm").exists():
            return 0
    found = subprocess.run(["ps", "-o", "rss=", "-p", str(process)], capture_output=True, text=True, check=False)
    return int(found.stdout.strip() or 0) << 10


def refuse_overweight(process: int, given: int) -> None:
    """Refuse to wait for a Saxon process that holds more than it may, having been given so many bytes."""
    most = saxon_memory(given)
    if resident_bytes(process) > most:
        raise JudgeError(
            f"the Saxon process took more memory than its limit of {most >> 20:,} MB",
            hint="simplify the rule that builds so much, or raise --memory-limit",
        )
