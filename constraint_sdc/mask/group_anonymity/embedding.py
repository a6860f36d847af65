"""Records as points whose squared distances resemble the influential metric, so that a k-d tree finds close records.

For positive numbers (a - b) / (a + b) = tanh((ln a - ln b) / 2): half the logarithm is a coordinate, exact for close
records and too far for distant ones. Sign and blank, and each category, are indicator columns. Points only propose
pairs; what a pair costs is always the metric itself.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.mask.group_anonymity.influence import Influence, Nominal, Ordinal
from constraint_sdc.mask.group_anonymity.signals import Codes, Floats, Rows

_COLUMNS = 8  # indicator columns of one variable; more would only slow the tree
_SPREAD = 1e-4  # of the metric's range, far below what is worth a choice
_GOLDEN = 0.6180339887498949


def embed(influence: Influence, rows: Rows) -> Floats:
    """Return one point for each of the rows.

    Equal records would all have the same few nearest neighbours and fight for them: a last, tiny coordinate parts them.
    """
    columns = [column for variable in influence.variables for column in _columns(variable, rows)]
    reach = np.sqrt(sum(variable.weight for variable in influence.variables) or 1.0)
    columns.append(_SPREAD * reach * ((rows * _GOLDEN) % 1.0))
    return np.column_stack(columns)


def _columns(variable: Ordinal | Nominal, rows: Rows) -> list[Floats]:
    if variable.weight == 0:
        return []
    if isinstance(variable, Nominal):
        height = np.sqrt(variable.weight * (variable.different**2 - variable.same**2) / 2)
        return _indicators(variable.codes[rows], height)
    numbers = variable.values[rows]
    kind = np.where(np.isnan(numbers), 2, np.sign(numbers)).astype(np.int64)
    return [_half_logarithms(numbers, np.sqrt(variable.weight)), *_indicators(kind, np.sqrt(variable.weight / 2))]


def _half_logarithms(numbers: Floats, scale: float) -> Floats:
    """Return scaled half logarithms; blanks and zeros lie in the middle, as far from the high as from the low."""
    has_logarithm = np.isfinite(numbers) & (numbers != 0)
    halves = np.zeros(len(numbers))
    halves[has_logarithm] = 0.5 * np.log(np.abs(numbers[has_logarithm]))
    if has_logarithm.any():
        halves[~has_logarithm] = np.median(halves[has_logarithm])
    return scale * halves


def _indicators(codes: Codes, height: float) -> list[Floats]:
    """Return a column for each category; with many, categories share columns at different heights."""
    _, dense = np.unique(codes, return_inverse=True)
    categories = int(dense.max(initial=0)) + 1
    if categories == 1:
        return []
    columns = min(categories, _COLUMNS)
    return [np.where(dense % columns == c, height * (1 + dense // columns), 0.0) for c in range(columns)]
