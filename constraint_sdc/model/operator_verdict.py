"""What an operator says about a constraint: preserved, to be made exact, or not covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Preserved:
    """The representative satisfies the constraint, digit for digit, whenever every member does."""

    because: str


@dataclass(frozen=True, slots=True)
class NeedsExact:
    """True of the representative in real arithmetic; must be made true on the output grid."""

    because: str


@dataclass(frozen=True, slots=True)
class NotCovered:
    """The members' satisfying the constraint says nothing about the representative."""

    because: str


OperatorVerdict: TypeAlias = Preserved | NeedsExact | NotCovered
