"""`assess`: what a masked file lost, what is at risk, and whether its rules still hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.comparing import (
    comparing_options,
    gather_comparison,
    inputs_of,
    intruder_options,
    known_at_most_option,
    release_option,
    seed_option,
)
from constraint_sdc.cli.masking import terminal
from constraint_sdc.cli.options import FILE, LOCAL, OUT, deliver, end_progress, names_in, no_overwrite
from constraint_sdc.cli.streams import tell
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.measures.sweep_points import SweepPoint

_EPILOG = """\b
Exit codes: 0 assessed; 1 a rule is broken where it held, the certificate does not agree with the file, or a bound of
the recipe's `accept` is not met; 2 the rules, the data or an option cannot be processed.
What each measure says: docs/measures/README.md; each attack: docs/attacks/README.md

\b
Examples:
  constraint-sdc assess census.xml masked.xml --rules census.sch
  constraint-sdc assess census.xml masked.xml --rules census.sch --recipe census.yml --report report.html
  constraint-sdc assess census.csv masked.csv --known V1,V2,V3 --json
"""


@click.command("assess", epilog=_EPILOG)
@click.argument("original", type=FILE)
@click.argument("masked", type=FILE)
@comparing_options
@seed_option
@known_at_most_option
@intruder_options
@release_option
@click.option(
    "--attacks", help="Attacks to try, separated by commas, or none. [default: all that apply and need not be named]"
)
@click.option("--set", "told", multiple=True, help="NAME.PARAMETER=VALUE of a measure or attack (repeatable).")
@click.option("--details", is_flag=True, help="Also print all figures, tables and notes: per variable, pair, block.")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/assessment.schema.json.")
@click.option("--report", type=OUT, help="Also write an HTML page; an old one is replaced.")
@click.option("--sweep", type=LOCAL, help="Directory of a sweep, whose points join the map in the page.")
def command(
    original: Path,
    masked: Path,
    known_at_most: int | None,
    attacks: str | None,
    told: tuple[str, ...],
    details: bool,
    as_json: bool,
    report: Path | None,
    sweep: Path | None,
    **given: Any,
) -> None:
    """Compare MASKED with ORIGINAL (XML rows or tables): utility, disclosure risk, attacks, rules.

    Records correspond by their order, or by the key of the recipe.
    """
    swept = () if sweep is None else (sweep, sweep / "points.json", sweep / "points.csv", sweep / "journal.jsonl")
    no_overwrite((*inputs_of(original, masked, given), *swept), report)
    if sweep is not None and report is None:
        raise UsageError("--sweep has no meaning here", hint="its points are drawn in the page of --report")
    wanted = () if attacks is not None and attacks.strip() == "none" else names_in(attacks, "--attacks")
    options = gather_comparison(given, attacks=wanted)
    options = replace(options, parameters=_parameters(told), known_at_most=known_at_most)
    from constraint_sdc.commands.assess import assess_files
    from constraint_sdc.reports.assessment.html import render_assessment_html
    from constraint_sdc.reports.assessment.json_format import render_assessment_json
    from constraint_sdc.reports.assessment.text import assessment_text

    points = () if sweep is None else _points(sweep, original)
    try:
        assessment = assess_files(original, masked, options)
    finally:
        end_progress()
    shows = given["show_values"]
    if report is not None:
        deliver(render_assessment_html(assessment, sweep=points, show_values=shows), report)
    if as_json:
        deliver(render_assessment_json(assessment, show_values=shows), None)
    else:
        deliver(assessment_text(assessment, details=details, show_values=shows, **terminal()), None)
    if report is not None:
        tell(f"report: {report}")
    raise click.exceptions.Exit(assessment.exit_code)


def _parameters(told: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """Return the parameters by the name of their measure or attack."""
    found: dict[str, dict[str, object]] = {}
    for text in told:
        place, equals, value = text.partition("=")
        name, dot, parameter = place.rpartition(".")
        if not (equals and dot and name and parameter):
            raise UsageError(f"--set {text!r} is not of the form NAME.PARAMETER=VALUE", hint="see docs/extending.md")
        if parameter in found.setdefault(name, {}):
            raise UsageError(f"{name}.{parameter} is set twice", hint="give one value")
        found[name][parameter] = value
    return found


def _points(directory: Path, original: Path) -> tuple[SweepPoint, ...]:
    from constraint_sdc.commands.measuring.sweep_journal import read_sweep_points

    return read_sweep_points(directory / "points.json" if directory.is_dir() else directory, original)
