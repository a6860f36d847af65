"""The count of masked records within all reaches, in large files.

A thread writes the records it was given and reads none that another writes, so the number of threads is of no account.
"""

from __future__ import annotations

from constraint_sdc.model.groups import Points
from constraint_sdc.model.pair import Codes
from constraint_sdc.partition.compiled import compiled


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
    sizes: Codes,
    first: int,
    last: int,
) -> None:
    """Set the sizes of some originals' sets, counting no farther than `cap`.

    Tables are n x reaches. Masked records that come into question are order[column[x], start[x]:stop[x]].
    """
    reaches = low_x.shape[1]
    for x in range(first, last):
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
