"""`exam`: an object of any kind sits the exam that our own sit."""

from __future__ import annotations

from pathlib import Path

import click

from constraint_sdc.cli.options import OUT

_EPILOG = """\b
Exit codes: 0 passed; 1 failed, with the first counterexample; 2 no such name, or an option cannot be obeyed.
What each exam asks, and how to register an object: docs/extending.md

\b
Examples:
  constraint-sdc exam mdav
  constraint-sdc exam "arithmetic mean" --cases 100
  constraint-sdc exam microhybrid --kind masker --cases 20 --seed 1000 --keep failures
"""


@click.command("exam", epilog=_EPILOG)
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(("masker", "operator", "partition", "measure", "report", "engine")),
    help="Kind of the object. [default: the one that has this name]",
)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="Files to mask or results to report; claims and pairs of files grow with it.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the first case.")
@click.option("--keep", type=OUT, help="Directory for the files of a counterexample.")
def command(name: str, kind: str | None, cases: int, seed: int, keep: Path | None) -> None:
    """Examine a registered masker, operator, partition method, measure, attack, report format or engine by NAME.

    Random rules and data are masked with it and judged by Saxon on the written bytes; what it claims is attacked.
    A report format gets drawn results with secret values and hostile texts.
    An engine runs drawn pieces of work while its workers are killed.
    """
    from constraint_sdc.exam.question import ExamOptions
    from constraint_sdc.exam.sit import KINDS, find_kind, sit_exam
    from constraint_sdc.reports.exam import ExamAnswer, answer_line, exam_end, exam_head

    found = find_kind(name, kind)
    click.echo(exam_head(found, name, KINDS[found].distribution(name)))
    answers: list[ExamAnswer] = []
    for answer in sit_exam(name, found, ExamOptions(cases, seed, keep)):
        click.echo(answer_line(answer))
        answers.append(answer)
    click.echo(exam_end(tuple(answers)))
    if not answers[-1].passed:
        raise click.exceptions.Exit(1)
