"""`rules convert`: rules from one language to another."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, allow, not_empty
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Languages by ending: .sch Schematron; .R .yml .yaml R validate; .txt .rules plain text; .sql SQL; .vtl VTL;
.csv .tsv lists of rules. Only read: .xlsx lists of rules, .json JSON Schema, .yml .json pandera.

\b
Examples:
  constraint-sdc rules convert rules.R -o rules.sch --data census.xml
  constraint-sdc rules convert census.sch -o census.txt
"""


@click.command("convert", epilog=_EPILOG)
@click.argument("source", type=FILE)
@click.option("--output", "-o", "target", type=OUT, required=True, help="File to write; its ending is the language.")
@click.option("--record", callback=not_empty, help="Name of the record element. [default: as in --data, else Record]")
@click.option("--data", type=FILE, help="Microdata file that names the record element.")
@click.option("--recipe", type=FILE, help="YAML file whose missing codes and record element become part of the rules.")
@click.option("--phase", help="Phase of a Schematron SOURCE (an id, #ALL or #DEFAULT).")
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
@allow
@table_options
def command(
    source: Path,
    target: Path,
    record: str | None,
    data: Path | None,
    recipe: Path | None,
    phase: str | None,
    overwrite: bool,
    allow: tuple[Path, ...],
) -> None:
    """Write the rules of SOURCE in another language.

    Any language becomes Schematron that every processor runs. Schematron becomes another language where each rule has a
    typed constraint. A rule that cannot be translated is named with its place and reason, and nothing is written.
    """
    from constraint_sdc.commands.convert_rules import convert_rules

    count = convert_rules(
        source, target, record=record, data=data, recipe=recipe, phase=phase, allow=allow, overwrite=overwrite
    )
    click.echo(f"{target}: {count:,} {'rule' if count == 1 else 'rules'}")
