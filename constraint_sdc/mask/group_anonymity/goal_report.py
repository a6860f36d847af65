"""What became of a goal, and why it was missed if it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from constraint_sdc.mask.group_anonymity.goal_signal import GoalSignal
from constraint_sdc.mask.group_anonymity.swaps import SwapTrace
from constraint_sdc.model.goal import SignalKind, VitalSet
from constraint_sdc.model.plan import GoalReport, SignalValue
from constraint_sdc.model.swap_task import FileGoal, Parameter

_SHOWN = 5
_SMALL = 1e-9


def report_goal(
    goal: FileGoal, parameter: Parameter, signal: GoalSignal, trace: SwapTrace, unevaluated: Sequence[str] = ()
) -> GoalReport:
    """Return the goal's signal before and after, the price, and what is missing.

    `unevaluated` are the rules of the parameter that only let records swap which agree in all else that they read.
    """
    after = trace.achieved[goal.places]
    labels = [parameter.labels[code] for code in goal.places.tolist()]
    columns = (
        labels,
        signal.base.tolist(),
        signal.quantity.tolist(),
        signal.wish.counts.tolist(),
        signal.whole.counts.tolist(),
        after.tolist(),
        signal.before.tolist(),
        signal.wished.tolist(),
        signal.of_counts(after).tolist(),
    )
    told = goal.goal
    is_off = bool((np.abs(after - signal.wish.counts) >= 1).any())
    return GoalReport(
        number=goal.number,
        parameter=told.parameter,
        vital=told.group.vital,
        base=told.group.base,
        signal=told.signal.value,
        against=None if told.against is None else _said(told.against),
        values=tuple(SignalValue(*cells) for cells in zip(*columns, strict=True)),
        swaps=len(trace.vital),
        distortion=trace.total,
        is_least=trace.is_exact,
        missed=tuple(_missed(signal, trace, labels, unevaluated, is_off=is_off)),
        notes=tuple(_notes(parameter, signal, trace, is_off=is_off)),
    )


def _said(group: VitalSet) -> str:
    return group.vital if group.base is None else f"{group.vital}, base {group.base}"


def _missed(
    signal: GoalSignal, trace: SwapTrace, labels: list[str], unevaluated: Sequence[str], *, is_off: bool
) -> Iterator[str]:
    """Say why the signal is not as wished, beyond rounding to whole records; `is_off` if it is a record or more off."""
    if signal.wish.unreachable:
        yield f"nobody can be swapped to {_named(signal.wish.unreachable, labels)}, which no record of the base has"
    if signal.whole.shrunk_by < 1 and signal.whole.missed:
        yield _drawn_in(signal)
    full = signal.whole.counts == signal.base
    beyond = [place for place in signal.whole.missed if full[place] and signal.wish.counts[place] > signal.base[place]]
    if beyond:
        yield f"the wish needs more vital records than the base has at {_named(tuple(beyond), labels)}"
    if signal.whole.missed and signal.whole.shrunk_by == 1 and not beyond:
        yield f"whole counts are one or more away from the wish at {_named(signal.whole.missed, labels)}"
    if trace.missing and is_off:
        wanted = trace.missing + len(trace.vital)
        why = "no more pairs are allowed by the rules and other goals"
        if not trace.is_exhausted:
            why = "rules and other goals forbid so many pairs that the search found no more"
        if unevaluated:
            why += (
                f" (not evaluated here, so that only records agreeing in all else may swap: {', '.join(unevaluated)})"
            )
        yield f"{trace.missing:,} of {wanted:,} swaps are missing: {why}"


def _drawn_in(signal: GoalSignal) -> str:
    left = f"{100 * signal.whole.shrunk_by:.0f} %"
    return f"the wish needs counts below 0; all its distances from the mean are drawn in to {left}"


def _named(places: tuple[int, ...], labels: list[str]) -> str:
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return ", ".join(labels[place] for place in places[:_SHOWN]) + more


def _notes(parameter: Parameter, signal: GoalSignal, trace: SwapTrace, *, is_off: bool) -> Iterator[str]:
    if trace.missing and not is_off:
        yield f"{trace.missing:,} swaps were not allowed, which is less than a record from the wish anywhere"
    if abs(signal.wish.shift) > _SMALL:
        unit = "vital records" if signal.kind is SignalKind.QUANTITY else "in concentration"
        yield (
            f"swaps keep the {int(signal.quantity.sum()):,} vital records, so the whole wished signal is moved by "
            f"{signal.wish.shift:+.4g} {unit}"
        )
    if signal.whole.shrunk_by < 1 and not signal.whole.missed:
        yield f"{_drawn_in(signal)}, which is less than a record anywhere"
    if parameter.blanks:
        yield f"{parameter.blanks:,} records have no value of {parameter.name} and take no part"
    if not len(trace.vital) and np.array_equal(trace.before, trace.wished):
        yield "the wished counts are those that there are: nothing is swapped"
