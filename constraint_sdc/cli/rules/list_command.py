"""`rules list`: how each rule is understood."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, allow, deliver, no_overwrite, not_empty
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Examples:
  constraint-sdc rules census.sch
  constraint-sdc rules list census.sch --data census.xml --json --output rules.json
"""


@click.command("list", epilog=_EPILOG)
@click.argument("rules", type=FILE)
@click.option("--phase", help="Phase of the schema (an id, #ALL or #DEFAULT).")
@click.option(
    "--data", type=FILE, help="Microdata file: takes its record element, and tells which engine judges a rule."
)
@click.option(
    "--record", callback=not_empty, help="Name of the record element (from the data or the rules by default)."
)
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/rules.schema.json.")
@click.option("--output", "-o", type=OUT, help="Write to a file instead of the terminal.")
@allow
@table_options
def command(
    rules: Path,
    phase: str | None,
    data: Path | None,
    record: str | None,
    as_json: bool,
    output: Path | None,
    allow: tuple[Path, ...],
) -> None:
    """List the rules of a file with their kind, variables, normal form and severity.

    A rule that is not understood is listed too, with the reason; `check` still judges it.
    """
    from constraint_sdc.commands.rules import list_rules
    from constraint_sdc.reports.rules_list import render_rules_json, render_rules_text
    from constraint_sdc.reports.terminal import wants_colour

    no_overwrite((rules, data), output)
    listed = list_rules(rules, phase=phase, data=data, record=record, allow=allow)
    if as_json:
        deliver(render_rules_json(listed), output)
        return
    columns = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() and output is None else 100
    deliver(render_rules_text(listed, columns=columns, colour=output is None and wants_colour(sys.stdout)), output)
