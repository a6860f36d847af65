"""The vocabulary of a recipe: roles, scales, operators, standardisation, and the entries of a variable."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal as OneOf
from typing import TypeAlias, get_args

from constraint_sdc.calendar import DateNotation
from constraint_sdc.errors import UsageError
from constraint_sdc.settings.hierarchy import Hierarchy

OnBroken: TypeAlias = OneOf["refuse", "keep"]

Totals: TypeAlias = OneOf["together", "computed", "auto"]
"""How the variable that an equality determines is masked: with its parts, computed from them, or what loses less."""
TOTALS: tuple[Totals, ...] = get_args(Totals)


Undecided: TypeAlias = OneOf["refuse", "guess"]
"""What becomes of a file in which nobody decided on some variable: refuse it, or guess and promise nothing."""
UNDECIDED: tuple[Undecided, ...] = get_args(Undecided)


def undecided_by(word: str) -> Undecided:
    """Return what becomes of undecided variables, by its name."""
    for known in UNDECIDED:
        if word == known:
            return known
    raise UsageError(f"undecided cannot be {word!r}", hint=f"use one of: {', '.join(UNDECIDED)}")


Judging: TypeAlias = OneOf["every-record", "every-case"]
"""What the judge of a masked file is shown: the whole file, or every different combination of the values it reads."""
JUDGINGS: tuple[Judging, ...] = get_args(Judging)


def judging_by(word: str) -> Judging:
    """Return what the judge is shown, by its name."""
    for known in JUDGINGS:
        if word == known:
            return known
    raise UsageError(f"judge cannot be {word!r}", hint=f"use one of: {', '.join(JUDGINGS)}")


class Role(Enum):
    """The role of a variable for disclosure. Quasi-identifiers and confidential variables are masked, others are not.

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
    """The unit in which a numeric variable is measured before distances are computed."""

    Z_SCORE = "z-score"  # its standard deviation
    ROBUST = "robust"  # its interquartile range, which is insensitive to outliers
    NONE = "none"  # unscaled: variables with large numbers dominate


def totals_by(word: str) -> Totals:
    """Return how totals are masked by its name."""
    for known in TOTALS:
        if word == known:
            return known
    raise UsageError(f"totals cannot be {word!r}", hint=f"use one of: {', '.join(TOTALS)}")


def standardise_by(word: str | Standardise) -> Standardise:
    """Return the unit by its name."""
    try:
        return Standardise(word)
    except ValueError:
        known = ", ".join(unit.value for unit in Standardise)
        raise UsageError(f"numbers cannot be standardised by {word!r}", hint=f"use one of: {known}") from None


class Treatment(Enum):
    """What is done to the values of a variable."""

    AGGREGATED = "aggregated"  # by its operator, one value for a group
    SYNTHESISED = "synthesised"  # drawn with the means and covariances of its cluster
    SHUFFLED = "shuffled"  # the values of its cluster, each with another record
    RANKED = "ranked"  # by its operator, over neighbours in the order of this variable alone
    SWAPPED = "swapped"  # exchanged between pairs of records


@dataclass(frozen=True, slots=True)
class VariableWish:
    """The recipe's entries for one variable; None means "not given".

    `decimals` is the grid: 0 is integer, "free" a free double, a notation the days or months that are written so.

    `operator` is the name of an operator. `is_removed` takes an identifier out of the masked file, and `keep` says why
    one that stays is harmless. `weight` is how much
    a squared difference in this variable counts in distances, against 1 for the others. `order` are the values of an
    ordinal variable, lowest first; without it they are in the order of numbers, or of texts. `hierarchy` has coarser
    values, for a variable of the key.
    """

    role: Role | None = None
    scale: Scale | None = None
    decimals: int | OneOf["free"] | DateNotation | None = None
    operator: str | None = None
    is_removed: bool = False
    weight: float | None = None
    order: tuple[str, ...] = ()
    hierarchy: Hierarchy | None = None
    keep: str | None = None


@dataclass(frozen=True, slots=True)
class SurroundingWish:
    """The recipe's decision on something around the records: it is kept, for a reason if one is given, or removed."""

    is_kept: bool
    why: str | None = None
