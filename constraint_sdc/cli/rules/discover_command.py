"""`rules discover`: propose rules that data satisfy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.options import FILE, OUT, deliver, judge_ahead, not_empty
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Exit codes: 0 rules were proposed, or none was found; 2 the data or an option cannot be processed.

\b
Examples:
  constraint-sdc rules discover firms.csv -o found.sch
  constraint-sdc rules discover firms.csv -o found.txt
  constraint-sdc rules discover firms.csv --exceptions 1% -o found.sch
  constraint-sdc rules discover census.xml --holdout 0.3 --seed 7 -o found.sch --json
"""


class _Share(click.ParamType[float]):
    """A share, as a number or in per cent."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Turn the word into a number; its size is the command's to judge."""
        text = str(value).strip()
        try:
            found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            found = math.nan
        if math.isnan(found):
            self.fail(f"{text!r} is not a share such as 1% or 0.01", param, ctx)
        return found


@click.command("discover", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option(
    "--output",
    "-o",
    type=OUT,
    help="Write the rules to a file, whose ending is the language; without it they are printed as Schematron.",
)
@click.option(
    "--holdout",
    type=float,
    default=0.5,
    show_default=True,
    help="Share of the records that is kept aside to test what the others suggest; from 0 to 0.9.",
)
@click.option(
    "--exceptions",
    type=_Share(),
    default=0.0,
    help="Share of the records that may break a rule, such as 1%; at most 10%. [default: none]",
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
    exceptions: float,
    seed: int,
    record: str | None,
    as_json: bool,
    overwrite: bool,
) -> None:
    """Propose rules that DATA satisfy, to edit: equations, orders, conditions, tables, keys, domains, ranges.

    Rules are searched in one part of the records and tested on the rest. A rule between variables is proposed if it
    would be surprising by chance. With --exceptions, rules that few records break are proposed too, as warnings.
    Proposals state rounded extremes and lists of values: read them before you publish them.
    """
    judge_ahead()
    from constraint_sdc.commands.discover import (
        DiscoverOptions,
        discover_rules,
        language_of_target,
        write_discovered,
    )
    from constraint_sdc.reports.discovery_text import render_discovery_json, render_discovery_text

    if output is not None:
        language_of_target(data, output, overwrite=overwrite)
    options = DiscoverOptions(holdout, seed, record, exceptions)
    found = discover_rules(data, options)
    if output is not None:
        found = write_discovered(found, data, output, options, overwrite=overwrite)
    elif not as_json:
        deliver(found.schema, None)
        return
    deliver(render_discovery_json(found) if as_json else render_discovery_text(found), None)
