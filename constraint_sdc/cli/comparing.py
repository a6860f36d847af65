"""The options that `assess` and the attacks share: two files, and what an intruder knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc import limits
from constraint_sdc.cli.options import FILE, LOCAL, allow, allow_idle, not_empty, variable, variables_in
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.measures.assessment import AssessOptions

Command = Callable[..., None]

_OPTIONS = (
    click.option("--rules", "-r", type=FILE, help="File with the edit rules of both files."),
    click.option("--recipe", type=FILE, help="YAML file: roles, key, subdomains, regressions (see docs/recipe.md)."),
    click.option("--certificate", type=LOCAL, help="Certificate of MASKED. [default: the one beside it]"),
    click.option("--known", help="Variables that an intruder knows, separated by commas. [default: all published]"),
    click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default)."),
    click.option("--phase", help="Phase of the schema to obey (an id, #ALL or #DEFAULT)."),
    allow,
    allow_idle,
    click.option("--show-values", is_flag=True, help="Also show results that reveal single records."),
)


def seed_option(command: Command) -> Command:
    """Give a command the seed of what it samples."""
    seed = click.IntRange(min=0)
    return click.option("--seed", type=seed, default=0, show_default=True, help="Seed of what is sampled.")(command)


def known_at_most_option(command: Command) -> Command:
    """Give a command the bound on what an intruder knows at a time."""
    words = "Also a SCORE whose linkage is averaged over intruders who know 1 to this many of the known variables."
    return click.option("--known-at-most", type=click.IntRange(min=1), help=words)(command)


_NUMBERS = re.compile(r"([0-9]{1,18})(?:\.\.([0-9]{1,18}))?")


class RecordNumbers(click.ParamType[tuple[int, ...]]):
    """Record numbers and ranges of them in their order, repeated or not: 3,1,10..20,0."""

    name = "N,N..N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Turn the words into numbers."""
        if isinstance(value, tuple):
            return value
        found: list[int] = []
        for part in map(str.strip, str(value).split(",")):
            written = _NUMBERS.fullmatch(part)
            if written is None or int(written[2] or written[1]) < int(written[1]):
                self.fail(f"{part[:40]!r} is neither a record number nor a range such as 1..99", param, ctx)
            numbers = range(int(written[1]), int(written[2] or written[1]) + 1)
            if len(found) + len(numbers) > limits.RECORD_NUMBERS:
                self.fail(f"more than {limits.RECORD_NUMBERS:,} record numbers; use --truth-key", param, ctx)
            found.extend(numbers)
        return tuple(found)


_INTRUDER = (
    click.option("--intruder", type=FILE, help="An intruder's own file: some records, some variables."),
    click.option("--truth-key", callback=variable, help="Variable of ORIGINAL and --intruder that says who is who."),
    click.option("--truth-rows", type=RecordNumbers(), help="Or: the number in ORIGINAL of each record, 0 for none."),
)


def intruder_options(command: Command) -> Command:
    """Give a command the options that name an intruder's file and what is true about it."""
    for option in reversed(_INTRUDER):
        command = option(command)
    return command


def release_option(command: Command) -> Command:
    """Give a command the option that names a second release."""
    words = "Another release of ORIGINAL, which an intruder lays over MASKED (attack differencing)."
    return click.option("--release", type=FILE, help=words)(command)


def comparing_options(command: Command) -> Command:
    """Give a command the options that say what is compared, and how."""
    command = table_options(command)
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def gather_comparison(given: dict[str, Any], *, attacks: tuple[str, ...] | None = None) -> AssessOptions:
    """Return the options; what belongs to rules is refused without them."""
    from constraint_sdc.files.recipe import read_recipe
    from constraint_sdc.measures.assessment import AssessOptions
    from constraint_sdc.settings.recipe import Recipe

    if given["rules"] is None:
        for name in ("phase", "allow", "allow_idle"):
            if given[name]:
                option = "--" + name.replace("_", "-")
                raise UsageError(f"{option} has no meaning here", hint="it belongs to rules, and there is no --rules")
    return AssessOptions(
        rules=given["rules"],
        certificate=given["certificate"],
        known=variables_in(given["known"], "--known"),
        attacks=attacks,
        intruder=given.get("intruder"),
        truth_key=given.get("truth_key"),
        truth_rows=given.get("truth_rows"),
        release=given.get("release"),
        seed=given.get("seed", 0),
        record=given["record"],
        phase=given["phase"],
        allow=tuple(given["allow"]),
        allow_idle=tuple(given["allow_idle"]),
        recipe=Recipe() if given["recipe"] is None else read_recipe(given["recipe"]),
    )


def inputs_of(original: Path, masked: Path, given: dict[str, Any]) -> tuple[Path | None, ...]:
    """Return every file that is read, which no output may replace; also what is read without being named."""
    from constraint_sdc.commands.certificate.certificate import certificate_path

    named = (given[name] for name in ("rules", "recipe", "certificate", "intruder", "release"))
    beside = None if given["release"] is None else certificate_path(given["release"])
    return original, masked, *named, certificate_path(masked), beside
