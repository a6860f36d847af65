"""A division of records into groups, and union-find for names that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Labels, Rows
from constraint_sdc.data.ordering import stable_order
from constraint_sdc.engines.running import scratch


@dataclass(frozen=True)
class Groups:
    """`label[i]` is the group of record i; groups are numbered 0, 1, ... without a gap."""

    label: Labels

    @cached_property
    def order(self) -> Rows:
        """Return the records sorted by group, file order within one."""
        kept: Rows = scratch().kept(stable_order(self.label))
        return kept

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Return the number of records in each group."""
        kept: npt.NDArray[np.int64] = scratch().kept(np.bincount(self.label).astype(np.int64))
        return kept

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Return where each group begins in `order`."""
        kept: npt.NDArray[np.int64] = scratch().kept(
            np.concatenate((np.zeros(1, np.int64), np.cumsum(self.sizes)[:-1]))
        )
        return kept

    def __len__(self) -> int:
        return len(self.sizes)

    def rows(self, group: int) -> Rows:
        """Return the records of one group, in file order."""
        start = self.starts[group]
        return self.order[start : start + self.sizes[group]]

    def each(self) -> Iterator[Rows]:
        """Yield the records of every group."""
        for group in range(len(self)):
            yield self.rows(group)


# Union-find: names that belong together, joined step by step.


class Union:
    """Names in parts; at first each name is a part of its own.

    The parts come in the order of their first names, and the names of a part in the order in which they were given,
    whatever was joined first.

    >>> tied = Union("abcd")
    >>> tied.join("db")
    >>> tied.parts()
    (('a',), ('b', 'd'), ('c',))
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._leader = {name: name for name in names}

    def join(self, names: Iterable[str]) -> None:
        """Merge the parts of these names into one part; without names nothing changes."""
        joined = list(names)
        for other in joined[1:]:
            one, two = self._find(joined[0]), self._find(other)
            if one != two:
                self._leader[two] = one

    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Return the parts; every name is in one."""
        found: dict[str, list[str]] = {}
        for name in self._leader:
            found.setdefault(self._find(name), []).append(name)
        return tuple(tuple(part) for part in found.values())

    def _find(self, name: str) -> str:
        while self._leader[name] != name:
            self._leader[name] = self._leader[self._leader[name]]
            name = self._leader[name]
        return name
