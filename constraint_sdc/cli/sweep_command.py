"""`sweep`: many maskings of one file, each measured."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.comparing import known_at_most_option
from constraint_sdc.cli.masking import gather, meaning_of, sweeping_options, terminal
from constraint_sdc.cli.options import FILE, OUT, deliver, end_progress, names_in, not_empty
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError

_EPILOG = """\b
Exit codes: 0 every point was computed, or refused and said so; 2 the rules, the data or an option cannot be processed;
3 the original breaks rules already, or nobody decided on something in the file.
In the directory: points.csv, points.json, map.svg (risk against utility), curves.svg (PIL, DR and SCORE against k), and
journal.jsonl, from which an interrupted sweep goes on when the same command is run again.

\b
Examples:
  constraint-sdc sweep census.xml --rules census.sch --k 1..99 --compare-unconstrained -o sweep
  constraint-sdc sweep census.xml --rules census.sch --k 3,5,10..20 --partitions auto,mdav -o sweep
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
@click.option("--rules", "-r", type=FILE, help="File with the edit rules; without it, no rules are checked.")
@click.option("--k", "ks", type=Ks(), required=True, help="Group sizes to try, such as 1..99 or 3,5,10; 1 is unmasked.")
@click.option("--maskers", help="Maskers to try, separated by commas. [default: the recipe's, if no --partitions]")
@click.option("--partitions", help="Partitions to try microaggregation by, separated by commas. [default: auto]")
@click.option("--partition", callback=not_empty, help="How the maskers of --maskers divide records. [default: auto]")
@click.option("--totals", help="Ways to mask totals to compare: together, computed, auto, separated by commas.")
@click.option("--methods", hidden=True, help="Old spelling of --maskers and --partitions.")
@click.option("--compare-unconstrained", is_flag=True, help="Also mask without the rules, and count what breaks.")
@known_at_most_option
@click.option("--output", "-o", type=OUT, help="Directory for points and pictures. [default: NAME-sweep, after DATA]")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes at the same time. [default: one for each core]")
@click.option("--overwrite", is_flag=True, help="Replace another sweep in the directory.")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/sweep.schema.json.")
@sweeping_options
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@table_options
def command(
    data: Path,
    rules: Path | None,
    ks: tuple[int, ...],
    maskers: str | None,
    partitions: str | None,
    partition: str | None,
    totals: str | None,
    methods: str | None,
    compare_unconstrained: bool,
    known_at_most: int | None,
    output: Path | None,
    jobs: int | None,
    overwrite: bool,
    as_json: bool,
    record: str | None,
    **given: Any,
) -> None:
    """Mask DATA in memory for every K with each masker and partition, measure, and draw risk against utility.

    Nothing is published. Every point is kept as soon as it is computed.
    """
    output = output or Path(f"{data.stem}-sweep")
    tried = _tried(names_in(maskers, "--maskers"), names_in(partitions, "--partitions"), methods)
    if partition is not None and tried[1] and not tried[0]:
        raise UsageError("--partition is for --maskers, and only --partitions are tried", hint="leave it out")
    masking = gather({**given, "k": 2, "masker": None, "partition": partition, "totals": None}, rules, record=record)
    from constraint_sdc.commands.sweep import sweep_file
    from constraint_sdc.measures.sweep_points import SweepOptions
    from constraint_sdc.reports.sweep import render_sweep_json, sweep_text, write_sweep_files
    from constraint_sdc.settings.words import totals_by

    journal = _directory(output) / "journal.jsonl"
    options = SweepOptions(
        ks,
        *tried,
        compare_unconstrained=compare_unconstrained,
        known_at_most=known_at_most,
        jobs=jobs,
        totals=tuple(map(totals_by, names_in(totals, "--totals") or ())),
        masking=replace(masking, k=None),
    )
    try:
        sweep = sweep_file(data, rules, options, journal=journal, overwrite=overwrite, heard=_progress())
    finally:
        end_progress()
    write_sweep_files(sweep, output)
    deliver(render_sweep_json(sweep) if as_json else sweep_text(sweep, **terminal()), None)
    tell(f"points and pictures: {output}")


def _tried(
    maskers: tuple[str, ...] | None, partitions: tuple[str, ...] | None, methods: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the maskers and the partitions to try; the old `--methods` named both, which is said on stderr."""
    if methods is None:
        return maskers or (), partitions or ()
    if maskers is not None or partitions is not None:
        what = "--methods is the old spelling of --maskers and --partitions, one of which is given too"
        raise UsageError(what, hint="leave --methods out")
    named = names_in(methods, "--methods") or ()
    found = {kind: tuple(n for n in named if meaning_of(n) == kind) for kind in ("masker", "partition")}
    said = " ".join(f"--{kind}s {','.join(names)}" for kind, names in found.items() if names)
    tell(f"note: --methods {methods} is the old spelling, taken for {said}")
    return found["masker"], found["partition"]


def _directory(output: Path) -> Path:
    if output.exists() and not output.is_dir():
        raise UsageError("is a file; a sweep writes into a directory", file=str(output), hint="choose another name")
    return output


def _progress() -> Callable[[int, int], None]:
    if not sys.stderr.isatty():
        return lambda _done, _all: None
    return lambda done, all_: click.echo(f"\rpoints computed: {done:,} of {all_:,}", nl=False, err=True)
