"""The options that say how a table is read, the same for every command that reads microdata."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from constraint_sdc.errors import UsageError
from constraint_sdc.settings.table_reading import TableReading

Command = Callable[..., None]

_NAMES = ("delimiter", "encoding", "empty", "decimal", "sdmx")
_OPTIONS = (
    click.option("--delimiter", help="CSV: what separates cells. [default: found in the header line]"),
    click.option("--encoding", help="CSV: encoding of the text. [default: its byte order mark, else UTF-8]"),
    click.option(
        "--empty",
        type=click.Choice(("absent", "empty")),
        help="CSV: what an empty cell is, no value or a value without text. [default: absent]",
    ),
    click.option("--decimal", type=click.Choice((".", ",")), help="CSV: sign before a fraction. [default: .]"),
    click.option(
        "--sdmx",
        type=click.Choice(("observations", "elements")),
        help="SDMX-ML: rows are observations, or the XML elements as they are. [default: observations]",
    ),
)


def table_options(command: Command) -> Command:
    """Give a command the options, and let it read tables as they say; the recipe says what they do not."""

    @functools.wraps(command)
    def reading(**given: Any) -> None:
        asked = TableReading(**{name: given.pop(name) for name in _NAMES})
        recipe = given.get("recipe")
        if asked == TableReading() and recipe is None:
            _refuse_element(given)
            command(**given)
            return
        from constraint_sdc.files.tables.registry import reading_tables

        with reading_tables(asked), reading_tables(_of_recipe(recipe)):
            _refuse_element(given)
            _refuse_idle(asked, tuple(_paths(given)))
            command(**given)

    for option in reversed(_OPTIONS):
        reading = option(reading)
    return reading


def _refuse_element(given: dict[str, Any]) -> None:
    """Refuse the name of a record element where every file is a table."""
    if not isinstance(given.get("record"), str):  # `explain` counts records
        return
    from constraint_sdc.files.tables.registry import table_format

    files = tuple(_paths({name: given.get(name) for name in ("data", "original", "masked")}))
    known = [table_format(path) for path in files]
    if files and all(known):
        hint = "a table has no elements: its rows are Record in rules"
        if known[0] is not None and known[0].name == "sdmx-ml":
            hint = "observations are Record in rules; `--sdmx elements` reads the XML elements of the message instead"
        raise UsageError("--record has no meaning here", file=str(files[0]), hint=hint)


def _of_recipe(recipe: Path | None) -> TableReading:
    """What the recipe says of tables; one that is not there is the command's to refuse, with its own words."""
    if recipe is None or not recipe.exists():
        return TableReading()
    from constraint_sdc.files.recipe import read_recipe

    return read_recipe(recipe).table


def _paths(given: dict[str, Any]) -> Iterator[Path]:
    for value in given.values():
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, Path):
                yield one
            elif isinstance(one, str) and "." in one:  # `explain` takes words
                yield Path(one)


def _refuse_idle(asked: TableReading, paths: tuple[Path, ...]) -> None:
    """Refuse an option that no file heeds."""
    from constraint_sdc.files.tables.registry import options_of

    heeded = frozenset[str]().union(*map(options_of, paths))
    for name in asked.to_json():
        if name not in heeded:
            about = "messages of SDMX-ML" if name == "sdmx" else "CSV and TSV files"
            raise UsageError(f"--{name} has nothing to act on", hint=f"it is about {about}; leave it out")
