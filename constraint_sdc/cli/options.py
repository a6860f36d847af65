"""Options that several commands share, and the small things around them: existing files, progress, output."""

from __future__ import annotations

import logging
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.machine.addresses import InputFile, InputWord, LocalFile
from constraint_sdc.cli.streams import tell
from constraint_sdc.files.atomic import no_overwrite as no_overwrite

# Existence is checked by the readers, whose messages say more than click's and use our exit code.
FILE = InputFile()
WORD = InputWord()
OUT = LocalFile(
    "results are written to a path only",
    "write them here and upload them then: a masked file and its certificate appear together, which no store promises",
)
LOCAL = LocalFile("this is read from a path only", "copy it here, and give its path")


class ExampleCount(click.ParamType[int | None]):
    """A whole number of at least 0, or `all` (which becomes None)."""

    name = "N|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | None:
        """Turn the word into a count."""
        if str(value).lower() == "all":
            return None
        try:
            number = int(value)
        except (TypeError, ValueError):
            number = -1
        if number < 0:
            self.fail(f"{value!r} is neither a number of at least 0 nor `all`", param, ctx)
        return number


class Seconds(click.FloatRange):
    """A time that a clock can wait for: more than 0, at most some months."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True, max=10_000_000)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Turn the word into seconds; `nan` is within every range, as far as comparisons tell."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"{value!r} is not a number of seconds", param, ctx)
        return seconds


def judge_ahead() -> None:
    """Start Saxon's process while the stages of the command are imported; it ends with the command.

    Where they are imported already there is nothing to wait for.
    """
    if "constraint_sdc.judge.judge" not in sys.modules:
        from constraint_sdc.judge.worker.process import started_ahead

        click.get_current_context().with_resource(started_ahead())


def not_empty(_: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Refuse an empty name, which would otherwise pass for an option that was not given."""
    if name is not None and not name.strip():
        raise click.BadParameter("is empty", param=option)
    return name


def names_in(text: str | None, option: str) -> tuple[str, ...] | None:
    """Return the names between the commas, None when the option is not given."""
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise click.UsageError(f"{option} names nothing")
    return names


def variables_in(text: str | None, option: str) -> tuple[str, ...] | None:
    """Return the variables between the commas, each by its name or its header in a table."""
    from constraint_sdc.files.rows_file import element_name

    names = names_in(text, option)
    return None if names is None else tuple(map(element_name, names))


def variable(context: click.Context, option: click.Parameter, name: str | None) -> str | None:
    """Return the variable that is given by its name or its header in a table."""
    from constraint_sdc.files.rows_file import element_name

    given = not_empty(context, option, name)
    return None if given is None else element_name(given)


def directories(_: click.Context, option: click.Parameter, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """Refuse a path that is not a directory: allowing it would allow nothing."""
    for folder in folders:
        if not folder.is_dir():
            raise click.BadParameter(f"{str(folder)!r} is not a directory", param=option)
    return folders


def rule_ids(_: click.Context, option: click.Parameter, ids: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse an id that is empty: it would allow nothing."""
    if any(not name.strip() for name in ids):
        raise click.BadParameter("is empty", param=option)
    return ids


allow = click.option(
    "--allow",
    type=LOCAL,
    multiple=True,
    callback=directories,
    help="Further directory that rules may read from (repeatable).",
)
"""The option that names directories which rules may read from."""


allow_idle = click.option(
    "--allow-idle",
    metavar="RULE",
    multiple=True,
    callback=rule_ids,
    help="Rule that may check nothing in this file (repeatable; all: every rule).",
)
"""The option that names rules which may be idle."""


def deliver(text: str | bytes, output: Path | None) -> None:
    """Print the text, or write it to a file in one step; bytes are for a file alone."""
    content = text if isinstance(text, bytes) else (text.rstrip("\n") + "\n").encode("utf-8")
    if output is None:
        click.echo(content.decode("utf-8").rstrip("\n"))
        return
    from constraint_sdc.files.atomic import atomic_file

    with atomic_file(output, overwrite=True) as stream:
        stream.write(content)


def end_progress() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)


# What the library says through logging while one waits, passed on to the terminal.

_LOGGER = "constraint_sdc"


class _Teller(logging.Handler):
    """Prints every message once, however many threads and blocks say it."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._told:
            self._told.add(message)
            end_progress()
            tell(message)


@contextmanager
def notices() -> Iterator[None]:
    """Print on stderr, as long as the block lasts, what the library notes: kernels to compile, old spellings."""
    logger, teller = logging.getLogger(_LOGGER), _Teller()
    level = logger.level
    logger.addHandler(teller)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(level)
