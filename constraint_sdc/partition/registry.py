"""The partition methods by name: those of the folder `methods`, and those of other distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.rim import MOST_LISTED, Rim
from constraint_sdc.partition.partitioner import (
    COMPILED_ABOVE,
    DRAWN,
    Partitioner,
    PartitionTraits,
    require_possible,
    without_equal_weights,
)
from constraint_sdc.partition.regions.regionwise import search_by_regions
from constraint_sdc.partition.search.refine import Effort, effort_of, refine
from constraint_sdc.plugins import Registry
from constraint_sdc.settings.parameters import parameters_of, with_parameters
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
    """Any method, followed by the search that improves its groups; the search uses record weights.

    A large file is divided by rim, and searched, region by region.
    """

    start: Partitioner
    effort: Effort

    @property
    def name(self) -> str:
        """Return the start's name and `+refine`."""
        return self.start.name + _REFINE

    @property
    def traits(self) -> PartitionTraits:
        """Return the start's traits; the search draws records by their place in the file."""
        return replace(self.start.traits, file_order_matters=DRAWN, searches=True)

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the improved groups."""
        require_possible(cloud, k)
        if self.start.name == Rim.name and len(cloud) > COMPILED_ABOVE and k <= MOST_LISTED:
            return search_by_regions(without_equal_weights(cloud), k, seed, self.effort)
        start = self.start.partition(Cloud(cloud.points, cloud.axes), k, seed)
        return refine(without_equal_weights(cloud), start, k, seed, self.effort)


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A partition as users write it: `NAME`, its parameters each as `:PARAMETER=VALUE`, and `+refine`."""

    method: str
    told: Mapping[str, str]
    refines: bool

    @classmethod
    def of(cls, text: str) -> _Spelling:
        """Return the parts of the text; UsageError for a parameter without a value or with two."""
        method, *parts = text.removesuffix(_REFINE).split(":")
        told: dict[str, str] = {}
        for part in parts:
            name, _, value = part.partition("=")
            if not (name and value):
                raise UsageError(f"{text!r} gives a parameter no value", hint=f"write {method}:PARAMETER=VALUE")
            if name in told:
                raise UsageError(f"{text!r} gives {name} twice", hint="give it once")
            told[name] = value
        return cls(method, told, text.endswith(_REFINE))


def partitioner(name: str, effort: str | None = None) -> Partitioner:
    """Return the method of this name; an effort is for methods that search, and refused for others.

    The name may give parameters that the method declares, as `with_parameters` reads them.

    >>> partitioner("mdav").name, partitioner("v-mdav+refine", "high").name
    ('mdav', 'v-mdav+refine')
    >>> partitioner("v-mdav:gamma=1.1")
    VMdav(gamma=1.1)
    """
    spelling = _Spelling.of(name)
    start = spelling.method
    if start not in PARTITIONS or (start == Auto.name and spelling.refines):
        raise UsageError(
            f"unknown partition method {name!r}",
            hint=f"use auto, or one of {', '.join(PARTITIONS.names[1:])}; add +refine to search for better groups",
        )
    method = with_parameters(PARTITIONS[start], start, spelling.told)
    if start == Auto.name:
        return Auto(effort_of(_DEFAULT if effort is None else effort))
    if spelling.refines:
        return Refined(method, effort_of(_DEFAULT if effort is None else effort))
    if effort is not None:
        raise UsageError(f"{name} does not search, so it has no effort", hint=f"use auto or {name}+refine")
    return method


_SMALL_PART = 0.02
"""The share of a large block's records below which a stratum is searched for a shorter time."""


def for_stratum(method: Partitioner, records: int, of_records: int) -> Partitioner:
    """Return a method as it divides a stratum of a block: with less effort for a few records of a large file.

    Up to 5,000 records of the block, and from two percent of its records on, a stratum is searched like a file of its
    size. Below, the effort falls with its share: what a better search could gain there is little of the block's loss.

    >>> for_stratum(Auto(), 200, 100_000).effort.seconds, for_stratum(Auto(), 500, 4_000).effort.seconds
    (0.05, 0.5)
    """
    share = min(1.0, records / (_SMALL_PART * of_records)) if of_records > COMPILED_ABOVE else 1.0
    if share == 1.0 or not isinstance(method, Auto | Refined):
        return method
    return replace(method, effort=method.effort.reduced(share))


def spelt(name: str) -> str:
    """Return a partition in its one spelling: parameters in the order of their declaration, values as they are read.

    >>> spelt("v-mdav:gamma=1.10+refine"), spelt("v-mdav")
    ('v-mdav:gamma=1.1+refine', 'v-mdav')
    """
    spelling = _Spelling.of(name)
    method = partitioner(name.removesuffix(_REFINE))
    given = [one.name for one in parameters_of(method) if one.name in spelling.told]
    values = "".join(f":{one}={getattr(method, one)}" for one in given)
    return spelling.method + values + (_REFINE if spelling.refines else "")


def takes_one_variable(name: str) -> bool:
    """Tell whether a method divides the records by one variable alone."""
    start = _Spelling.of(name).method
    return start in PARTITIONS and PARTITIONS[start].traits.takes_one_variable


def sorts_by_one_number(name: str) -> bool:
    """Tell whether a method sorts records by a projection."""
    start = _Spelling.of(name).method
    return start in PARTITIONS and PARTITIONS[start].traits.sorts_by_one_number


def settled(division: Division) -> Division:
    """Return the division in its one spelling, with its effort if the method searches; refuse contradictory options."""
    searches = division.partition == Auto.name or division.partition.endswith(_REFINE)
    partitioner(division.partition, division.effort)
    effort = (_DEFAULT if division.effort is None else division.effort) if searches else None
    return Division(spelt(division.partition), effort, division.standardise, division.weights)
