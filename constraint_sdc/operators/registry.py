"""The operators by name: those of this folder, and those of other distributions."""

from __future__ import annotations

from typing import cast

from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.operator import CopyingOperator, Operator
from constraint_sdc.plugins import Registry


def _fault(operator: Operator) -> str | None:
    if not operator.traits.is_average and not hasattr(operator, "choose"):
        return "copies a member's text, but has no method `choose`"
    return None


OPERATORS = Registry[Operator](
    kind="operator",
    folders=("constraint_sdc.operators",),
    group="constraint_sdc.operators",
    protocol=Operator,
    first=(
        "arithmetic mean",
        "geometric mean",
        "lower median",
        "mode",
        "medoid",
        "convex median",
        "minimum",
        "lower quartile",
        "upper quartile",
        "maximum",
    ),
    fault=_fault,
)
"""Every operator under its name."""


def copying_operator(name: str) -> CopyingOperator:
    """Return an operator that copies values, by name."""
    operator = OPERATORS[name]
    if operator.traits.is_average:
        raise TypeError(f"{name} computes new numbers, so it copies none")
    return cast(CopyingOperator, operator)


def averages_otherwise(name: str) -> bool:
    """Tell whether an operator averages but not arithmetically; centres and synthetic values do not support it."""
    return name != ArithmeticMean.name and OPERATORS[name].traits.is_average
