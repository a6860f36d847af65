"""The words of a recipe for masking: what a variable is, what may happen to it, and how the file is masked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal as OneOf
from typing import TypeAlias

OnBroken: TypeAlias = OneOf["refuse", "keep"]


class Role(Enum):
    """What a variable is for an intruder. Quasi-identifiers and confidential variables are masked, the others are not.

    In the default groups a quasi-identifier never shares a group with a confidential variable.
    """

    IDENTIFIER = "identifier"
    QUASI_IDENTIFIER = "quasi-identifier"
    CONFIDENTIAL = "confidential"
    UNTOUCHED = "untouched"

    @property
    def is_masked(self) -> bool:
        """Tell whether the variable's values are replaced."""
        return self in (Role.QUASI_IDENTIFIER, Role.CONFIDENTIAL)


class Scale(Enum):
    """What may be computed from the values: numbers, an order, or nothing but equality."""

    NUMERIC = "numeric"
    ORDINAL = "ordinal"
    NOMINAL = "nominal"


class Standardise(Enum):
    """In which unit a numeric variable is measured before distances are taken."""

    Z_SCORE = "z-score"  # its standard deviation
    ROBUST = "robust"  # the distance between its quartiles, which outliers do not stretch
    NONE = "none"  # as it is: variables with large numbers dominate


class OperatorName(Enum):
    """How a group's values become one: see `constraint_sdc/operators`, one file each."""

    ARITHMETIC_MEAN = "arithmetic mean"
    GEOMETRIC_MEAN = "geometric mean"
    LOWER_MEDIAN = "lower median"
    MODE = "mode"
    MEDOID = "medoid"

    @property
    def is_average(self) -> bool:
        """Tell whether it computes a new number; the others copy the value of a record."""
        return self in (OperatorName.ARITHMETIC_MEAN, OperatorName.GEOMETRIC_MEAN)


class Treatment(Enum):
    """What is done to the values of a variable."""

    AGGREGATED = "aggregated"  # by its operator, one value for a group
    SYNTHESISED = "synthesised"  # drawn with the means and covariances of its cluster
    SHUFFLED = "shuffled"  # the values of its cluster, each with another record
    RANKED = "ranked"  # by its operator, over neighbours in the order of this variable alone
    SWAPPED = "swapped"  # exchanged between pairs of records


@dataclass(frozen=True, slots=True)
class VariableWish:
    """What the recipe says about one variable; None is "not said". `decimals`: 0 is integer, "free" a free double.

    `is_removed` takes an identifier out of the masked file. `weight` is how much a squared difference in this variable
    counts in distances, against 1 for the others. `order` are the values of an ordinal variable, lowest first; without
    it they are in the order of numbers, or of texts.
    """

    role: Role | None = None
    scale: Scale | None = None
    decimals: int | OneOf["free"] | None = None
    operator: OperatorName | None = None
    is_removed: bool = False
    weight: float | None = None
    order: tuple[str, ...] = ()
