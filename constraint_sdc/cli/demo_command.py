"""`demo`: all steps on generated data."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import OUT


@click.command("demo")
@click.option("--directory", type=OUT, default=Path("constraint-sdc-demo"), show_default=True, help="Where to write.")
@click.option("--records", type=click.IntRange(min=100), default=3000, show_default=True, help="Records to generate.")
@click.option("--seed", type=int, default=2009, show_default=True, help="Seed of the generated data.")
@click.option("-k", "k", type=click.IntRange(min=2, max=50), default=5, show_default=True, help="Least group size.")
def command(directory: Path, records: int, seed: int, k: int) -> None:
    """Generate a census-like extract, mask it, judge it by its rules before and after, and assess loss and risk."""
    from constraint_sdc.commands.demo import Demo

    demo = Demo(directory, records, seed, k)
    for step in demo.steps():
        click.secho(f"\n{step.title}", bold=True)
        if step.command is not None:
            click.secho(f"$ constraint-sdc {step.command}", fg="cyan")
        click.echo(step.run().rstrip("\n"))
    if not demo.result().is_as_expected:
        raise click.ClickException("The demo gave an unexpected result. Please report the output above.")
