"""The search for the originals that agree on most variables, in large files.

A thread writes the records it was given and reads none that another writes, so the number of threads is of no account.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.pair import Codes, Mask
from constraint_sdc.partition.compiled import compiled

Places = npt.NDArray[np.int32]


@compiled
def most_agreements(
    order: Places,
    place: Places,
    start: Codes,
    stop: Codes,
    released: Codes,
    ties: Codes,
    has_true: Mask,
    first: int,
    last: int,
) -> None:
    """Set for some released records how many originals agree with them most, and whether the true one is among them.

    `order` (d x n) are the originals by each variable, `place` (n x d) their places there; originals at `start` to
    `stop` (released x d) agree. Variables are taken from the fewest candidates up; as soon as nobody new can catch up
    with the best, only those met before are looked at.
    """
    variables, records = order.shape
    agreed, met = np.zeros(records, np.int32), np.empty(records, np.int32)
    turn = np.empty(variables, np.int64)
    for r in range(first, last):
        _fewest_first(start[r], stop[r], turn)
        best, known = 0, 0
        for i in range(variables):
            j = turn[i]
            if best <= variables - i:
                for p in range(start[r, j], stop[r, j]):
                    one = order[j, p]
                    if agreed[one] == 0:
                        met[known] = one
                        known += 1
                    agreed[one] += 1
                    best = max(best, agreed[one])
            else:
                for m in range(known):
                    one = met[m]
                    if start[r, j] <= place[one, j] < stop[r, j]:
                        agreed[one] += 1
                        best = max(best, agreed[one])
        has_true[r] = best > 0 and agreed[released[r]] == best
        for m in range(known):
            ties[r] += agreed[met[m]] == best
            agreed[met[m]] = 0


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
