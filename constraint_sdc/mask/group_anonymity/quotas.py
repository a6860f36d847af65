"""Who may swap with whom, and how often; and what was chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from constraint_sdc.mask.group_anonymity.signals import Codes, Counts, Mask, Rows

Allowed: TypeAlias = Callable[[Rows, Rows], Mask]


@dataclass(frozen=True)
class Quotas:
    """Who may take part, and how often: vital rows of values with a surplus, other rows of values with a deficit."""

    vital: Rows
    others: Rows
    value: Codes  # of every record of the file
    surplus: Counts
    deficit: Counts

    @property
    def size(self) -> int:
        """Return how many swaps realise the wish."""
        return int(self.surplus.sum())

    @property
    def pairs(self) -> int:
        """Return how many pairs there are to choose from."""
        return len(self.vital) * len(self.others)


@dataclass(frozen=True)
class Chosen:
    """Disjoint pairs of a vital and another row, and whether no further pair can exist under the rules."""

    vital: Rows
    others: Rows
    is_all: bool
