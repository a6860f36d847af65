"""What a form of the report on a check is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from constraint_sdc.judge.finding import CheckResult

ReportSyntax: TypeAlias = Literal["text", "json", "xml", "html", "csv", "parquet"]


@dataclass(frozen=True, slots=True)
class CheckFormat:
    """A form of the report: its name for `--format`, and the function that writes it.

    `render` gets a result from which microdata values were taken out, unless the user asked for them. With
    `holds_several` reports of several files may follow one another. `syntax` is what programs read it as. A format
    whose standard has no place for rules that hold is without `names_every_rule`, a summary without counts of single
    rules without `counts_by_rule`. With `lists_every_violation` no violation is left out unless the user says so.
    """

    name: str
    render: Callable[[CheckResult], str | bytes]
    holds_several: bool = False
    syntax: ReportSyntax = "text"
    names_every_rule: bool = True
    counts_by_rule: bool = True
    lists_every_violation: bool = False

    @property
    def is_binary(self) -> bool:
        """Tell whether the report is bytes, which no terminal shows."""
        return self.syntax == "parquet"
