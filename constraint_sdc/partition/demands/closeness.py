"""t-closeness: the distribution of a variable in every group is near to its distribution in the file.

N. Li, T. Li and S. Venkatasubramanian, t-Closeness: privacy beyond k-anonymity and l-diversity, IEEE International
Conference on Data Engineering, 2007: the earth mover's distance with ordered distance (section 4.1) and equal distance
(section 4.2), and the proof that the demand is monotone.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from constraint_sdc.arrays import Codes, Counts, Flags, Floats, Integers
from constraint_sdc.partition.demands.demand import Laid, rounded_up
from constraint_sdc.partition.demands.diversity import value_counts


@dataclass(frozen=True)
class ClosenessDemand:
    """The distance of every group from the file is at most t.

    `codes` are 0, 1, ... in the order of the values; every record has one. With `is_ordered`, mass is moved along the
    order, and the whole way costs 1; otherwise every two values are 1 apart.
    """

    codes: Codes
    t: float
    is_ordered: bool
    of: str = ""

    name = "closeness"

    def held_by(self, groups: Laid) -> Flags:
        """Tell which groups hold it."""
        return np.less_equal(self.distances(groups), self.t)

    def weaker(self, groups: Laid) -> dict[str, float]:
        """Return the least t that all these groups hold."""
        t = max(self.t, rounded_up(float(self.distances(groups).max()), 3))
        return {"t": t} if t < 1 else {}

    def distances(self, groups: Laid) -> Floats:
        """Return the earth mover's distance of each group.

        Frequencies are compared as whole numbers, multiplied by the sizes of the group and the file.
        """
        if len(self._file) == 1:
            return np.zeros(len(groups))
        owner, count = value_counts(self.codes, groups)
        value = self._values(owner, groups)
        moved = self._ordered(owner, value, count, groups) if self.is_ordered else self._equal(owner, value, count)
        whole = len(self.codes) * groups.sizes * (len(self._file) - 1 if self.is_ordered else 1)
        return np.bincount(owner, moved, len(groups)) / whole

    @cached_property
    def _file(self) -> Counts:
        """Return how often each value occurs in the file."""
        return np.bincount(self.codes).astype(np.int64)

    def _values(self, owner: Codes, groups: Laid) -> Codes:
        """Return the value of each pair of `value_counts`."""
        width = len(self._file)
        return np.unique(groups.label * width + self.codes[groups.rows]) - owner * width

    def _equal(self, owner: Codes, value: Codes, count: Counts) -> Integers:
        """Return what each value has in its group beyond its share of the file."""
        sizes = np.bincount(owner, count).astype(np.int64)
        return np.maximum(count * len(self.codes) - self._file[value] * sizes[owner], 0)

    def _ordered(self, owner: Codes, value: Codes, count: Counts, groups: Laid) -> Integers:
        """Return the sums of |P - Q| from each value of a group to the next, and from the start to its first value.

        P and Q are the cumulated frequencies in group and file. From one value of the group to the next, P is constant
        and Q rises: where Q crosses P is found by bisection, and the sums on both sides come from cumulated sums of Q.
        """
        below = np.cumsum(self._file)  # Q times n, at each value
        summed = np.append(0, np.cumsum(below))
        is_first = np.diff(owner, prepend=-1) != 0
        is_last = np.diff(owner, append=len(groups)) != 0
        reached = np.cumsum(count)
        reached = reached - (reached - count)[is_first][owner]  # P times the size of the group
        stop = np.where(is_last, len(below), np.append(value[1:], 0))
        size = groups.sizes[owner]
        level = reached * len(self.codes)  # P times n times the size
        cross = np.clip(np.searchsorted(below, level / size), value, stop)
        above = level * (cross - value) - size * (summed[cross] - summed[value])
        beneath = size * (summed[stop] - summed[cross]) - level * (stop - cross)
        moved: Integers = above + beneath + np.where(is_first, size * summed[value], 0)
        return moved
