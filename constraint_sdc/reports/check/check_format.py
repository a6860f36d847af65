"""What a form of the report on a check is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from constraint_sdc.judge.finding import CheckResult


@dataclass(frozen=True, slots=True)
class CheckFormat:
    """A form of the report: its name for `--format`, and the function that writes it.

    `render` gets a result from which microdata values were taken out, unless the user asked for them. With
    `holds_several` reports of several files may follow one another.
    """

    name: str
    render: Callable[[CheckResult], str]
    holds_several: bool = False
