"""One line on a terminal that says what the command is doing; nothing where the output is piped."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click

from constraint_sdc.stages import StageProgress, listening

_EVERY = 0.2  # seconds between two lines of the same stage


@contextmanager
def shown_stages() -> Iterator[None]:
    """Rewrite a line on stderr, as long as the block lasts, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    with listening(_StageLine().show):
        yield


class _StageLine:
    """The line, and when it was last rewritten."""

    def __init__(self) -> None:
        self._name = ""
        self._shown = 0.0

    def show(self, now: StageProgress) -> None:
        """Rewrite the line, at most five times a second; a new stage is shown at once."""
        moment = time.monotonic()
        if now.name != self._name or moment - self._shown >= _EVERY:
            self._name, self._shown = now.name, moment
            click.echo(f"\r\033[K{stage_line(now)}", nl=False, err=True)


def stage_line(now: StageProgress) -> str:
    """Return what is said of a stage.

    >>> stage_line(StageProgress("reading", 1_200_000, share=0.4, seconds=60.0))
    'reading: 1,200,000 records, 40 %, 2 min left'
    >>> stage_line(StageProgress("planning"))
    'planning ...'
    """
    parts = [f"{now.records:,} records"] if now.records else []
    parts += [f"{now.share:.0%}".replace("%", " %")] if now.share is not None and now.records else []
    left = now.seconds_left
    parts += [f"{_duration(left)} left"] if left is not None else []
    return f"{now.name}: {', '.join(parts)}" if parts else f"{now.name} ..."


def _duration(seconds: float) -> str:
    """Return a time in the unit in which it is a small number.

    >>> _duration(7.2), _duration(100), _duration(9000)
    ('7 s', '2 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
