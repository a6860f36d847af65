"""`sweep`: many maskings of one file, each measured."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.masking import gather, sweeping_options, terminal
from constraint_sdc.cli.options import FILE, deliver, end_progress, names_in, not_empty
from constraint_sdc.errors import UsageError

_EPILOG = """\b
Exit codes: 0 every point was computed, or refused and said so; 2 the rules, the data or an option cannot be processed;
3 the original breaks rules already.
In the directory: points.csv, points.json, map.svg (risk against utility), curves.svg (PIL, DR and SCORE against k), and
journal.jsonl, from which an interrupted sweep goes on when the same command is run again.

\b
Examples:
  constraint-sdc sweep census.xml --rules census.sch --k 1..99 --compare-unconstrained -o sweep
  constraint-sdc sweep census.xml --rules census.sch --k 3,5,10..20 --methods auto,mdav -o sweep
"""
_RANGE = re.compile(r"([0-9]+)(?:\.\.([0-9]+))?")
_MOST_POINTS = 100_000


class Ks(click.ParamType[tuple[int, ...]]):
    """Whole numbers and ranges of them: 3,5,10..20."""

    name = "K,K..K"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """Turn the words into numbers, each once, in order."""
        if isinstance(value, tuple):
            return value
        found: set[int] = set()
        for part in str(value).split(","):
            match = _RANGE.fullmatch(part.strip())
            first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
            if not match or not 1 <= first <= last:
                self.fail(f"{part.strip()!r} is neither a number of at least 1 nor a range such as 1..99", param, ctx)
            if last - first >= _MOST_POINTS:
                self.fail(f"{part.strip()!r} holds more than {_MOST_POINTS:,} numbers", param, ctx)
            found.update(range(first, last + 1))
        return tuple(sorted(found))


@click.command("sweep", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--rules", "-r", type=FILE, help="Schematron file with the edit rules; without it, none need survive.")
@click.option("--k", "ks", type=Ks(), required=True, help="Group sizes to try, such as 1..99 or 3,5,10; 1 is unmasked.")
@click.option(
    "--methods", help="Methods to try, separated by commas: maskers or partitions. [default: the recipe's, or auto]"
)
@click.option("--compare-unconstrained", is_flag=True, help="Also mask without the rules, and count what breaks.")
@click.option("--output", "-o", type=FILE, help="Directory for points and pictures. [default: NAME-sweep, after DATA]")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at the same time. [default: one for each core]")
@click.option("--overwrite", is_flag=True, help="Start anew where the directory holds another sweep.")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/sweep.schema.json.")
@sweeping_options
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
def command(
    data: Path,
    rules: Path | None,
    ks: tuple[int, ...],
    methods: str | None,
    compare_unconstrained: bool,
    output: Path | None,
    jobs: int | None,
    overwrite: bool,
    as_json: bool,
    record: str | None,
    **given: Any,
) -> None:
    """Mask DATA in memory for every K and method, measure each masking, and draw risk against utility.

    Nothing is published. Every point is kept as soon as it is computed.
    """
    output = output or Path(f"{data.stem}-sweep")
    masking = gather({**given, "k": 2, "method": None, "partition": None}, rules, record=record)
    names = tuple(dict.fromkeys(names_in(methods, "--methods") or (masking.recipe.method or "auto",)))
    from constraint_sdc.commands.sweep import sweep_file
    from constraint_sdc.measures.assessment import SweepOptions
    from constraint_sdc.reports.sweep import render_sweep_json, sweep_text
    from constraint_sdc.reports.sweep_files import write_sweep_files

    journal = _directory(output) / "journal.jsonl"
    options = SweepOptions(ks, names, compare_unconstrained, jobs, replace(masking, k=None))
    try:
        sweep = sweep_file(data, rules, options, journal=journal, overwrite=overwrite, heard=_progress())
    finally:
        end_progress()
    write_sweep_files(sweep, output)
    deliver(render_sweep_json(sweep) if as_json else sweep_text(sweep, **terminal()), None)
    click.echo(f"points and pictures: {output}", err=True)


def _directory(output: Path) -> Path:
    if output.exists() and not output.is_dir():
        raise UsageError("is a file; a sweep writes into a directory", file=str(output), hint="choose another name")
    return output


def _progress() -> Callable[[int, int], None]:
    if not sys.stderr.isatty():
        return lambda _done, _all: None
    return lambda done, all_: click.echo(f"\rpoints computed: {done:,} of {all_:,}", nl=False, err=True)
