"""`attack`: what an intruder would try, carried out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.comparing import comparing_options, gather_comparison, seed_option
from constraint_sdc.cli.masking import terminal
from constraint_sdc.cli.options import FILE, deliver, end_progress, progress_line
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.commands.assess import ComparedFiles
    from constraint_sdc.measures.assessment import AssessOptions, Measure

_EPILOG = """\b
Exit codes: 0 carried out, whatever it found; 2 the data, the rules or an option cannot be processed.
How they work, and what they assume: docs/attacks/README.md

\b
Examples:
  constraint-sdc attack single-ranking census.xml ranked.xml --setting full
  constraint-sdc attack single-ranking census.xml ranked.xml --setting corresponding --share 0.01
  constraint-sdc attack transparency census.xml masked.xml
  constraint-sdc attack rule-inference census.xml masked.xml --rules census.sch
"""


@click.group("attack", epilog=_EPILOG)
def command() -> None:
    """Try what an intruder would: how many records he re-identifies, and how sure he is."""


@command.command("single-ranking")
@click.argument("original", type=FILE)
@click.argument("masked", type=FILE)
@click.option(
    "--setting",
    type=click.Choice(("full", "sample", "corresponding")),
    help="All records; a sample; or a sample against a file with errors. [default: all three]",
)
@click.option(
    "--metric",
    type=click.Choice(("half-distance", "neighbours", "nearest", "within")),
    help="How values are compared. [default: all that fit the setting]",
)
@click.option("--share", type=float, help="Share of the records in the sample. [default: 0.01]")
@click.option("--off", type=int, help="Variables of each record that are far off in his file. [default: 3]")
@click.option("--deviation", type=float, help="How far off, relative to the value. [default: 0.3]")
@click.option("--against", type=FILE, help="The intruder's own file, with the original's records in their order.")
@comparing_options
@seed_option
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/attack.schema.json.")
def single_ranking(original: Path, masked: Path, as_json: bool, against: Path | None, **given: Any) -> None:
    """Winkler's attack: link MASKED to ORIGINAL variable by variable; devastating where each was masked alone."""
    options = gather_comparison(given)
    _refuse_idle(given, against)
    compared = _compare(original, masked, options)
    from constraint_sdc.measures.attacks.single_ranking import SingleRanking

    names = ("setting", "metric", "share", "off", "deviation", "seed")
    chosen = {name: given[name] for name in names if given[name] is not None}
    if against is not None:
        from constraint_sdc.commands.measuring.records_file import intruders_file

        chosen |= {"setting": "corresponding", "file": intruders_file(against, compared.pair, options)}
    _report(SingleRanking(**chosen), compared, given["show_values"], as_json)


@command.command("transparency")
@click.argument("original", type=FILE)
@click.argument("masked", type=FILE)
@comparing_options
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/attack.schema.json.")
def transparency(original: Path, masked: Path, as_json: bool, **given: Any) -> None:
    """Intersect, block by block, the masked records that each original can have become; one left is certain."""
    compared = _compare(original, masked, gather_comparison(given))
    from constraint_sdc.measures.attacks.transparency import Transparency

    _report(Transparency(), compared, given["show_values"], as_json)


@command.command("rule-inference")
@click.argument("original", type=FILE)
@click.argument("masked", type=FILE)
@comparing_options
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/attack.schema.json.")
def rule_inference(original: Path, masked: Path, as_json: bool, **given: Any) -> None:
    """Derive from the published rules and the masked values the interval in which every original value must lie."""
    if given["rules"] is None:
        raise UsageError("without rules nothing can be inferred from them", hint="give --rules")
    compared = _compare(original, masked, gather_comparison(given))
    from constraint_sdc.measures.attacks.rule_inference.attack import RuleInference

    _report(RuleInference(compared.judged.held, compared.domains), compared, given["show_values"], as_json)


def _refuse_idle(given: dict[str, Any], against: Path | None) -> None:
    """Refuse options that the setting does not look at."""
    setting = given["setting"]
    for name, value, settings in (
        ("--against", against, (None, "corresponding")),
        ("--share", given["share"], (None, "sample", "corresponding")),
        ("--off", given["off"], (None, "corresponding")),
        ("--deviation", given["deviation"], (None, "corresponding")),
    ):
        if value is not None and setting not in settings:
            raise UsageError(f"{name} has no meaning here", hint=f"it does not belong to --setting {setting}")
    if against is not None and given["deviation"] is not None:
        raise UsageError("--deviation has no meaning here", hint="with --against, his file has its own errors")


def _compare(original: Path, masked: Path, options: AssessOptions) -> ComparedFiles:
    from constraint_sdc.commands.assess import compare_files

    try:
        return compare_files(original, masked, options, progress_line("records read:"))
    finally:
        end_progress()


def _report(attack: Measure, compared: ComparedFiles, show_values: bool, as_json: bool) -> None:
    from constraint_sdc.reports.assessment.json_format import render_attack_json
    from constraint_sdc.reports.assessment.text import measured_text

    measured = attack.measure(compared.pair)
    around = (*compared.judged.mismatches, *compared.notes, *compared.judged.notes)
    if as_json:
        deliver(render_attack_json(replace(measured, notes=(*around, *measured.notes)), show_values=show_values), None)
        return
    for sentence in around:
        click.echo(f"note: {sentence}", err=True)
    look = terminal()
    deliver("\n".join(measured_text(measured, details=True, show_values=show_values, **look)), None)
