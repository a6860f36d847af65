"""Signals that ask the program to stop: they unwind it in order, so that staged files and processes go."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ASKING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Stopped(BaseException):
    """A signal asked the program to stop; the exit code is the one that shells give to a program ended by it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@contextmanager
def orderly_stop() -> Iterator[None]:
    """Raise Stopped in the main thread on the first such signal, as long as the block lasts.

    Later ones do not disturb the unwinding, except that a second Ctrl-C ends the program at once. A signal that is
    ignored from outside, such as SIGHUP under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    owner = os.getpid()

    def stop(number: int, _: FrameType | None) -> None:
        if os.getpid() != owner:  # a fork of this process has nothing to unwind
            os._exit(128 + number)
        for other in taken:
            signal.signal(other, signal.SIG_DFL if other == signal.SIGINT else signal.SIG_IGN)
        raise Stopped(number)

    taken = {number: before for number in _ASKING if (before := signal.getsignal(number)) is not signal.SIG_IGN}
    for number in taken:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, before in taken.items():
            signal.signal(number, before)
