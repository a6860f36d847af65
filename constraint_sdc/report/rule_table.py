"""The rules before and after masking as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.model.masking import RuleOutcome
from constraint_sdc.report.terminal import align, clean, paint
from constraint_sdc.report.wording import number

_HEAD = ("rule", "severity", "checked", "broken before", "still broken", "repaired", "newly broken")


def rule_table(outcomes: tuple[RuleOutcome, ...], colour: bool) -> Iterator[str]:
    """Yield a head and a line per rule; rules that some masked record breaks stand out."""
    first, *lines = align([_HEAD, *map(_cells, outcomes)], right=range(2, len(_HEAD)))
    yield paint(first, "faint", colour)
    for outcome, line in zip(outcomes, lines, strict=True):
        yield paint(line, "doubtful", colour) if outcome.still_broken or outcome.newly_broken else line


def _cells(outcome: RuleOutcome) -> tuple[str, ...]:
    counts = (
        outcome.checked,
        outcome.broken_before,
        outcome.still_broken,
        outcome.repaired,
        outcome.newly_broken,
    )
    return (clean(outcome.rule), outcome.severity, *map(number, counts))
