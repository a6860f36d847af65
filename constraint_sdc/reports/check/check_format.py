"""What a form of the report on a check is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from constraint_sdc.judge.finding import CheckResult

ReportSyntax: TypeAlias = Literal["text", "json", "xml", "html"]


@dataclass(frozen=True, slots=True)
class CheckFormat:
    """A form of the report: its name for `--format`, and the function that writes it.

    `render` gets a result from which microdata values were taken out, unless the user asked for them. With
    `holds_several` reports of several files may follow one another. `syntax` is what programs read it as. A format
    whose standard has no place for rules that hold is without `names_every_rule`.
    """

    name: str
    render: Callable[[CheckResult], str]
    holds_several: bool = False
    syntax: ReportSyntax = "text"
    names_every_rule: bool = True
