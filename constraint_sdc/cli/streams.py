"""The three standard streams: open whatever the caller closed, and print what is safe for a terminal and a CI log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from constraint_sdc.errors import visible


def open_missing_streams() -> None:
    """Open the null device in place of every standard stream that the caller closed.

    A file that is opened while descriptor 0, 1 or 2 is free takes that number: a pipe to Saxon, or the masked file
    itself, would then be a standard stream.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def tell(*lines: str) -> None:
    """Print lines on standard error; a line is never broken by what it quotes, and a full disk does not matter."""
    with suppress(OSError):
        click.echo("\n".join(visible(line) for line in lines), err=True)


@contextmanager
def already_published(output: Path) -> Iterator[None]:
    """Report a published file; if the report cannot be written, say so: the exit code stays that of a publication."""
    try:
        yield
        sys.stdout.flush()
    except OSError as problem:
        silence_stdout()
        tell(f"constraint-sdc: {output} is published, but its report cannot be written: {problem.strerror or problem}")


def silence_stdout() -> None:
    """Let standard output go nowhere, so that Python does not fail again when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
