"""`--time-limit` and `--memory-limit`: every command has them, and they cover the whole command."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from constraint_sdc.cli.options import Seconds
from constraint_sdc.errors import LimitError
from constraint_sdc.limits import SECONDS, Allowance, within

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Seconds until the alarm rings again, should a block have taken the first for an error of its own. Long enough that
# what the first one interrupted can be undone.
_AGAIN = 30.0


class Size(click.ParamType[int]):
    """A number of bytes: 512M, 4G."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Turn the word into bytes."""
        found = re.fullmatch(r"([1-9][0-9]{0,9})([KMG]?)B?", str(value).upper())
        if found is None:
            self.fail(f"{value!r} is not a size such as 512M or 4G", param, ctx)
        return int(found[1]) * _UNITS[found[2]]


class TimeLimit(Seconds):
    """A number of seconds, or `none`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Turn the word into seconds; without a limit, they are infinitely many."""
        return float("inf") if str(value).lower() == "none" else super().convert(value, param, ctx)


def with_limits(command: click.Command) -> click.Command:
    """Give a command the two options, unless it has them already; of a group, give them to its commands."""
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            with_limits(inner)
    elif not any(option.name == "time_limit" for option in command.params):
        command.params += _options()
    return command


def _options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--time-limit"],
            type=TimeLimit(),
            metavar="SECONDS",
            default=SECONDS,
            show_default=True,
            expose_value=False,
            callback=_limit_time,
            help="Seconds that the whole command may take, or `none`.",
        ),
        click.Option(
            ["--memory-limit"],
            type=Size(),
            expose_value=False,
            callback=_limit_memory,
            help="Memory of each Saxon process, such as 4G. [default: by the size of what it reads]",
        ),
    ]


def _limit_time(ctx: click.Context, _: click.Parameter, seconds: float) -> None:
    _heard(ctx, "seconds", None if seconds == float("inf") else seconds)


def _limit_memory(ctx: click.Context, _: click.Parameter, memory: int | None) -> None:
    _heard(ctx, "memory", memory)


def _heard(ctx: click.Context, name: str, value: float | None) -> None:
    """Start the clock when both options are known; click hears those that are given before those that are not."""
    known: dict[str, Any] = ctx.meta.setdefault("constraint_sdc.limits", {})
    known[name] = value
    if len(known) == 2:
        ctx.with_resource(_clock(Allowance(**known)))


@contextmanager
def _clock(limits: Allowance) -> Iterator[None]:
    """Let a command run within limits; work in Python is interrupted by a signal, work in Saxon by its deadline."""
    if limits.seconds is None or threading.current_thread() is not threading.main_thread():
        with within(limits):
            yield
        return

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise LimitError(
            f"the command took longer than its time limit of {limits.seconds:g} seconds",
            hint="raise --time-limit, or give less work",
        )

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds, _AGAIN)
    try:
        with within(limits):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
