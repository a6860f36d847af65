"""Pairs of original and masked files for tests, made from arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.settings.words import Role, Scale


def compared(
    name: str,
    original: Sequence[float] | np.ndarray,
    masked: Sequence[float] | np.ndarray,
    *,
    scale: Scale = Scale.NUMERIC,
    is_masked: bool = True,
    grid: Grid | None = None,
    role: Role = Role.CONFIDENTIAL,
) -> Compared:
    """Return one variable of both files; NaN is a blank."""
    before, after = np.asarray(original, np.float64), np.asarray(masked, np.float64)
    _, codes = np.unique(np.concatenate((before, after)), return_inverse=True)
    n = len(before)
    return Compared(name, scale, role, is_masked, grid or Grid(None), before, after, codes[:n], codes[n:])


def pair_of(
    original: np.ndarray,
    masked: np.ndarray,
    names: Sequence[str] | None = None,
    *,
    blocks: Sequence[MaskedTogether] | None = None,
    known: Sequence[str] | None = None,
    k: int | None = None,
) -> Pair:
    """Return a pair of numeric variables V1, V2, ... from two n x d arrays; one block unless said otherwise."""
    names = tuple(names or (f"V{j + 1}" for j in range(original.shape[1])))
    variables = tuple(compared(n, original[:, j], masked[:, j]) for j, n in enumerate(names))
    return Pair(variables, tuple(known or names), tuple(blocks or (MaskedTogether(names),)), k)


def group_means(original: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Return every record's group mean: plain microaggregation."""
    sums = np.zeros((label.max() + 1, original.shape[1]))
    np.add.at(sums, label, original)
    return (sums / np.bincount(label)[:, None])[label]
