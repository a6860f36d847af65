"""What every partition method does, and the methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from constraint_sdc.errors import UsageError
from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels
from constraint_sdc.partition.mdav import Mdav


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


_METHODS: Mapping[str, Partitioner] = MappingProxyType({method.name: method for method in (Mdav(),)})

METHODS: tuple[str, ...] = tuple(_METHODS)
"""The names that `--method` takes, the default first."""


def partitioner(name: str) -> Partitioner:
    """Return the method of this name.

    >>> partitioner("mdav").name
    'mdav'
    """
    if name not in _METHODS:
        raise UsageError(f"unknown partition method {name!r}", hint=f"use one of: {', '.join(METHODS)}")
    return _METHODS[name]
