"""Count the signals of a certificate's goals again, in the masked file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from constraint_sdc.errors import UsageError
from constraint_sdc.mask.group_anonymity.signals import quantity
from constraint_sdc.model.method import GroupAnonymity
from constraint_sdc.model.plan import GoalReport, Plan
from constraint_sdc.model.swap_task import FileGoal, SwapTask
from constraint_sdc.pipeline.goals import resolve_goals
from constraint_sdc.pipeline.preparation import read_whole
from constraint_sdc.read.microdata import open_microdata
from constraint_sdc.read.recipe import recipe_from_json


def recount_goals(certificate: Mapping[str, Any], plan: Plan, data: Path, record: str | None) -> tuple[str, list[str]]:
    """Return what was counted, in words, and where the file is not as certified; no words where there are no goals.

    A set whose condition reads a variable that was taken out of the file cannot be counted, and the words say so.
    """
    if not isinstance(plan.masker, GroupAnonymity):
        return "", []
    microdata = open_microdata(data, record=record or certificate["options"]["record"])
    table, _, _ = read_whole(microdata, lambda _: None)
    try:
        task = resolve_goals(plan.masker, table, recipe_from_json(certificate["recipe"]))
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
        lines.append(f"goal {said.number}: {said.swaps:,} swaps are certified, and the counts changed by {gone:,}")
    return lines
