"""Goal signals: O. Chertov and D. Tavrov, Data group anonymity in microfiles, formulas (2) to (4), and the way back.

A signal has one number for each value 0 .. p-1 of the parameter. `rho` counts the base records with that value, the
quantity those of them that are vital.
"""

from __future__ import annotations

from dataclasses import dataclass

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
