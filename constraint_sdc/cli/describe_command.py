"""`describe`: what the variables of a microdata file look like."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, deliver, no_overwrite, not_empty
from constraint_sdc.cli.tables import table_options


@click.command("describe")
@click.argument("data", type=FILE)
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--recipe", type=FILE, help="YAML file with the record element and the user-missing codes.")
@click.option("--show-values", is_flag=True, help="Show ranges and examples of values (hidden by default).")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/describe.schema.json.")
@click.option("--output", "-o", type=OUT, help="Write to a file instead of the terminal.")
@table_options
def command(
    data: Path, record: str | None, recipe: Path | None, show_values: bool, as_json: bool, output: Path | None
) -> None:
    """Describe the variables of DATA: what they look like, distinct values, and how often and how values are missing.

    Ranges and examples are values of single records and are hidden by default.
    """
    from constraint_sdc.commands.describe import describe_file
    from constraint_sdc.reports.description import render_description_json, render_description_text
    from constraint_sdc.reports.terminal import wants_colour

    no_overwrite((data, recipe), output)
    description = describe_file(data, record=record, recipe=recipe, show_values=show_values)
    if as_json:
        deliver(render_description_json(description), output)
    else:
        deliver(render_description_text(description, colour=output is None and wants_colour(sys.stdout)), output)
