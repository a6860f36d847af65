"""`plan`: what masking would do, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.machine.engine import engine_options
from constraint_sdc.cli.masking import gather, masking_options, terminal
from constraint_sdc.cli.options import (
    FILE,
    OUT,
    deliver,
    end_progress,
    judge_ahead,
    no_overwrite,
    not_empty,
)
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Exit codes: 0 the plan stands; 2 the rules, the data or an option cannot be processed; 3 the plan refuses, and the
message says which rule or variable, and the way out.

\b
Examples:
  constraint-sdc plan census.xml --rules census.sch -k 5
  constraint-sdc plan census.xml --rules census.sch --recipe census.yml --out plan.json
  constraint-sdc mask census.xml --rules census.sch --recipe census.yml --plan plan.json -o masked.xml
"""


@click.command("plan", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--rules", "-r", type=FILE, help="File with the edit rules; without it, no rules are checked.")
@masking_options
@engine_options
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/plan.schema.json.")
@click.option("--out", type=OUT, help="Also save the plan as JSON, for `mask --plan`; an old plan is replaced.")
@click.option("--graph", type=OUT, help="Also draw the blocks and their rules as SVG; an old drawing is replaced.")
@click.option("--charts", type=OUT, help="group-anonymity: directory for a chart of each goal; old ones are replaced.")
@table_options
def command(
    data: Path,
    rules: Path | None,
    record: str | None,
    as_json: bool,
    out: Path | None,
    graph: Path | None,
    charts: Path | None,
    **given: Any,
) -> None:
    """Show how DATA would be masked: blocks, strata, operators, why each rule survives, and the price.

    Nothing is masked. The same inputs make the same plan.
    """
    inputs = (data, rules, given["recipe"], given["original"])
    no_overwrite(inputs, out)
    no_overwrite((*inputs, out), graph)
    if rules is not None:
        judge_ahead()
    options = gather(given, rules, record=record)
    from constraint_sdc.commands.masking.goal_files import GoalFiles
    from constraint_sdc.commands.masking.settings import settle
    from constraint_sdc.commands.plan import plan_file
    from constraint_sdc.files.atomic import publish_files
    from constraint_sdc.files.json_file import json_text
    from constraint_sdc.plan.plan_json import plan_to_json
    from constraint_sdc.reports.masking.plan_text import plan_text
    from constraint_sdc.reports.rule_graph import graph_of_plan, render_graph_svg
    from constraint_sdc.reports.sentences import with_sentences

    pictures = GoalFiles(charts)
    if charts is not None:
        pictures.require(settle(options).masker, overwrite=True, taken=(*inputs, out, graph))
    try:
        plan = plan_file(data, rules, options)
    finally:
        end_progress()
    saved = plan_to_json(plan)
    files = pictures.contents(plan)
    if out is not None:
        files[out] = json_text(saved).encode("utf-8")
    if graph is not None:
        files[graph] = render_graph_svg(graph_of_plan(plan)).encode("utf-8")
    publish_files(files, overwrite=True)
    deliver(json_text(with_sentences(saved)) if as_json else plan_text(plan, **terminal()), None)
    if out is not None:
        tell(f"plan saved: {out}")
    if graph is not None:
        tell(f"drawing saved: {graph}")
