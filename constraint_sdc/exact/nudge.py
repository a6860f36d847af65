"""Neighbours on the grid: a step up or down in few variables often makes a sum come out in double arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from constraint_sdc.exact.candidates import Candidates

Moves = npt.NDArray[np.float64]

_MOST_MOVES = 120
_FARTHEST = 4
_SHORT_BITS = (26, 20)


def moves(free: Sequence[int], width: int) -> Moves:
    """Return moves (m x width) in grid steps of the free variables, nearest first, without the move that stays."""
    found: list[npt.NDArray[np.float64]] = []
    for steps in _moves(free):
        move = np.zeros(width)
        for variable, step in steps:
            move[variable] = step
        found.append(move)
        if len(found) == _MOST_MOVES:
            break
    return np.array(found).reshape(-1, width)


def _moves(free: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    for size in range(1, _FARTHEST + 1):
        for variable in free:
            yield ((variable, size),)
            yield ((variable, -size),)
        for pair in combinations(free, 2):
            for signs in product((size, -size), repeat=2):
                yield tuple(zip(pair, signs, strict=True))
        if size == 1:
            for three in combinations(free, 3):
                for signs in product((1, -1), repeat=3):
                    yield tuple(zip(three, signs, strict=True))


def move(candidates: Candidates, steps: Moves) -> None:
    """Move every candidate by its row of `steps` (c x d)."""
    for variable, series in enumerate(candidates.series):
        rows = np.flatnonzero(steps[:, variable])
        if len(rows) and series.grid.decimals is not None:
            numbers = candidates.values[rows, variable] + steps[rows, variable] / series.grid.scale
            candidates.set_numbers(variable, rows, numbers)


def shorten(candidates: Candidates, free: Sequence[int]) -> Iterator[Candidates]:
    """Yield the candidates with free doubles rounded to few binary digits of one scale: sums and products are exact."""
    if not free or not len(candidates):
        return
    rows = np.arange(len(candidates))
    largest = np.abs(candidates.values[:, list(free)]).max(axis=1)
    exponent = np.ceil(np.log2(np.where(largest > 0, largest, 1.0)))
    for bits in _SHORT_BITS:
        shortened = candidates.take(rows)
        unit = np.exp2(exponent - bits)
        for variable in free:
            shortened.set_numbers(variable, rows, np.rint(candidates.values[:, variable] / unit) * unit)
        yield shortened
