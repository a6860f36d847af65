"""The operators by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from constraint_sdc.aggregate.arithmetic_mean import ArithmeticMean
from constraint_sdc.aggregate.geometric_mean import GeometricMean
from constraint_sdc.aggregate.lower_median import LowerMedian
from constraint_sdc.aggregate.medoid import Medoid
from constraint_sdc.aggregate.mode import Mode
from constraint_sdc.aggregate.operator import Operator
from constraint_sdc.model.policy import OperatorName

_ALL: tuple[Operator, ...] = (ArithmeticMean(), GeometricMean(), LowerMedian(), Mode(), Medoid())

OPERATORS: Mapping[OperatorName, Operator] = MappingProxyType({operator.name: operator for operator in _ALL})
"""Every operator under its name."""
