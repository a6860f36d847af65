"""A plan saved by `plan --out`: read it back, and refuse to mask by it when something changed since."""

from __future__ import annotations

from pathlib import Path

from constraint_sdc.errors import PlanRefusedError
from constraint_sdc.model.plan import Plan
from constraint_sdc.read.json_file import read_json
from constraint_sdc.report.plan_json import changed_inputs, plan_differences, plan_from_json

_WAY_OUT = "look at the new plan, save it with `plan --out`, and mask by that"


def read_plan(path: Path) -> Plan:
    """Return a saved plan."""
    return plan_from_json(read_json(path, "plan.schema.json", "a saved plan"))


def require_same_plan(saved: Plan, now: Plan, hint: str = _WAY_OUT) -> None:
    """Refuse when the inputs or the decisions of the saved plan are not those of the plan made now."""
    if changed := changed_inputs(saved, now):
        raise PlanRefusedError(f"changed since the plan was saved: {', '.join(changed)}", hint=hint)
    if parts := plan_differences(saved, now):
        raise PlanRefusedError(f"the plan made now is not the saved one; they differ in: {', '.join(parts)}", hint=hint)
