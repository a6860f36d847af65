"""`convert`: rows from one file format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from constraint_sdc.cli.options import FILE, OUT, no_overwrite, not_empty

_EPILOG = """\b
Formats by ending: .xml .csv .tsv .parquet .feather .arrow .sav .zsav .dta; SDMX is read
SPSS and Stata need the extra: pip install 'constraint-sdc[spss]'

\b
Examples:
  constraint-sdc convert census.csv census.xml
  constraint-sdc convert census.xml census.parquet --overwrite
"""


@click.command("convert", epilog=_EPILOG)
@click.argument("source", type=FILE)
@click.argument("target", type=OUT)
@click.option(
    "--record", callback=not_empty, help="Name of the record element in XML (found from the data by default)."
)
@click.option(
    "--delimiter", help="What separates the cells of a CSV file. [default: found in the header; , when written]"
)
@click.option("--encoding", help="Encoding of a CSV file that is read. [default: its byte order mark, else UTF-8]")
@click.option(
    "--empty",
    type=click.Choice(("absent", "empty")),
    default="absent",
    show_default=True,
    help="What an empty CSV cell becomes: no element, or an empty one.",
)
@click.option("--spreadsheet-safe", is_flag=True, help="Put an apostrophe before CSV cells that look like formulas.")
@click.option(
    "--empty-is-missing", is_flag=True, help="Write empty values to Parquet as nulls, so that numbers stay numbers."
)
@click.option("--overwrite", is_flag=True, help="Replace TARGET if it exists.")
def command(source: Path, target: Path, **given: Any) -> None:
    """Convert SOURCE to TARGET; texts stay exactly as they are written."""
    from constraint_sdc.commands.convert import ConvertOptions, convert_file

    no_overwrite((source,), target)
    written = convert_file(source, target, ConvertOptions(**given))
    click.echo(f"{target}: {written.records:,} records")
    for note in written.notes:
        click.echo(f"note: {note}")
