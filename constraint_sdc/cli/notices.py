"""What the library says through logging while one waits, passed on to the terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from constraint_sdc.cli.options import end_progress

_LOGGER = "constraint_sdc.partition"


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
            click.echo(message, err=True)


@contextmanager
def notices() -> Iterator[None]:
    """Print on stderr, as long as the block lasts, that a kernel must be compiled first."""
    logger, teller = logging.getLogger(_LOGGER), _Teller()
    level = logger.level
    logger.addHandler(teller)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(teller)
        logger.setLevel(level)
