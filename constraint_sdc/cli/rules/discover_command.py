"""`rules discover`: propose rules that data satisfy."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, deliver, judge_ahead, no_overwrite, not_empty
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Exit codes: 0 rules were proposed, or none was found; 2 the data or an option cannot be processed.

\b
Examples:
  constraint-sdc rules discover census.xml -o found.sch
  constraint-sdc rules discover census.xml --holdout 0.3 --seed 7 -o found.sch --json
"""


@click.command("discover", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--output", "-o", type=FILE, help="Write the rules to a file; without it they are printed.")
@click.option(
    "--holdout",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of the records that is kept aside to test what the others suggest; from 0 to 0.9.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed that deals the records out.")
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--json", "as_json", is_flag=True, help="Report as JSON under schemas/discovery.schema.json.")
@click.option("--overwrite", is_flag=True, help="Replace the file of --output if it exists.")
@table_options
def command(
    data: Path,
    output: Path | None,
    holdout: float,
    seed: int,
    record: str | None,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Propose rules that DATA satisfy, as Schematron to edit: equations, orders, conditions, tables, keys, ranges.

    Rules are searched in one part of the records and tested on the rest. A rule between variables is proposed if it
    would be surprising by chance. Proposals state rounded extremes and lists of values: read them before you publish
    them.
    """
    no_overwrite((data,), output)
    judge_ahead()
    from constraint_sdc.commands.discover import DiscoverOptions, discover_rules
    from constraint_sdc.files.atomic import atomic_file
    from constraint_sdc.reports.discovery_text import render_discovery_json, render_discovery_text

    found = discover_rules(data, DiscoverOptions(holdout, seed, record))
    if output is not None:
        with atomic_file(output, overwrite=overwrite) as stream:
            stream.write(found.schema.encode("utf-8"))
    elif not as_json:
        deliver(found.schema, None)
        return
    deliver(render_discovery_json(found) if as_json else render_discovery_text(found), None)
