"""What every partition method does."""

from __future__ import annotations

from typing import Protocol

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels


class Partitioner(Protocol):
    """A method that divides records into groups of at least k.

    Every record is in exactly one group, labels are 0, 1, ... without a gap, and the same points, k and seed give the
    same labels. Fewer than k points, and points that are not finite numbers, raise ValueError; callers refuse such data
    earlier, in a user's words. A cloud that a method was not made for (weights, scales) it refuses with a UsageError.
    """

    @property
    def name(self) -> str:
        """Return the name on the command line and in recipes."""
        ...

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record of the cloud."""
        ...
