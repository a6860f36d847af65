"""A goal of group anonymity for people: the goal, the result value by value, and the cost."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO

from constraint_sdc.maskers.masked import Swaps
from constraint_sdc.plan.plan import BlockPlan, GoalReport, Plan, SignalValue, VariablePlan
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.sentences import sentence, sentences
from constraint_sdc.reports.terminal import align, clean, fact, paint, wrapped
from constraint_sdc.settings.words import Scale, Treatment

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
    for reason in goal.missed:
        yield from fact("missed", clean(sentence(reason)), columns)
    yield from fact("swaps", swaps_text(goal), columns)
    for note in goal.notes:
        yield from fact("note", clean(sentence(note)), columns)
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
    state = "reached" if goal.is_reached else f"MISSED: {'; '.join(sentences(goal.missed))}"
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


# The pairs of records that exchanged values, as CSV. Only the owner of the original file may have it.

_HEAD = ("goal", "vital_record", "other_record", "before", "after", "cost")


def render_swaps_csv(swaps: Sequence[Swaps]) -> str:
    """Return a line per pair; records count from 1, `before` and `after` are the vital record's values."""
    with StringIO(newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(_HEAD)
        for one in swaps:
            rows = (one.vital + 1).tolist(), (one.others + 1).tolist(), one.vital_values, one.other_values, one.costs
            writer.writerows((one.goal, *cells) for cells in zip(*rows, strict=True))
        return stream.getvalue()


# What a plan says of a variable and of a block, in a word.


def treatment_word(variable: VariablePlan) -> str:
    """Return the operator, or the treatment that takes its place."""
    return variable.operator if variable.treatment is Treatment.AGGREGATED else variable.treatment.value


def grid_word(variable: VariablePlan) -> str:
    """Return the grid of a variable's numbers; categories have none."""
    return str(variable.grid) if variable.scale is Scale.NUMERIC else "-"


def least_words(plan: Plan) -> str:
    """Say how many records a group has at least; nothing where that is not promised."""
    return "" if plan.k == 1 or not plan.masker.shares_values else f"at least {counted(plan.k, 'record')} to a group"


def has_numbers(block: BlockPlan) -> bool:
    """Tell whether there is a loss to speak of: it is measured in numbers."""
    return any(variable.scale is Scale.NUMERIC for variable in block.variables)
