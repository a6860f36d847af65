"""Changes of a goal signal's extremums: Chertov and Tavrov, Data group anonymity in microfiles, table 2.

A change need not keep the mean or the deviation; `normalise` restores both, and `WishedCounts` the total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats
from constraint_sdc.maskers.group_anonymity.signals import require_signal


@dataclass(frozen=True)
class MoveExtremum:
    """Moves an extremum: the numbers at two values of the parameter are exchanged, so mean and deviation stay.

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
            raise ValueError(f"the height of an extremum must be a finite number, not {self.height}")

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
            raise ValueError(f"{len(given)} numbers are given for a signal of {len(signal)} values; give one per value")
        require_signal(given)
        return given


ExtremumChange: TypeAlias = MoveExtremum | AddExtremum | Given


def _require_places(signal: Floats, *places: int) -> None:
    for place in places:
        if not 0 <= place < len(signal):
            raise ValueError(f"value {place} is outside the signal, which has the values 0 to {len(signal) - 1}")


# Normalising a changed signal: Chertov and Tavrov, Data group anonymity in microfiles, formula (5).
#
# The printed formula has the original signal inside the parentheses. Its mean is then (mu - mu*) sigma / sigma* + mu,
# which is mu only by chance. The required properties decide: of all a + b x with b > 0, exactly one has mean mu and
# deviation sigma: (changed - mu*) sigma / sigma* + mu, which is (5) with the changed signal in the parentheses.

_NOISE = 1e-12  # of the largest number: differences below it are rounding errors, not a shape


def normalise(changed: Floats, original: Floats) -> Floats:
    """Return the changed signal, stretched and shifted to mean and standard deviation (n - 1) of the original.

    >>> normalise(np.array([0.0, 10.0]), np.array([3.0, 1.0])).round(9).tolist()
    [1.0, 3.0]
    """
    require_signal(changed)
    require_signal(original)
    if len(changed) != len(original):
        raise ValueError(f"the changed signal has {len(changed)} values, the original {len(original)}")
    if _is_flat(original):
        raise ValueError(
            "the original signal is constant, so normalising would remove every change; leave `normalise` out"
        )
    if _is_flat(changed):
        raise ValueError("the changed signal is constant, so normalising cannot give it the original's deviation")
    spread = changed - changed.mean()
    spread -= spread.mean()  # a large mean leaves a rounding error that stretching enlarges
    result: Floats = spread * (original.std(ddof=1) / spread.std(ddof=1)) + original.mean()
    return result


def _is_flat(signal: Floats) -> bool:
    return bool(np.ptp(signal) <= _NOISE * np.abs(signal).max())
