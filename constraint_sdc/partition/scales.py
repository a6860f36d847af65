"""Refusing variables of a scale that a method has no distance for."""

from __future__ import annotations

from constraint_sdc.errors import UsageError
from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.policy import Scale


def refuse_scales(cloud: Cloud, method: str, scales: frozenset[Scale], *, hint: str) -> None:
    """Refuse a cloud with a variable of one of these scales, by its name; a cloud without axes is all numeric."""
    if not cloud.scales & scales:
        return
    unfit = [f"{axis.name} is {axis.scale.value}" for axis in cloud.axes if axis.scale in scales]
    shown = ", ".join(unfit[:3]) + (", ..." if len(unfit) > 3 else "")
    refused = " or ".join(scale.value for scale in Scale if scale in scales)
    raise UsageError(f"{method} takes no {refused} variables: {shown or 'all are numeric'}", hint=hint)
