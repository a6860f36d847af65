"""What a plan says of a variable and of a block, in a word."""

from __future__ import annotations

from constraint_sdc.model.method import FuzzyCMeans
from constraint_sdc.model.plan import BlockPlan, Plan, Treatment, VariablePlan
from constraint_sdc.model.policy import Scale
from constraint_sdc.report.wording import counted


def treatment_word(variable: VariablePlan) -> str:
    """Return the operator, or the treatment that takes its place."""
    return variable.operator.value if variable.treatment is Treatment.AGGREGATED else variable.treatment.value


def grid_word(variable: VariablePlan) -> str:
    """Return the grid of a variable's numbers; categories have none."""
    return str(variable.grid) if variable.scale is Scale.NUMERIC else "-"


def least_words(plan: Plan) -> str:
    """Say how many records a group has at least; nothing where that is not promised."""
    is_loose = isinstance(plan.masker, FuzzyCMeans) and not plan.masker.ensure_k
    return "" if plan.k == 1 or is_loose else f"at least {counted(plan.k, 'record')} to a group"


def has_numbers(block: BlockPlan) -> bool:
    """Tell whether there is a loss to speak of: it is measured in numbers."""
    return any(variable.scale is Scale.NUMERIC for variable in block.variables)
