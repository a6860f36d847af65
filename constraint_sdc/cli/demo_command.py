"""`demo`: the whole story on generated data."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import FILE, deliver


@click.command("demo")
@click.option("--directory", type=FILE, default=Path("constraint-sdc-demo"), show_default=True, help="Where to write.")
@click.option("--records", type=click.IntRange(min=100), default=3000, show_default=True, help="Records to generate.")
@click.option("--seed", type=int, default=2009, show_default=True, help="Seed of the generated data.")
def command(directory: Path, records: int, seed: int) -> None:
    """Generate a census-like extract and a damaged copy, list the rules, and check both as a release gate would."""
    from constraint_sdc.pipeline.check import CheckOptions, check_file
    from constraint_sdc.pipeline.demo import prepare_demo
    from constraint_sdc.pipeline.rule_list import list_rules
    from constraint_sdc.report.render import render
    from constraint_sdc.report.rules_list import render_rules_text

    files = prepare_demo(directory, records, seed)
    _say(f"1. An edited extract of {records:,} records: {files.original}")
    _say("2. Its five edit rules, as we understand them:", f"constraint-sdc rules {files.rules}")
    click.echo(render_rules_text(list_rules(files.rules, data=files.original)))
    options = CheckOptions(domain=files.domain, max_examples=3)
    _say("3. The extract obeys them:", _command(files.original, files.rules, files.domain))
    click.echo(render(check_file(files.original, files.rules, options), "text"))
    _say("4. A copy in which every rule is broken in 1% of the records does not:")
    _say(None, _command(files.damaged, files.rules, files.domain))
    result = check_file(files.damaged, files.rules, options)
    click.echo(render(result, "text"))
    deliver(render(result, "html"), files.report)
    _say(f"5. The report for the review board: {files.report}")
    if result.exit_code != 1:
        raise click.ClickException("the damaged copy passed: that must not happen")


def _command(data: Path, rules: Path, domain: Path) -> str:
    return f"constraint-sdc check {data} --rules {rules} --domain {domain} --max-examples 3"


def _say(text: str | None, shell: str | None = None) -> None:
    if text:
        click.secho(f"\n{text}", bold=True)
    if shell:
        click.secho(f"$ {shell}", fg="cyan")
