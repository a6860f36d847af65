"""Original and masked files that break careless arithmetic, for every utility measure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Files = tuple[np.ndarray, np.ndarray]


def _plain(n: int = 60) -> np.ndarray:
    return np.random.default_rng(7).lognormal(3.0, 1.0, size=(n, 3))


def _with_blanks() -> Files:
    original, masked = _plain(), _plain() + 0.5
    original[::4, 0] = np.nan
    masked[1::5, 1] = np.nan
    masked[::6, 2] = original[3::6, 2] = np.nan
    return original, masked


def _one_column(column: list[float], other: list[float]) -> Files:
    return np.array([column]).T, np.array([other]).T


FILES: dict[str, Callable[[], Files]] = {
    "plain": lambda: (_plain(), _plain() * 1.1),
    "shuffled": lambda: (_plain(), np.random.default_rng(1).permuted(_plain(), axis=0)),
    "no record": lambda: (np.zeros((0, 2)), np.zeros((0, 2))),
    "one record": lambda: (np.array([[1.0, 2.0]]), np.array([[1.5, 2.0]])),
    "two records": lambda: (np.array([[1.0, 2.0], [2.0, 5.0]]), np.array([[1.5, 2.0], [1.5, 5.0]])),
    "three records": lambda: (_plain(3), _plain(3)[::-1]),
    "constants": lambda: (np.full((9, 2), 0.1), np.full((9, 2), 0.1)),
    "constants changed": lambda: (np.full((9, 2), 0.1), np.full((9, 2), 0.3)),
    "one constant": lambda: (np.column_stack((np.full(60, 5.0), _plain())), np.column_stack((_plain(), _plain()))),
    "made constant": lambda: (_plain(), np.tile(_plain().mean(axis=0), (60, 1))),
    "blanks": _with_blanks,
    "a blank column": lambda: (np.column_stack((np.full(60, np.nan), _plain())), np.column_stack((_plain(), _plain()))),
    "all blank": lambda: (np.full((5, 2), np.nan), np.full((5, 2), np.nan)),
    "blanks opposite": lambda: (np.array([[1.0, np.nan]] * 4), np.array([[np.nan, 1.0]] * 4)),
    "far from nought": lambda: (1e15 + np.round(_plain()), 1e15 + np.round(_plain()) + 1.0),
    "immense": lambda: (_plain() * 1e300, _plain() * 1.1e300),
    "as large as can be": lambda: (np.array([[1.7e308], [-1.7e308]] * 4), np.array([[-1.7e308], [1.7e308]] * 4)),
    "tiny": lambda: (np.arange(8.0)[:, None] * 5e-324, np.arange(8.0)[::-1, None] * 5e-324),
    "thrown far away": lambda: (_plain(), np.where(np.arange(60)[:, None] % 2, 1e308, -1e308) + 0 * _plain()),
    "tiny thrown far away": lambda: (_plain() * 1e-300, _plain() * 1e300),
    "ties": lambda: (np.round(_plain() / 30), np.round(_plain() / 60)),
    "equal columns": lambda: (np.repeat(_plain()[:, :1], 3, axis=1), np.repeat(_plain()[:, 1:2], 3, axis=1)),
    "one outlier": lambda: _one_column([0.0] * 30 + [1e9], [0.0] * 30 + [1e8]),
}
