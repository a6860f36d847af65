"""A division of records into groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.arrays import Labels, Rows


@dataclass(frozen=True)
class Groups:
    """`label[i]` is the group of record i; groups are numbered 0, 1, ... without a gap."""

    label: Labels

    @cached_property
    def order(self) -> Rows:
        """Return the records sorted by group, file order within one."""
        return np.argsort(self.label, kind="stable").astype(np.int64)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Return the number of records in each group."""
        return np.bincount(self.label).astype(np.int64)

    @cached_property
    def starts(self) -> npt.NDArray[np.int64]:
        """Return where each group begins in `order`."""
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(self.sizes)[:-1]))

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
