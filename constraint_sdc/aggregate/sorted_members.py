"""The members of every group sorted by value, and the runs of equal values among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from constraint_sdc.model.cloud import Weights
from constraint_sdc.model.groups import Groups, Points, Rows

_BITS = 40  # of a group's largest weight


def whole_weights(weights: Weights, groups: Groups) -> npt.NDArray[np.int64]:
    """Return weights as whole numbers, whose sums are exact whatever their order.

    Each group has a unit of its own, a power of two, so that groups do not influence each other and weights that were
    whole numbers keep their proportions exactly: weight 3 counts as much as three records of weight 1.
    """
    heaviest = np.maximum.reduceat(weights[groups.order], groups.starts)[groups.label]
    scaled = np.ldexp(weights, _BITS - np.frexp(heaviest)[1])
    whole: npt.NDArray[np.int64] = np.maximum(np.rint(scaled), 1.0).astype(np.int64)
    return whole


@dataclass(frozen=True)
class SortedMembers:
    """`rows` are all records by group, within a group by value, within equal values in file order."""

    rows: Rows
    run_starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, values: Points, groups: Groups) -> SortedMembers:
        """Sort one variable's values (numbers or codes, no NaN) within every group."""
        rows = np.lexsort((values, groups.label)).astype(np.int64)
        is_new = np.ones(len(rows), np.bool_)
        is_new[1:] = (values[rows[1:]] != values[rows[:-1]]) | (groups.label[rows[1:]] != groups.label[rows[:-1]])
        return cls(rows, np.flatnonzero(is_new).astype(np.int64))

    @cached_property
    def run_sizes(self) -> npt.NDArray[np.int64]:
        """Return the length of every run of equal values."""
        return np.diff(self.run_starts, append=len(self.rows))

    def run_weights(self, weights: Weights, groups: Groups) -> npt.NDArray[np.int64]:
        """Return the weight of every run of equal values, in its group's unit."""
        return np.add.reduceat(whole_weights(weights, groups)[self.rows], self.run_starts)

    def first_of_run(self, run: npt.NDArray[np.int64]) -> Rows:
        """Return the first record in the file among those of a run."""
        return self.rows[self.run_starts[run]]

    def run_at(self, place: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the run that covers a place in `rows`."""
        return np.searchsorted(self.run_starts, place, side="right") - 1
