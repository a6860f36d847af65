"""The partition methods by name: those of the folder `methods`, and those of other distributions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.partitioner import (
    DRAWN,
    Partitioner,
    PartitionTraits,
    require_possible,
    without_equal_weights,
)
from constraint_sdc.partition.search.refine import Effort, effort_of, refine
from constraint_sdc.plugins import Registry
from constraint_sdc.settings.recipe import Division

_REFINE = "+refine"
_DEFAULT = "default"

PARTITIONS = Registry[Partitioner](
    kind="partition method",
    folders=("constraint_sdc.partition.methods",),
    group="constraint_sdc.partitions",
    protocol=Partitioner,
    first=(
        "auto",
        "mdav",
        "v-mdav",
        "mu-approx",
        "mhm",
        "rim",
        "tree",
        "optimal-univariate",
        "individual-ranking",
        "pc1-projection",
        "z-sum-projection",
        "k-modes",
        "ordinal-median",
        "mixed",
        "random",
    ),
)
"""Every method under its name, the default first."""

METHODS: tuple[str, ...] = PARTITIONS.own_names
"""The names of our own methods, the default first; all except `auto` also take `+refine`."""


@dataclass(frozen=True, slots=True)
class Refined:
    """Any method, followed by the search that improves its groups; the search uses record weights."""

    start: Partitioner
    effort: Effort

    @property
    def name(self) -> str:
        """Return the start's name and `+refine`."""
        return self.start.name + _REFINE

    @property
    def traits(self) -> PartitionTraits:
        """Return the start's traits; the search draws records by their place in the file."""
        return replace(self.start.traits, file_order_matters=DRAWN)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the improved groups."""
        require_possible(cloud, k)
        start = self.start.partition(Cloud(cloud.points, cloud.axes), k, seed)
        return refine(without_equal_weights(cloud), start, k, seed, self.effort)


def partitioner(name: str, effort: str | None = None) -> Partitioner:
    """Return the method of this name; an effort is for methods that search, and refused for others.

    >>> partitioner("mdav").name, partitioner("v-mdav+refine", "high").name
    ('mdav', 'v-mdav+refine')
    """
    if name == Auto.name:
        return Auto(effort_of(_DEFAULT if effort is None else effort))
    start = name.removesuffix(_REFINE)
    if start not in PARTITIONS or start == Auto.name:
        raise UsageError(
            f"unknown partition method {name!r}",
            hint=f"use auto, or one of {', '.join(PARTITIONS.names[1:])}; add +refine to search for better groups",
        )
    if name.endswith(_REFINE):
        return Refined(PARTITIONS[start], effort_of(_DEFAULT if effort is None else effort))
    if effort is not None:
        raise UsageError(f"{name} does not search, so it has no effort", hint=f"use auto or {name}+refine")
    return PARTITIONS[name]


def takes_one_variable(name: str) -> bool:
    """Tell whether a method divides the records by one variable alone."""
    start = name.removesuffix(_REFINE)
    return start in PARTITIONS and PARTITIONS[start].traits.takes_one_variable


def sorts_by_one_number(name: str) -> bool:
    """Tell whether a method sorts records by a projection."""
    start = name.removesuffix(_REFINE)
    return start in PARTITIONS and PARTITIONS[start].traits.sorts_by_one_number


def settled(division: Division) -> Division:
    """Return the division with its effort filled in if the method searches; refuse contradictory options."""
    searches = division.partition == Auto.name or division.partition.endswith(_REFINE)
    partitioner(division.partition, division.effort)
    effort = (_DEFAULT if division.effort is None else division.effort) if searches else None
    return Division(division.partition, effort, division.standardise, division.weights)
