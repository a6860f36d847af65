"""Neighbours on the grid: a step up or down in few variables often makes a sum come out in double arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt

from constraint_sdc.exact.candidates import Candidates

Moves = npt.NDArray[np.float64]

_MOST_MOVES = 360
_FARTHEST = {1: 60, 2: 9, 3: 3}  # steps by the number of free variables; 1 when there are more
_SHORT_BITS = (26, 20)
_SHORT_DIGITS = (9, 6)


def moves(free: Sequence[int], width: int) -> Moves:
    """Return moves (m x width) in grid steps of the free variables, nearest first, without the move that stays.

    Up to three free variables move in every combination; of more, at most three move by a step each.
    """
    found: list[Moves] = []
    for steps in _moves(free):
        move = np.zeros(width)
        for variable, step in steps:
            move[variable] = step
        found.append(move)
        if len(found) == _MOST_MOVES:
            break
    return np.array(found).reshape(-1, width)


def _moves(free: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    if len(free) in _FARTHEST:
        reach = _FARTHEST[len(free)]
        every = product(range(-reach, reach + 1), repeat=len(free))
        for steps in sorted(every, key=lambda steps: (sum(map(abs, steps)), steps))[1:]:
            yield tuple(zip(free, steps, strict=True))
        return
    for count in (1, 2, 3):
        for some in combinations(free, count):
            for signs in product((1, -1), repeat=count):
                yield tuple(zip(some, signs, strict=True))


def move(candidates: Candidates, steps: Moves) -> None:
    """Move every candidate by its row of `steps` (c x d)."""
    for variable, series in enumerate(candidates.series):
        rows = np.flatnonzero(steps[:, variable])
        if len(rows) and series.grid.decimals is not None:
            numbers = candidates.values[rows, variable] + steps[rows, variable] / series.grid.scale
            candidates.set_numbers(variable, rows, numbers)


def shorten(candidates: Candidates, free: Sequence[int]) -> Iterator[Candidates]:
    """Yield the candidates with free doubles rounded to few digits of one scale.

    With few binary digits sums and products are exact in double arithmetic, with few decimal digits in that of
    xs:decimal.
    """
    if not free or not len(candidates):
        return
    rows = np.arange(len(candidates))
    largest = np.abs(candidates.values[:, list(free)]).max(axis=1)
    size = np.where(largest > 0, largest, 1.0)
    units = [np.exp2(np.ceil(np.log2(size)) - bits) for bits in _SHORT_BITS]
    for unit in units:
        shortened = candidates.take(rows)
        for variable in free:
            shortened.set_numbers(variable, rows, np.rint(candidates.values[:, variable] / unit) * unit)
        yield shortened
    for digits in _SHORT_DIGITS:
        places = (digits - np.ceil(np.log10(size))).astype(int).tolist()
        shortened = candidates.take(rows)
        for variable in free:
            numbers = candidates.values[:, variable].tolist()
            short = [round(number, place) for number, place in zip(numbers, places, strict=True)]
            shortened.set_numbers(variable, rows, np.array(short, np.float64))
        yield shortened
