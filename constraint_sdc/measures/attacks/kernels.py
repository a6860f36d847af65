"""Compiled searches for the attacks on large files: the originals that agree on most variables.

A thread writes the records it was given and reads none that another writes, so the result does not depend on them.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Codes, Flags, Points, SmallPositions
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


@compiled
def count_possible(
    low_x: Points,
    high_x: Points,
    low_y: Points,
    high_y: Points,
    order: Codes,
    column: Codes,
    start: Codes,
    stop: Codes,
    cap: int,
    turn: Codes,
    sizes: Codes,
    first: int,
    last: int,
) -> None:
    """Set the sizes of the sets of some originals, turn[first:last], counting no farther than `cap`.

    Tables are n x reaches. Candidate masked records are order[column[x], start[x]:stop[x]].
    """
    reaches = low_x.shape[1]
    for i in range(first, last):
        x = turn[i]
        found = 0
        for place in range(start[x], stop[x]):
            y = order[column[x], place]
            j = 0
            while j < reaches and low_y[y, j] <= high_x[x, j] and high_y[y, j] >= low_x[x, j]:
                j += 1
            if j == reaches:
                found += 1
                if found == cap:
                    break
        sizes[x] = found
