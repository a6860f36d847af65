"""`rules lint`: check a rule set itself."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, allow, deliver, judge_ahead, no_overwrite, not_empty
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.schematron.schema import Severity

_SEVERITIES = ("error", "warning", "information")

_EPILOG = """\b
Exit codes: 0 no finding at or above --fail-on; 1 some finding; 2 the rules, the data or an option cannot be processed.

\b
Examples:
  constraint-sdc rules lint census.sch
  constraint-sdc rules lint census.sch --data census.xml --format sarif --output lint.sarif
  constraint-sdc rules lint census.sch --ignore implied-bound --fail-on error
"""


@click.command("lint", epilog=_EPILOG)
@click.argument("rules", type=FILE)
@click.option("--data", type=FILE, help="Microdata file: also look for rules that its records never exercise.")
@click.option("--phase", help="Phase of the schema (an id, #ALL or #DEFAULT).")
@click.option(
    "--record", callback=not_empty, help="Name of the record element (from the data or the rules by default)."
)
@click.option(
    "--fail-on",
    type=click.Choice(_SEVERITIES),
    default="warning",
    show_default=True,
    help="Least severity of a finding that makes the exit code 1.",
)
@click.option(
    "--severity",
    type=click.Choice(_SEVERITIES),
    default="information",
    show_default=True,
    help="Least severity of a finding that is shown.",
)
@click.option("--ignore", metavar="CODE", multiple=True, help="Code of findings to leave out (repeatable).")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json", "sarif", "github", "junit")),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@click.option("--output", "-o", type=OUT, help="Write the report to a file instead of the terminal.")
@allow
@table_options
def command(
    rules: Path,
    data: Path | None,
    phase: str | None,
    record: str | None,
    fail_on: Severity,
    severity: Severity,
    ignore: tuple[str, ...],
    format_: str,
    output: Path | None,
    allow: tuple[Path, ...],
) -> None:
    """Check a rule set itself: contradictions, redundant rules, traps of XPath, rules that no record exercises.

    Every finding has a code with a page of its own, the line of the rule, and a witness. Logic covers the rules that
    are understood; the others are named.
    """
    no_overwrite((rules, data), output)
    judge_ahead()
    from constraint_sdc.commands.lint import LintOptions, lint_rules
    from constraint_sdc.reports.lint.render import render_lint
    from constraint_sdc.reports.lint.wording import lint_verdict
    from constraint_sdc.reports.terminal import wants_colour

    options = LintOptions(phase, record, fail_on, severity, ignore, allow)
    result = lint_rules(rules, data, options)
    columns = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() and output is None else 100
    colour = output is None and wants_colour(sys.stdout)
    deliver(render_lint(result, format_, columns=columns, colour=colour), output)
    if output is not None:
        tell(f"{rules}: {lint_verdict(result)}; report in {output}")
    raise click.exceptions.Exit(result.exit_code)
