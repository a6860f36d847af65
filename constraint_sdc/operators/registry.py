"""The operators by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.geometric_mean import GeometricMean
from constraint_sdc.operators.lower_median import LowerMedian
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.operators.mode import Mode
from constraint_sdc.operators.operator import Operator
from constraint_sdc.settings.words import OperatorName

_ALL: tuple[Operator, ...] = (ArithmeticMean(), GeometricMean(), LowerMedian(), Mode(), Medoid())

OPERATORS: Mapping[OperatorName, Operator] = MappingProxyType({operator.name: operator for operator in _ALL})
"""Every operator under its name."""
