"""Waiting for an event instead of for the clock: a busy machine makes a test slow, never red."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 900.0  # seconds after which something hangs, on any machine


def awaited(condition: Callable[[], T], otherwise: str) -> T:
    """Return what the condition gives once it gives something; `otherwise` is said if it never does."""
    limit = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < limit, otherwise
        time.sleep(0.02)
    return found


def hear_signals() -> None:
    """Let a child hear signals that the tests ignore: under nohup, or behind `&`, a child inherits that."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
