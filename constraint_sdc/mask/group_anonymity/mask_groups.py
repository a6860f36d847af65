"""Group anonymity under edit rules: O. Chertov and D. Tavrov, Data group anonymity in microfiles.

All goals are carried out together, block after block being one parameter each: swaps for one goal leave the signals of
the others as they are. A swapped value is the partner's text as it stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from constraint_sdc.errors import UsageError
from constraint_sdc.mask.group_anonymity.goal_report import report_goal
from constraint_sdc.mask.group_anonymity.goal_signal import GoalSignal, goal_signal
from constraint_sdc.mask.group_anonymity.influence import Influence, Nominal, Ordinal
from constraint_sdc.mask.group_anonymity.quotas import Allowed
from constraint_sdc.mask.group_anonymity.several import Realised, Wish, realise, require_independent
from constraint_sdc.mask.group_anonymity.swap_rules import SwapRules, text_codes
from constraint_sdc.mask.group_anonymity.swaps import swapped
from constraint_sdc.mask.inputs import MaskInputs
from constraint_sdc.mask.loss import information_loss
from constraint_sdc.model.design import BlockDesign, Design
from constraint_sdc.model.groups import Groups, Rows
from constraint_sdc.model.masked import Masked, MaskedBlock, Swaps
from constraint_sdc.model.plan import GoalReport, Price, Step
from constraint_sdc.model.swap_task import FileGoal, FileInfluential, SwapTask


def mask_groups(design: Design, inputs: MaskInputs) -> Masked:
    """Return every parameter with its values swapped, what became of the goals, and the pairs."""
    task = inputs.swaps
    assert task is not None
    influence = Influence(tuple(_influential(one) for one in task.influential))
    signals = [_signal(goal, task) for goal in task.goals]
    wishes = [_wish(goal, signal, task, influence) for goal, signal in zip(task.goals, signals, strict=True)]
    try:
        require_independent(wishes)
    except ValueError as problem:
        raise UsageError(str(problem)) from None
    found = realise(wishes, {name: one.codes for name, one in task.parameters.items()}, _RulesOf(design, inputs))
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
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number in the end is refused below
            return goal_signal(goal, task.parameters[goal.goal.parameter])
    except ValueError as problem:
        raise UsageError(f"goal {goal.number} ({goal.goal.parameter}): {problem}") from None


def _wish(goal: FileGoal, signal: GoalSignal, task: SwapTask, influence: Influence) -> Wish:
    counts = np.zeros(len(task.parameters[goal.goal.parameter].labels), np.int64)
    counts[goal.places] = signal.whole.counts
    against = None if goal.against is None else (goal.against.vital, goal.against.base)
    name, group = f"goal {goal.number}", goal.group
    return Wish(name, goal.goal.parameter, group.vital, group.base, counts, influence, goal.reads, against)


class _RulesOf:
    """Gives the rules of a parameter as they are when its turn comes."""

    def __init__(self, design: Design, inputs: MaskInputs) -> None:
        self._blocks = {block.plan.names[0]: block for block in design.blocks}
        self._inputs = inputs
        self._codes_of = cache(lambda name: text_codes(inputs.table.columns[name]))

    def __call__(self, parameter: str, sources: Mapping[str, Rows]) -> Allowed:
        block, inputs = self._blocks[parameter], self._inputs
        evaluate = inputs.evaluator_for(block)
        return SwapRules(block, inputs.table, inputs.held, evaluate, sources, self._codes_of).allowed


def _block(design: BlockDesign, source: Rows, reports: list[GoalReport]) -> MaskedBlock:
    """Return one parameter; row i of its values is the original of record i, which record `source` tells may get."""
    series = design.series[0]
    records = len(source)
    is_swapped = source != np.arange(records)
    moved = int(is_swapped.sum())
    price = Price(
        loss=information_loss((series,), series.values[source].reshape(-1, 1)),
        plain_loss=None,
        groups=1,
        smallest=records,
        steps={Step.SWAPPED: moved, Step.KEPT: records - moved},
        goals=tuple(report for report in reports if report.parameter == series.name),
    )
    step = tuple(Step.SWAPPED if moved else Step.KEPT for moved in is_swapped.tolist())
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
