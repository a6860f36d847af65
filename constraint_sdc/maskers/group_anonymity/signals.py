"""Goal signals: O. Chertov and D. Tavrov, Data group anonymity in microfiles, formulas (2) to (4), and the way back.

A signal has one number for each value 0 .. p-1 of the parameter. `rho` counts the base records with that value, the
quantity those of them that are vital.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats


@dataclass(frozen=True)
class WishedCounts:
    """Real-valued counts that add up to the group's size, the shift of the signal for it, and unreachable values.

    The `shift` is one constant for all values: differences between values, the deviation and every wavelet detail of
    the wished signal stay. `unreachable` values have no base record, so their signal cannot be as wished.
    """

    counts: Floats
    shift: float
    unreachable: tuple[int, ...]


def quantity(codes: Codes, members: Flags, values: int) -> Counts:
    """Return how many members have each parameter value; a record with code -1 has none and counts nowhere.

    >>> quantity(np.array([0, 2, 2, -1]), np.array([True, True, True, True]), 3).tolist()
    [1, 0, 2]
    """
    counts: Counts = np.bincount(codes[members & (codes >= 0)], minlength=values).astype(np.int64)
    if len(counts) != values:
        raise ValueError(f"code {len(counts) - 1} is outside the {values} values of the parameter: 0 to {values - 1}")
    return counts


def concentration(q: Counts, rho: Counts) -> Floats:
    """Return the vital share of the base records of each value, 0 where there are none."""
    return _shares(q.astype(np.float64), rho)


def concentration_difference(q: Counts, rho: Counts, q_reference: Counts, rho_reference: Counts) -> Floats:
    """Return by how much the concentration of the group (b) exceeds that of the reference group (a)."""
    return concentration(q, rho) - concentration(q_reference, rho_reference)


def counts_of_quantity(wished: Floats, total: int) -> WishedCounts:
    """Return the wished quantities, shifted so that they add up to `total`."""
    require_signal(wished)
    shift = (total - float(wished.sum())) / len(wished)
    return WishedCounts(wished + shift, shift, unreachable=())


def counts_of_concentration(wished: Floats, rho: Counts, total: int) -> WishedCounts:
    """Return the counts of a wished concentration; swaps keep the `total`, so the whole signal is shifted to it.

    A concentration with the same mean need not have the same number of vital records, because values have different
    weights.

    >>> counts_of_concentration(np.array([0.5, 0.1]), np.array([10, 20]), 10).counts.round(9).tolist()
    [6.0, 4.0]
    """
    require_signal(wished)
    everyone = int(rho.sum())
    if len(wished) != len(rho):
        raise ValueError(f"the wished signal has {len(wished)} values, the parameter {len(rho)}")
    if not 0 <= total <= everyone:
        raise ValueError(f"{total} vital records but {everyone} base records: the base must contain the vital records")
    shift = (total - float(np.dot(wished, rho))) / everyone if everyone else 0.0
    return WishedCounts((wished + shift) * rho, shift, tuple(np.flatnonzero((rho == 0) & (wished != 0)).tolist()))


def counts_of_difference(
    wished: Floats, rho: Counts, q_reference: Counts, rho_reference: Counts, total: int
) -> WishedCounts:
    """Return the counts of group (b) that give a wished difference while the reference group (a) does not change."""
    require_signal(wished)
    return counts_of_concentration(wished + concentration(q_reference, rho_reference), rho, total)


def require_signal(signal: Floats) -> None:
    """Raise ValueError unless a signal is a row of finite numbers."""
    if signal.ndim != 1 or not len(signal) or not np.all(np.isfinite(signal)):
        raise ValueError("a goal signal must have one finite number for each value of the parameter")


def _shares(parts: Floats, wholes: Counts) -> Floats:
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes > 0)


# Changes of a goal signal's extremums: Chertov and Tavrov, Data group anonymity in microfiles, table 2.
#
# A change need not keep the mean or the deviation; `normalise` restores both, and `WishedCounts` the total.


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
