"""A goal of group anonymity for people: what was wished, what came of it value by value, and at what price."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.model.plan import GoalReport, SignalValue
from constraint_sdc.report.paragraphs import fact, wrapped
from constraint_sdc.report.terminal import align, clean, paint
from constraint_sdc.report.wording import counted, number

_VALUES_SHOWN = 48
_QUANTITY = "quantity"


def goal_lines(goal: GoalReport, columns: int, colour: bool) -> Iterator[str]:
    """Yield the goal's facts, and a table of its signal before and after."""
    state = paint("reached", "good", colour) if goal.is_reached else paint("MISSED", "bad", colour)
    yield f"goal {goal.number}: {clean(goal.signal)} over {clean(goal.parameter)}, {state}"
    yield from fact("vital", clean(goal.vital), columns)
    yield from fact("base", "all records" if goal.base is None else clean(goal.base), columns)
    if goal.against is not None:
        yield from fact("against", clean(goal.against), columns)
    for sentence in goal.missed:
        yield from fact("missed", clean(sentence), columns)
    yield from fact("swaps", swaps_text(goal), columns)
    for note in goal.notes:
        yield from fact("note", clean(note), columns)
    yield ""
    yield from _table(goal, columns, colour)


def swaps_text(goal: GoalReport) -> str:
    """Return how many pairs were swapped, and what that cost."""
    least = "the least possible" if goal.is_least else "near the least"
    if not goal.swaps:
        return "none"
    return f"{counted(goal.swaps, 'pair')} of records, total distortion {goal.distortion:.4g} ({least})"


def goal_sentence(goal: GoalReport) -> str:
    """Return a goal in one sentence."""
    state = "reached" if goal.is_reached else f"MISSED: {'; '.join(goal.missed)}"
    return f"{goal.signal} over {goal.parameter} of {goal.vital}: {state}; swaps: {swaps_text(goal)}"


def _table(goal: GoalReport, columns: int, colour: bool) -> Iterator[str]:
    """Yield counts of vital records and, unless it is the same, the signal: before, wished, after."""
    is_quantity = goal.signal == _QUANTITY
    head: tuple[str, ...] = ("value", "base", "before", "wished", "whole", "after")
    head += () if is_quantity else ("signal before", "wished", "after")
    rows = [_cells(value, is_quantity) for value in goal.values[:_VALUES_SHOWN]]
    first, *lines = align([head, *rows], right=range(1, len(head)))
    yield "  " + paint(first, "faint", colour)
    yield from (f"  {line}" for line in lines)
    if more := len(goal.values) - len(rows):
        yield from wrapped(f"... and {counted(more, 'more value')}, all of them in the JSON plan", columns, "  ", "  ")


def _cells(value: SignalValue, is_quantity: bool) -> tuple[str, ...]:
    counts = (
        clean(value.value),
        number(value.base),
        number(value.before),
        f"{value.wished:,.2f}",
        number(value.whole),
        number(value.after),
    )
    signal = (value.signal_before, value.signal_wished, value.signal_after)
    return counts if is_quantity else (*counts, *(f"{share:.4f}" for share in signal))
