"""`init`: a commented recipe, made from what the variables of a file look like."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, OUT, allow, deliver, end_progress, no_overwrite, not_empty
from constraint_sdc.cli.tables import table_options

_EPILOG = """\b
Examples:
  constraint-sdc init persons.xml
  constraint-sdc init persons.xml --rules persons.sch -o recipe.yml
  constraint-sdc mask persons.xml --rules persons.sch --recipe recipe.yml -o masked.xml
"""


@click.command("init", epilog=_EPILOG)
@click.argument("data", type=FILE)
@click.option("--rules", "-r", type=FILE, help="File with the edit rules: what its rules compute with is a number.")
@click.option("--record", callback=not_empty, help="Name of the record element (found from the data by default).")
@click.option("--output", "-o", type=OUT, help="Recipe to write instead of printing it.")
@click.option("--overwrite", is_flag=True, help="Replace the recipe if it exists.")
@click.option("--show-values", is_flag=True, help="Show ranges and examples of values (hidden by default).")
@allow
@table_options
def command(
    data: Path,
    rules: Path | None,
    record: str | None,
    output: Path | None,
    overwrite: bool,
    show_values: bool,
    allow: tuple[Path, ...],
) -> None:
    """Propose a recipe for DATA: role, type, grid and missing codes of every variable, with the evidence as comments.

    What is not certain is `undecided`, which every command refuses until a person has replaced it.
    """
    from constraint_sdc.commands.init import init_recipe
    from constraint_sdc.files.atomic import atomic_file, require_place
    from constraint_sdc.reports.check.wording import counted
    from constraint_sdc.reports.note_sentences import named

    no_overwrite((data, rules), output)
    if output is not None:
        require_place(output, overwrite)
    try:
        draft = init_recipe(
            data,
            rules,
            record=record,
            allow=allow,
            show_values=show_values,
        )
    finally:
        end_progress()
    if output is None:
        deliver(draft.text, None)
        return
    with atomic_file(output, overwrite=overwrite) as stream:
        stream.write(draft.text.encode("utf-8"))
    click.echo(f"{output}: {counted(len(draft.variables), 'variable')}")
    if draft.undecided:
        click.echo(f"decide on {counted(len(draft.undecided), 'thing')}: {named(draft.undecided)}")
