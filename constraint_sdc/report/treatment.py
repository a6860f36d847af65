"""What is done to a variable, in a word."""

from __future__ import annotations

from constraint_sdc.model.plan import Treatment, VariablePlan


def treatment_word(variable: VariablePlan) -> str:
    """Return the operator, or the treatment that takes its place."""
    return variable.operator.value if variable.treatment is Treatment.AGGREGATED else variable.treatment.value
