"""The protocol of a demand: which of many groups hold it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from constraint_sdc.arrays import Counts, Flags, Labels, Positions, Rows


@dataclass(frozen=True, slots=True)
class Laid:
    """Groups laid out one after the other: group g has the records `rows[starts[g]:starts[g + 1]]`.

    Groups may overlap; none is empty.
    """

    rows: Rows
    starts: Positions

    @classmethod
    def of(cls, groups: Iterable[Rows]) -> Laid:
        """Lay out these groups; there must be at least one.

        >>> Laid.of([np.array([4, 2]), np.array([7])]).sizes.tolist()
        [2, 1]
        """
        parts = list(groups)
        sizes = np.array([len(part) for part in parts], np.int64)
        return cls(np.concatenate(parts).astype(np.int64), np.cumsum(sizes) - sizes)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def sizes(self) -> Counts:
        """Return the number of records in each group."""
        return np.diff(np.append(self.starts, len(self.rows))).astype(np.int64)

    @property
    def label(self) -> Labels:
        """Return the group of every place of `rows`."""
        return np.repeat(np.arange(len(self)), self.sizes)


class GroupDemand(Protocol):
    """A demand on every group. It is monotone: the union of groups that hold it holds it too.

    A division of some records into groups that hold it therefore exists if and only if all of them together hold it.
    """

    @property
    def name(self) -> str:
        """Return its name, as in `protect` of a recipe."""
        ...

    @property
    def of(self) -> str:
        """Return the variable that it is about, as in `protect`; "" if it is about all variables of a block."""
        ...

    def held_by(self, groups: Laid) -> Flags:
        """Tell which groups hold it."""
        ...

    def weaker(self, groups: Laid) -> Mapping[str, float]:
        """Return parameters, rounded, with which all these groups would hold it; none if they would promise nothing."""
        ...


def all_held(demands: Iterable[GroupDemand], groups: Laid) -> Flags:
    """Tell which groups hold all demands."""
    held = np.ones(len(groups), np.bool_)
    for demand in demands:
        held &= demand.held_by(groups)
    return held


def rounded_down(value: float, decimals: int = 2) -> float:
    """Return the value with few decimals, not above it.

    >>> rounded_down(1.239), rounded_down(3.0)
    (1.23, 3.0)
    """
    return math.floor(value * 10.0**decimals) / 10.0**decimals


def rounded_up(value: float, decimals: int = 2) -> float:
    """Return the value with few decimals, not below it."""
    return -rounded_down(-value, decimals)
