"""What became of a goal, as JSON under schemas/plan.schema.json, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from constraint_sdc.model.plan import GoalReport, SignalValue


def goal_to_json(goal: GoalReport) -> dict[str, object]:
    """Return a goal as JSON values."""
    content = asdict(goal)
    lists = {name: list(content[name]) for name in ("values", "missed", "notes")}
    return {**content, **lists, "is_reached": goal.is_reached}


def goal_from_json(content: Mapping[str, Any]) -> GoalReport:
    """Return the goal that content under the schema stands for."""
    told = {name: value for name, value in content.items() if name != "is_reached"}
    lists = {name: tuple(told[name]) for name in ("missed", "notes")}
    return GoalReport(**{**told, **lists, "values": tuple(SignalValue(**value) for value in told["values"])})
