"""`domain`: export value lists."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, no_overwrite, not_empty, variables_in
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Examples:
  constraint-sdc domain original.xml --variables V1 -o domain.xml
  constraint-sdc check published.xml --rules census.sch --domain domain.xml
"""


@click.command("domain", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--variables", "-v", required=True, help="Variables to export, separated by commas.")
@click.option("--output", "-o", type=OUT, required=True, help="File to write.")
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--overwrite", is_flag=True, help="Replace the output if it exists.")
@table_options
def command(data: Path, variables: str, output: Path, record: str | None, overwrite: bool) -> None:
    """Export the distinct values of variables of DATA, so that a gate needs no original microdata.

    The values of each variable are sorted: a row of the file says nothing about any record.
    """
    from constraint_sdc.commands.domain import export_domain

    no_overwrite((data,), output)
    names = variables_in(variables, "--variables") or ()
    written = export_domain(data, names, output, record=record, overwrite=overwrite)
    click.echo(f"{output}: the values of {', '.join(names)} in {written.records:,} rows")
    for note in written.notes:
        click.echo(f"note: {note}")
