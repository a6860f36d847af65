"""Changing a signal's wavelet approximation: Chertov and Tavrov, Data group anonymity in microfiles, formula (6).

The details are the signal's fine structure; they stay while the approximation, its coarse shape, changes. With periodic
boundaries and a length that can be halved `level` times, the transform is square and invertible, so that every choice
of coefficients belongs to exactly one signal, and decomposing it gives these coefficients back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pywt

from constraint_sdc.arrays import Floats
from constraint_sdc.maskers.group_anonymity.signals import require_signal

_TOLERANCE = 1e-9  # of the largest coefficient


@dataclass(frozen=True)
class GivenApproximation:
    """New coefficients, shifted by one constant to the old sum, because the sum of the signal depends on it."""

    values: tuple[float, ...]

    def apply(self, coefficients: Floats) -> Floats:
        """Return the given coefficients with the old sum."""
        given = np.array(self.values, np.float64)
        if len(given) != len(coefficients):
            raise ValueError(
                f"{len(given)} coefficients are given, but the approximation at this level has {len(coefficients)}"
            )
        require_signal(given)
        shifted: Floats = given + (coefficients.mean() - given.mean())
        return shifted


@dataclass(frozen=True)
class PermutedApproximation:
    """The same coefficients in another order: place i receives coefficient `order[i]`."""

    order: tuple[int, ...]

    def apply(self, coefficients: Floats) -> Floats:
        """Return the coefficients in the new order."""
        if sorted(self.order) != list(range(len(coefficients))):
            raise ValueError(
                f"an order of the approximation must list each of 0 to {len(coefficients) - 1} once, not {self.order}"
            )
        return coefficients[list(self.order)]


@dataclass(frozen=True)
class ReversedApproximation:
    """The same coefficients, last first."""

    def apply(self, coefficients: Floats) -> Floats:
        """Return the coefficients backwards."""
        return coefficients[::-1].copy()


@dataclass(frozen=True)
class FlatApproximation:
    """All coefficients equal to their mean: only the details remain visible."""

    def apply(self, coefficients: Floats) -> Floats:
        """Return the mean, repeated."""
        return np.full(len(coefficients), coefficients.mean())


ApproximationChange: TypeAlias = GivenApproximation | PermutedApproximation | ReversedApproximation | FlatApproximation


@dataclass(frozen=True)
class ChangeApproximation:
    """Replaces the approximation at a level (the largest that the length admits, if none is named), not the details.

    Total and details are kept to 1e-9 of the largest coefficient; otherwise ValueError. Boundary modes other than
    periodization have more coefficients than the signal has numbers, so some choices fit no signal.
    """

    change: ApproximationChange
    wavelet: str = "db2"
    level: int | None = None
    mode: str = "periodization"

    def __post_init__(self) -> None:
        if self.wavelet not in pywt.wavelist(kind="discrete"):
            raise ValueError(f"'{self.wavelet}' is not a discrete wavelet; use haar, db2, sym4 or coif1, for example")
        if self.mode not in pywt.Modes.modes:
            raise ValueError(f"'{self.mode}' is not a boundary mode; use one of: {', '.join(pywt.Modes.modes)}")

    def apply(self, signal: Floats) -> Floats:
        """Return the signal of the changed approximation and the old details."""
        require_signal(signal)
        level = admissible_level(len(signal), self.level)
        approximation, details = decompose(signal, self.wavelet, level, self.mode)
        wished = self.change.apply(approximation)
        changed = self._composed(wished, details)[: len(signal)]
        # The details sum to zero except for rounding in the filters; the constant added for it has no details.
        changed += signal.mean() - changed.mean()
        self._require_details(changed, details, largest=max(float(np.abs(one).max()) for one in (wished, *details)))
        return changed

    def _composed(self, approximation: Floats, details: Sequence[Floats]) -> Floats:
        for detail in reversed(details):
            # Modes that extend the signal may leave one coefficient too many when composing.
            approximation = pywt.idwt(approximation[: len(detail)], detail, self.wavelet, self.mode)
        return approximation

    def _require_details(self, changed: Floats, details: Sequence[Floats], largest: float) -> None:
        found = decompose(changed, self.wavelet, len(details), self.mode)[1]
        if any(np.abs(one - other).max() > _TOLERANCE * largest for one, other in zip(found, details, strict=True)):
            raise ValueError(
                f"with wavelet {self.wavelet} and mode {self.mode} no signal has these details and that approximation; "
                "use mode periodization and an orthogonal or biorthogonal wavelet such as db2"
            )


def decompose(signal: Floats, wavelet: str, level: int, mode: str) -> tuple[Floats, tuple[Floats, ...]]:
    """Return the approximation coefficients at a level, and the details of levels 1 to `level`."""
    details = []
    for _ in range(level):
        signal, detail = pywt.dwt(signal, wavelet, mode)
        details.append(detail)
    return signal, tuple(details)


def admissible_level(length: int, wished: int | None = None) -> int:
    """Return the wished level, or the largest: halving the length that often must leave at least two coefficients.

    >>> admissible_level(48), admissible_level(48, 2)
    (4, 2)
    """
    largest = 0
    while length % 2 ** (largest + 1) == 0 and length // 2 ** (largest + 1) >= 2:
        largest += 1
    if not largest:
        raise ValueError(
            f"a signal of {length} values has no wavelet approximation to change: "
            "the number of values must be even and at least 4; join or add a value of the parameter"
        )
    if wished is not None and not 1 <= wished <= largest:
        raise ValueError(
            f"a signal of {length} values can be decomposed at levels 1 to {largest}, not at level {wished}"
        )
    return largest if wished is None else wished
