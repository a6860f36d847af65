"""Group anonymity under edit rules: O. Chertov and D. Tavrov, Data group anonymity in microfiles.

All goals are carried out together, and every block is one parameter: swaps for one goal do not change the signals of
the others. A swapped value is the partner's text in the file, unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from constraint_sdc.arrays import Rows
from constraint_sdc.data.groups import Groups
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.group_anonymity.goal import SignalKind, VitalSet
from constraint_sdc.maskers.group_anonymity.goal_signal import GoalSignal, goal_signal
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Influence, Nominal, Ordinal
from constraint_sdc.maskers.group_anonymity.several import Realised, Wish, realise, require_independent
from constraint_sdc.maskers.group_anonymity.swap_rules import SwapRules, text_codes
from constraint_sdc.maskers.group_anonymity.swap_task import FileGoal, FileInfluential, SwapParameter, SwapTask
from constraint_sdc.maskers.group_anonymity.swaps import SwapTrace, swapped
from constraint_sdc.maskers.inputs import MaskInputs, information_loss
from constraint_sdc.maskers.masked import Masked, MaskedBlock, Swaps
from constraint_sdc.plan.design import BlockDesign, Design
from constraint_sdc.plan.plan import ExactStep, GoalReport, Price, SignalValue
from constraint_sdc.settings.reason import Reason, because

# The result of a goal, and why it is missed, if it is.

_SHOWN = 5
_SMALL = 1e-9


def report_goal(
    goal: FileGoal, parameter: SwapParameter, signal: GoalSignal, trace: SwapTrace, unevaluated: Sequence[str] = ()
) -> GoalReport:
    """Return the goal's signal before and after, the price, and what is missing.

    `unevaluated` are rules that cannot be evaluated: they allow swaps only between records that agree in everything
    else that the rules read.
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
        notes=tuple(_notes(parameter, signal, trace, labels, is_off=is_off)),
    )


def _said(group: VitalSet) -> str:
    return group.vital if group.base is None else f"{group.vital}, base {group.base}"


def _missed(
    signal: GoalSignal, trace: SwapTrace, labels: list[str], unevaluated: Sequence[str], *, is_off: bool
) -> Iterator[Reason]:
    """Yield why the signal differs from the wish by more than rounding; `is_off` if by a record or more."""
    if signal.wish.unreachable:
        yield because(
            "unreachable-values", values=_first(signal.wish.unreachable, labels), more=_more(signal.wish.unreachable)
        )
    if signal.whole.shrunk_by < 1 and signal.whole.missed:
        yield because("counts-below-zero", percent=_percent(signal.whole.shrunk_by))
    if signal.whole.infeasible and signal.whole.missed:
        out = signal.whole.infeasible
        yield because("wish-out-of-range", values=_first(out, labels), more=_more(out))
    full = signal.whole.counts == signal.base
    beyond = [place for place in signal.whole.missed if full[place] and signal.wish.counts[place] > signal.base[place]]
    if beyond and not signal.whole.infeasible:
        yield because("base-too-small", values=_first(beyond, labels), more=_more(beyond))
    if signal.whole.missed and signal.whole.shrunk_by == 1 and not beyond and not signal.whole.infeasible:
        yield because("whole-counts-off", values=_first(signal.whole.missed, labels), more=_more(signal.whole.missed))
    if trace.left_out and is_off:
        yield because("threshold-reached", left_out=trace.left_out, wanted=trace.missing + len(trace.vital))
    missing = int(trace.missing) - trace.left_out
    if missing and is_off:
        yield because(
            "swaps-missing",
            missing=missing,
            wanted=int(trace.missing) + len(trace.vital),
            is_exhausted=bool(trace.is_exhausted),
            unevaluated=tuple(unevaluated),
        )


def _first(places: Sequence[int], labels: list[str]) -> tuple[str, ...]:
    """Return the first few of the values."""
    return tuple(labels[place] for place in places[:_SHOWN])


def _more(places: Sequence[int]) -> int:
    """Return how many more values there are."""
    return max(len(places) - _SHOWN, 0)


def _percent(share: float) -> int:
    return round(100 * share)


def _notes(
    parameter: SwapParameter, signal: GoalSignal, trace: SwapTrace, labels: list[str], *, is_off: bool
) -> Iterator[Reason]:
    if trace.left_out and not is_off:
        yield because("threshold-reached-slightly", left_out=trace.left_out)
    if trace.missing > trace.left_out and not is_off:
        yield because("swaps-not-allowed", missing=int(trace.missing) - trace.left_out)
    if abs(signal.wish.shift) > _SMALL:
        yield because(
            "signal-moved",
            vital=int(signal.quantity.sum()),
            shift=float(signal.wish.shift),
            is_quantity=signal.kind is SignalKind.QUANTITY,
        )
    if signal.whole.shrunk_by < 1 and not signal.whole.missed:
        yield because("counts-below-zero-slightly", percent=_percent(signal.whole.shrunk_by))
    if signal.whole.infeasible and not signal.whole.missed:
        out = signal.whole.infeasible
        yield because("wish-out-of-range-slightly", values=_first(out, labels), more=_more(out))
    if parameter.blanks:
        yield because("records-without-value", records=parameter.blanks, parameter=parameter.name)
    if not len(trace.vital) and np.array_equal(trace.before, trace.wished):
        yield because("nothing-to-swap")


def mask_groups(design: Design, inputs: MaskInputs) -> Masked:
    """Return every parameter with its values swapped, the results of the goals, and the pairs."""
    task = inputs.task
    assert isinstance(task, SwapTask)
    influence = Influence(tuple(_influential(one) for one in task.influential))
    signals = [_signal(goal, task) for goal in task.goals]
    wishes = [_wish(goal, signal, task, influence) for goal, signal in zip(task.goals, signals, strict=True)]
    try:
        require_independent(wishes)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    codes = {name: one.codes for name, one in task.parameters.items()}
    found = realise(wishes, codes, _SwapConditions(design, inputs), threshold=task.threshold)
    unevaluated = {block.plan.names[0]: block.unevaluated for block in design.blocks}
    reports = [
        report_goal(goal, task.parameters[goal.goal.parameter], signal, trace, unevaluated[goal.goal.parameter])
        for goal, signal, trace in zip(task.goals, signals, found.traces, strict=True)
    ]
    blocks = tuple(_block(block, found.sources[block.plan.names[0]], reports) for block in design.blocks)
    return Masked(blocks, tuple(_swaps(task, found, inputs)))


def _influential(one: FileInfluential) -> Ordinal | Nominal:
    try:
        if one.numbers is not None:
            return Ordinal(one.numbers, one.wish.weight)
        assert one.codes is not None
        return Nominal(one.codes, one.wish.weight, one.wish.same, one.wish.different)
    except ValueError as problem:
        raise UsageError(f"influential {one.wish.name}: {problem}") from None


def _signal(goal: FileGoal, task: SwapTask) -> GoalSignal:
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # a result that is not a number is refused below
            return goal_signal(goal, task.parameters[goal.goal.parameter])
    except ValueError as problem:
        raise UsageError(f"goal {goal.number} ({goal.goal.parameter}): {problem}") from None


def _wish(goal: FileGoal, signal: GoalSignal, task: SwapTask, influence: Influence) -> Wish:
    counts = np.zeros(len(task.parameters[goal.goal.parameter].labels), np.int64)
    counts[goal.places] = signal.whole.counts
    against = None if goal.against is None else (goal.against.vital, goal.against.base)
    name, group = f"goal {goal.number}", goal.group
    return Wish(
        name,
        goal.goal.parameter,
        group.vital,
        group.base,
        counts,
        influence,
        goal.reads,
        against,
        goal.goal.weight,
        goal.goal.threshold,
    )


class _SwapConditions:
    """Gives the rules of a parameter for the values at the time of its swaps."""

    def __init__(self, design: Design, inputs: MaskInputs) -> None:
        self._blocks = {block.plan.names[0]: block for block in design.blocks}
        self._inputs = inputs
        self._codes_of = cache(lambda name: text_codes(inputs.table.columns[name]))

    def __call__(self, parameter: str, sources: Mapping[str, Rows]) -> Allowed:
        block, inputs = self._blocks[parameter], self._inputs
        evaluate = inputs.evaluator_for(block)
        return SwapRules(block, inputs.table, inputs.held, evaluate, sources, self._codes_of).allowed


def _block(design: BlockDesign, source: Rows, reports: list[GoalReport]) -> MaskedBlock:
    """Return one parameter; row i of its values is the original of record i; `source` has the row of each record."""
    series = design.series[0]
    records = len(source)
    is_swapped = source != np.arange(records)
    moved = int(is_swapped.sum())
    price = Price(
        loss=information_loss((series,), series.values[source].reshape(-1, 1)),
        plain_loss=None,
        groups=1,
        smallest=records,
        steps={ExactStep.SWAPPED: moved, ExactStep.KEPT: records - moved},
        goals=tuple(report for report in reports if report.parameter == series.name),
    )
    step = tuple(ExactStep.SWAPPED if moved else ExactStep.KEPT for moved in is_swapped.tolist())
    groups = Groups(np.zeros(records, np.int64))
    return MaskedBlock(design.plan, groups, (0,), step, {series.name: series.column}, price, own=source)


def _swaps(task: SwapTask, found: Realised, inputs: MaskInputs) -> Iterator[Swaps]:
    """Yield the pairs of every goal, with the values that the records had when they were swapped."""
    now = {name: np.arange(inputs.table.records, dtype=np.int64) for name in task.parameters}
    for goal, trace in zip(task.goals, found.traces, strict=True):
        name = goal.goal.parameter
        column = inputs.table.columns[name]
        own, taken = (
            tuple(text or "" for text in column.take(now[name][rows]).texts()) for rows in (trace.vital, trace.others)
        )
        yield Swaps(goal.number, trace.vital, trace.others, own, taken, tuple(trace.costs.tolist()))
        now[name] = swapped(now[name], trace)
