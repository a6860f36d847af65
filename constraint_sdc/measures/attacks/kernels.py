"""Compiled searches for the attacks on large files: the originals that agree on most variables.

A thread writes the records it was given and reads none that another writes, so the result does not depend on them.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Floats, Points, SmallPositions
from constraint_sdc.partition.compiled import compiled


@compiled
def most_agreements(
    order: SmallPositions,
    place: SmallPositions,
    start: Codes,
    stop: Codes,
    released: Codes,
    ties: Codes,
    has_true: Flags,
    first: int,
    last: int,
) -> None:
    """Set for some released records how many originals agree with them most, and whether the true one is among them.

    `order` (d x n) has the originals sorted by each variable, `place` (n x d) their positions there; originals at
    `start` to `stop` (released x d) agree. Variables with the fewest candidates come first, and every candidate is
    compared on all variables. An original that is no candidate in i variables agrees on the others at most: the search
    ends when the best one agrees on more.
    """
    variables, records = order.shape
    met = np.full(records, -1, np.int64)
    turn = np.empty(variables, np.int64)
    for r in range(first, last):
        _fewest_first(start[r], stop[r], turn)
        best = 0
        for i in range(variables):
            if best > variables - i:
                break
            for p in range(start[r, turn[i]], stop[r, turn[i]]):
                one = order[turn[i], p]
                if met[one] != r:
                    met[one] = r
                    agreed = _agreements(place[one], start[r], stop[r])
                    if agreed > best:
                        best, ties[r] = agreed, 0
                    ties[r] += agreed == best
        has_true[r] = best > 0 and _agreements(place[released[r]], start[r], stop[r]) == best


@compiled
def _agreements(place: SmallPositions, start: Codes, stop: Codes) -> int:
    """Return on how many variables an original agrees."""
    agreed = 0
    for j in range(len(place)):
        agreed += start[j] <= place[j] < stop[j]
    return agreed


@compiled
def _fewest_first(start: Codes, stop: Codes, turn: Codes) -> None:
    """Sort the variables by the number of candidates."""
    for i in range(len(turn)):
        place = i
        size = stop[i] - start[i]
        while place > 0 and stop[turn[place - 1]] - start[turn[place - 1]] > size:
            turn[place] = turn[place - 1]
            place -= 1
        turn[place] = i


# The count of masked records within all reaches, in large files.
#
# A thread writes the records it was given and reads none that another writes, so the result does not depend on
# the number of threads.

_TILE = 512
"""Masked records that are copied together, reach by reach, and compared with many originals."""

_NARROW = 64
"""Up to this number of candidates, they are compared one by one."""


@compiled
def count_possible(
    low_x: Points,
    high_x: Points,
    low_y: Points,
    high_y: Points,
    order: SmallPositions,
    column: SmallPositions,
    start: SmallPositions,
    stop: SmallPositions,
    cap: int,
    turn: SmallPositions,
    sizes: Codes,
    first: int,
    last: int,
) -> None:
    """Set the sizes of the sets of some originals, turn[first:last]; counting ends soon after `cap`.

    Tables are n x reaches. Candidate masked records are order[column[x], start[x]:stop[x]]. Originals that have their
    turn one after the other share candidates, so these are copied once for all, in tiles.
    """
    reaches = low_x.shape[1]
    low, high, possible = np.empty((reaches, _TILE)), np.empty((reaches, _TILE)), np.empty(_TILE, np.int64)
    is_open = np.empty(last - first, np.bool_)
    for i in range(first, last):
        x = turn[i]
        is_open[i - first] = stop[x] - start[x] > _NARROW
        sizes[x] = 0
        if not is_open[i - first]:
            sizes[x] = _one_by_one(low_x[x], high_x[x], low_y, high_y, order[column[x], start[x] : stop[x]])
    begin = first
    while begin < last:
        end = begin + 1
        while end < last and column[turn[end]] == column[turn[begin]]:
            end += 1
        line, place = order[column[turn[begin]]], 0
        while True:
            place = _next_place(turn, start, is_open, begin, end, first, place)
            if place < 0:
                break
            size = min(_TILE, len(line) - place)
            for i in range(size):
                for j in range(reaches):
                    low[j, i], high[j, i] = low_y[line[place + i], j], high_y[line[place + i], j]
            for i in range(begin, end):
                x = turn[i]
                if is_open[i - first] and start[x] < place + size:
                    left, right = max(start[x] - place, 0), min(stop[x] - place, size)
                    sizes[x] += _within(low, high, low_x[x], high_x[x], possible, left, right)
                    is_open[i - first] = sizes[x] < cap and stop[x] > place + size
            place += size
        begin = end


@compiled
def _one_by_one(low_x: Floats, high_x: Floats, low_y: Points, high_y: Points, candidates: SmallPositions) -> int:
    """Return how many candidates are within all reaches of an original."""
    found = 0
    for y in candidates:
        j = 0
        while j < len(low_x) and low_y[y, j] <= high_x[j] and high_y[y, j] >= low_x[j]:
            j += 1
        found += j == len(low_x)
    return found


@compiled
def _next_place(
    turn: SmallPositions, start: SmallPositions, is_open: Flags, begin: int, end: int, first: int, place: int
) -> int:
    """Return the first place from `place` on at which an original that is still open has a candidate; -1 for none."""
    nearest = -1
    for i in range(begin, end):
        if is_open[i - first]:
            own = max(start[turn[i]], place)
            if nearest < 0 or own < nearest:
                nearest = own
    return nearest


@compiled
def _within(low: Points, high: Points, low_x: Floats, high_x: Floats, possible: Codes, left: int, right: int) -> int:
    """Return how many masked records of a tile, from `left` to `right`, are within all reaches of an original.

    A whole tile is compared at once, which no test for an early end interrupts.
    """
    size = right - left
    for i in range(size):
        possible[i] = 1
    for j in range(len(low_x)):
        least, most, lows, highs = low_x[j], high_x[j], low[j, left:right], high[j, left:right]
        for i in range(size):  # over slices from their beginning: only so it becomes vector instructions
            possible[i] = possible[i] & (lows[i] <= most) & (highs[i] >= least)
    found = 0
    for i in range(size):
        found += possible[i]
    return found
