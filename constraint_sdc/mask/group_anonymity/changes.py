"""Changes of a goal signal's extremums: Chertov and Tavrov, Data group anonymity in microfiles, table 2.

A change need not keep mean or deviation; `normalise` restores both, and `WishedCounts` the total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.mask.group_anonymity.signals import Floats, require_signal


@dataclass(frozen=True)
class MoveExtremum:
    """Transits an extremum: the numbers at two values of the parameter change places, so mean and deviation stay.

    >>> MoveExtremum(source=0, target=2).apply(np.array([9.0, 2.0, 1.0])).tolist()
    [1.0, 2.0, 9.0]
    """

    source: int
    target: int

    def apply(self, signal: Floats) -> Floats:
        """Return the signal with the two numbers exchanged."""
        require_signal(signal)
        _require_places(signal, self.source, self.target)
        moved = signal.copy()
        moved[[self.source, self.target]] = signal[[self.target, self.source]]
        return moved


@dataclass(frozen=True)
class AddExtremum:
    """Puts an alleged extremum at a value of the parameter, as high as the signal's maximum if no height is given."""

    at: int
    height: float | None = None

    def __post_init__(self) -> None:
        if self.height is not None and not math.isfinite(self.height):
            raise ValueError(f"the height of an extremum is a finite number, not {self.height}")

    def apply(self, signal: Floats) -> Floats:
        """Return the signal with the new extremum."""
        require_signal(signal)
        _require_places(signal, self.at)
        raised = signal.copy()
        raised[self.at] = signal.max() if self.height is None else self.height
        return raised


@dataclass(frozen=True)
class Given:
    """Replaces the signal by explicit numbers, one for each value of the parameter."""

    values: tuple[float, ...]

    def apply(self, signal: Floats) -> Floats:
        """Return the given numbers."""
        require_signal(signal)
        given = np.array(self.values, np.float64)
        if len(given) != len(signal):
            raise ValueError(f"{len(given)} numbers are given for a signal of {len(signal)} values")
        require_signal(given)
        return given


ExtremumChange: TypeAlias = MoveExtremum | AddExtremum | Given


def _require_places(signal: Floats, *places: int) -> None:
    for place in places:
        if not 0 <= place < len(signal):
            raise ValueError(f"value {place} is outside the signal, whose values are 0 to {len(signal) - 1}")
