"""Swaps and moves by compiled code: what `exchange.py` does, digit for digit, for a `Grouping` by record."""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats
from constraint_sdc.partition.compiled import in_threads
from constraint_sdc.partition.search.exchange import Draws, Exchanges, exchange
from constraint_sdc.partition.search.grouping import Grouping
from constraint_sdc.partition.search.kernels import carry_out, weigh

_CHUNK = 32_768


class CompiledExchange:
    """The sweeps of one search. Memory is taken once: a sweep of a small file lasts no longer than a few calls."""

    def __init__(self, grouping: Grouping, lists: AnyIntegers) -> None:
        records, groups = grouping.records.T, grouping.table.T
        self._grouping = grouping
        self._found = np.empty((4, grouping.n), grouping.label.dtype)
        self._owner = np.empty(len(grouping.size), np.int64)
        self._state = (grouping.k, grouping.label, grouping.size, grouping.members, records, groups, lists)
        self._books = (*grouping.books, records, groups)

    def propose(self, draws: Draws, patience: Floats) -> Exchanges:
        """Return the exchanges that are accepted; large files on all cores. The next call overwrites them."""
        n, found = self._grouping.n, self._found
        drawn = (draws.neighbour, draws.companion, draws.patience, patience)
        if n <= _CHUNK:
            kept = found[:, : weigh(0, n, *self._state, *drawn, found)]
            return Exchanges(kept[0], kept[1], kept[2:])

        def part(start: int, stop: int) -> AnyIntegers:
            return found[:, start : start + weigh(start, stop, *self._state, *drawn, found)]

        kept = np.concatenate(in_threads(part, n, _CHUNK), axis=1)
        return Exchanges(kept[0], kept[1], kept[2:])

    def exchange(self, wanted: Exchanges, random: np.random.Generator) -> None:
        """Carry out exchanges; of several that need the same group, one is drawn at random."""
        if not self._grouping.sums_in_order:
            exchange(self._grouping, wanted, random)
            return
        order = random.permutation(2 * len(wanted.x))
        carry_out(order, wanted.x, wanted.z, wanted.groups.ravel(), self._owner, *self._books)
