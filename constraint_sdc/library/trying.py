"""Try it out: the demo on generated data, and the exam of a registered object."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.commands.demo import run_demo as demo
from constraint_sdc.errors import UsageError
from constraint_sdc.exam.question import ExamOptions
from constraint_sdc.exam.sit import examine_object as examine
from constraint_sdc.library.keywords import File
from constraint_sdc.library.settle import path_or_none
from constraint_sdc.reports.demo import DemoResult
from constraint_sdc.reports.exam import ExamResult


def examine_object(
    name: str, kind: str | None = None, *, cases: int = 30, seed: int = 0, keep: File | None = None
) -> ExamResult:
    """Sit the exam of a registered masker, operator, partition method, measure, attack or report format.

    `kind` is needed only for a name of several kinds. `cases` is the number of files to mask or results to report,
    `seed` that of the first case, and `keep` a directory for the files of a counterexample. A failed exam raises
    nothing: look at `passed`.

    >>> import constraint_sdc as cs
    >>> cs.examine_object("unchanged", cases=2)
    <ExamResult of measure unchanged (constraint-sdc): passed, 4 questions>
    """
    if cases < 1 or seed < 0:
        raise UsageError(f"cases is {cases} and seed is {seed}", hint="use at least 1 case and a seed of at least 0")
    return examine(name, kind, ExamOptions(cases, seed, path_or_none(keep)))


def run_demo(
    directory: File = "constraint-sdc-demo", *, records: int = 3000, seed: int = 2009, k: int = 5
) -> DemoResult:
    """Generate a census-like extract, mask it, judge it by its rules before and after, and assess loss and risk.

    The files are written into `directory`; old ones are replaced.

    >>> import constraint_sdc as cs
    >>> cs.run_demo("demo", records=50)
    Traceback (most recent call last):
    constraint_sdc.errors.UsageError: 50 records are too few for the demo (use at least 100)
    """
    return demo(Path(directory), records, seed, k)
