"""Windows: the records of a large file a run at a time, so that what is computed from a column is never a column."""

from __future__ import annotations

from collections.abc import Iterator

WINDOW = 1 << 18
"""Records that are worked on together: their numbers fit into the cache of a processor, or nearly."""


def windows(count: int, size: int = WINDOW) -> Iterator[slice]:
    """Yield slices that cover `count` records, in order.

    >>> [(part.start, part.stop) for part in windows(5, 2)]
    [(0, 2), (2, 4), (4, 5)]
    """
    for start in range(0, count, size):
        yield slice(start, min(start + size, count))
