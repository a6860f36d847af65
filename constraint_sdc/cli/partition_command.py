"""`partition`: records divided into groups, nothing masked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from constraint_sdc.cli.machine.engine import engine_options
from constraint_sdc.cli.masking import terminal
from constraint_sdc.cli.options import (
    FILE,
    OUT,
    deliver,
    end_progress,
    no_overwrite,
    not_empty,
    variable,
    variables_in,
)
from constraint_sdc.cli.streams import tell
from constraint_sdc.cli.tables import table_options
from constraint_sdc.errors import UsageError

if TYPE_CHECKING:
    from constraint_sdc.maskers.masked import PartitionOptions

_EPILOG = """\b
Exit codes: 0 divided; 2 the data or an option cannot be processed; 3 the recipe asks for an identifier to be averaged.
The methods, and which to use when: docs/partition/README.md

\b
Examples:
  constraint-sdc partition census.csv -k 3
  constraint-sdc partition census.xml -k 3 --variables V1,V2,V3 --partition mdav+refine --effort high
  constraint-sdc partition census.csv -k 3 --partition v-mdav:gamma=1.1
  constraint-sdc partition census.csv -k 5 --recipe census.yml -o groups.csv
"""


@click.command("partition", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("-k", "k", type=int, help="Least number of records in a group; 2 or more.")
@click.option("--variables", "-v", help="Variables to divide by, separated by commas. [default: all numbers]")
@click.option(
    "--partition",
    help="How records are divided into groups: NAME or NAME:PARAMETER=VALUE (see docs/partition). [default: auto]",
)
@click.option("--method", hidden=True, help="Old spelling of --partition.")
@click.option("--effort", help="How long auto or NAME+refine searches: fast, default, high, best, or e.g. 30s.")
@click.option(
    "--standardise",
    type=click.Choice(("z-score", "robust", "none")),
    help="The unit in which numbers enter distances. [default: z-score]",
)
@click.option("--weights", callback=variable, help="Variable that says how much each record counts.")
@click.option("--seed", type=click.IntRange(min=0), help="Seed of methods that draw at random. [default: 0]")
@engine_options
@click.option("--recipe", type=FILE, help="YAML file with k, types, weights and missing codes (see docs/recipe.md).")
@click.option("--record", callback=not_empty, help="Name of the record element in XML (found by default).")
@click.option("--output", "-o", type=OUT, help="CSV file to write: the group of every record.")
@click.option("--overwrite", is_flag=True, help="Replace the output if it exists.")
@click.option("--json", "as_json", is_flag=True, help="JSON under schemas/partition.schema.json.")
@table_options
def command(data: Path, output: Path | None, overwrite: bool, as_json: bool, **given: Any) -> None:
    """Divide the records of DATA (XML rows or a table) into groups, and say what they lose.

    Nothing is masked and no rules are asked: use it to compare methods. The same inputs and seed make the same groups.
    """
    given = _with_new_spelling(given)
    _refuse_output(data, given["recipe"], output, overwrite)
    options = _options(given)
    from constraint_sdc.commands.partition import partition_file
    from constraint_sdc.reports.partition import partition_text, render_partition_json, write_groups

    try:
        partitioned = partition_file(data, options)
    finally:
        end_progress()
    if output is not None:
        write_groups(output, partitioned.groups, overwrite)
    deliver(render_partition_json(partitioned) if as_json else partition_text(partitioned, **terminal()), None)
    if output is not None:
        tell(f"groups saved: {output}")


def _with_new_spelling(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the old `--method` as `--partition`, and say so on stderr."""
    rest = {option: value for option, value in given.items() if option != "method"}
    if given["method"] is None:
        return rest
    if given["partition"] is not None:
        raise UsageError("--method is the old spelling of --partition, and both are given", hint="leave --method out")
    name = given["method"]
    tell(f"note: --method {name} is taken for a partition; the new spelling is --partition {name}")
    return {**rest, "partition": name}


def _refuse_output(data: Path, recipe: Path | None, output: Path | None, overwrite: bool) -> None:
    """Refuse at once what could not be written at the end."""
    if output is None:
        if overwrite:
            raise UsageError("--overwrite has no meaning here", hint="it belongs to --output, which is not given")
        return
    no_overwrite((data, recipe), output)
    if output.is_dir():
        raise UsageError("a directory cannot hold the groups", file=str(output), hint="name a file in it")
    if output.exists() and not overwrite:
        raise UsageError("the file exists already", file=str(output), hint="give another name, or --overwrite")
    if not output.absolute().parent.is_dir():
        raise UsageError("the directory does not exist", file=str(output), hint=f"create {output.parent} first")


def _options(given: dict[str, Any]) -> PartitionOptions:
    from constraint_sdc.files.recipe import read_recipe
    from constraint_sdc.maskers.masked import PartitionOptions
    from constraint_sdc.settings.recipe import Recipe
    from constraint_sdc.settings.words import Standardise

    recipe, standardise = given.pop("recipe"), given.pop("standardise")
    return PartitionOptions(
        **{**given, "variables": variables_in(given["variables"], "--variables")},
        standardise=None if standardise is None else Standardise(standardise),
        recipe=Recipe() if recipe is None else read_recipe(recipe),
    )
