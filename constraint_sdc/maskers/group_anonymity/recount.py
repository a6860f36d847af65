"""Count the signals of a certificate's goals in the masked file."""

from __future__ import annotations

from collections.abc import Sequence

from constraint_sdc.data.table import Table
from constraint_sdc.errors import UsageError
from constraint_sdc.maskers.group_anonymity.goal import Goal, Influential
from constraint_sdc.maskers.group_anonymity.resolve_goals import resolve_goals
from constraint_sdc.maskers.group_anonymity.signals import quantity
from constraint_sdc.maskers.group_anonymity.swap_task import FileGoal, SwapTask
from constraint_sdc.plan.plan import GoalReport, Plan
from constraint_sdc.settings.recipe import Recipe


def recount_goals(
    goals: Sequence[Goal], influential: Sequence[Influential], plan: Plan, table: Table, recipe: Recipe
) -> tuple[str, list[str]]:
    """Return a sentence about what was counted, and the differences from the certificate.

    A set whose condition reads a variable that was removed from the file cannot be counted; the sentence says so.
    """
    try:
        task = resolve_goals(goals, influential, table, recipe)
    except UsageError as problem:
        return f"the signals of the goals cannot be counted in this file: {problem.what}", []
    pairs = zip(task.goals, plan.all_goals(), strict=True)
    wrong = [line for goal, said in pairs for line in _differences(goal, said, task)]
    return "the signals of the goals are as certified, counted in the file", wrong


def _differences(goal: FileGoal, said: GoalReport, task: SwapTask) -> list[str]:
    parameter = task.parameters[goal.goal.parameter]
    counts = quantity(parameter.codes, goal.group.vital, len(parameter.labels)).tolist()
    actual = dict(zip(parameter.labels, counts, strict=True))
    lines = [
        f"goal {said.number}: {value.value} has {actual.get(value.value, 0):,} vital records, certified {value.after:,}"
        for value in said.values
        if actual.get(value.value, 0) != value.after
    ]
    gone = sum(max(value.before - value.after, 0) for value in said.values)
    if gone != said.swaps:
        lines.append(f"goal {said.number}: {said.swaps:,} swaps are certified, but the counts changed by {gone:,}")
    return lines
