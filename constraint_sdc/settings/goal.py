"""Goals of group anonymity: which signal is to be changed, and how (Chertov and Tavrov, Data group anonymity).

All names and conditions are texts as the recipe has them; they become numbers when a file is at hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.settings.words import Scale


class SignalKind(Enum):
    """What is counted for every value of the parameter."""

    QUANTITY = "quantity"  # vital records
    CONCENTRATION = "concentration"  # vital records over those of the base
    DIFFERENCE = "concentration difference"  # the concentration less that of another vital set


@dataclass(frozen=True, slots=True)
class VitalSet:
    """Records by a condition (docs/measures/subdomains.md), and the base that they are compared with: all if None."""

    vital: str
    base: str | None = None


@dataclass(frozen=True, slots=True)
class MovedExtremum:
    """The values at two places of the signal change places: the peak stands elsewhere."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class AddedExtremum:
    """An alleged peak at a place; None is as high as the highest there is."""

    at: str
    height: float | None = None


@dataclass(frozen=True, slots=True)
class ChangedApproximation:
    """Another wavelet approximation at a level, the details kept: reversed, flat, or these coefficients."""

    wavelet: str
    level: int
    approximation: OneOf["reverse", "flat"] | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GivenSignal:
    """The signal itself, a number for every value of the parameter."""

    values: tuple[float, ...]


Change: TypeAlias = MovedExtremum | AddedExtremum | ChangedApproximation | GivenSignal


@dataclass(frozen=True, slots=True)
class Goal:
    """One signal over the values of `parameter`, and its changes, in their order.

    `order` are the parameter's values from left to right; empty is numbers by size, else texts. With `normalise` the
    changed signal gets the mean and standard deviation of the original (formula 5 of the paper).
    """

    parameter: str
    group: VitalSet
    signal: SignalKind = SignalKind.QUANTITY
    against: VitalSet | None = None
    order: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    normalise: bool = False


@dataclass(frozen=True, slots=True)
class Influential:
    """A variable in which the records of a swap should agree: how much it counts, and how differences are counted.

    Numbers and ordinal codes count by their relative difference; categories count `same` or `different`.
    """

    name: str
    weight: float = 1.0
    scale: Scale | None = None
    same: float = 0.0
    different: float = 1.0
