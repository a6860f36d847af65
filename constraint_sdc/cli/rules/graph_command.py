"""`rules graph`: draw the variables and the rules that connect them."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, allow, deliver, judge_ahead, no_overwrite, not_empty
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError

_EPILOG = """\b
Exit codes: 0 the drawing is made; 2 the rules, the data or an option cannot be processed; 3 the plan refuses.

\b
Examples:
  constraint-sdc rules graph census.sch -o rules.svg
  constraint-sdc rules graph census.sch --data census.xml -k 5 -o blocks.svg
"""


@click.command("graph", epilog=_EPILOG)
@click.argument("rules", type=FILE)
@click.option("--output", "-o", type=OUT, help="Write the SVG to a file; without it it is printed.")
@click.option("--data", type=FILE, help="Microdata file: also draw its variables that are in no rule.")
@click.option("-k", type=int, help="With --data: draw the blocks that masking with groups of k would have.")
@click.option("--recipe", type=FILE, help="With -k: the recipe of the masking.")
@click.option("--phase", help="Phase of the schema (an id, #ALL or #DEFAULT).")
@click.option(
    "--record", callback=not_empty, help="Name of the record element (from the data or the rules by default)."
)
@allow
@table_options
def command(
    rules: Path,
    output: Path | None,
    data: Path | None,
    k: int | None,
    recipe: Path | None,
    phase: str | None,
    record: str | None,
    allow: tuple[Path, ...],
) -> None:
    """Draw the rules of a file as SVG: variables left, rules right, one panel per block.

    Without -k a block is a set of variables that rules connect. With -k it is a block of the plan. Variables on which
    nobody decided are then drawn as masking would guess.
    """
    if k is not None and data is None:
        raise UsageError("-k has no meaning without data", hint="give --data too, or leave -k out")
    if recipe is not None and k is None:
        raise UsageError("--recipe has no meaning without -k", hint="give -k too, or leave the recipe out")
    no_overwrite((rules, data, recipe), output)
    judge_ahead()
    from constraint_sdc.commands.graph import graph_plan, graph_rules
    from constraint_sdc.reports.rule_graph import render_graph_svg

    if k is None or data is None:
        graph = graph_rules(rules, data, phase=phase, record=record, allow=allow)
    else:
        graph = graph_plan(rules, data, k, recipe, phase=phase, record=record, allow=allow)
    deliver(render_graph_svg(graph), output)
    if output is not None:
        tell(f"drawing saved: {output}")
