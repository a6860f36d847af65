"""The partition methods by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.individual_ranking import IndividualRanking
from constraint_sdc.partition.methods.k_modes import KModes
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.mhm import Mhm
from constraint_sdc.partition.methods.mixed import Mixed
from constraint_sdc.partition.methods.mu_approx import MuApprox
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate
from constraint_sdc.partition.methods.ordinal_median import OrdinalMedian
from constraint_sdc.partition.methods.projection import PrincipalComponentProjection, ZSumProjection
from constraint_sdc.partition.methods.random_groups import RandomGroups
from constraint_sdc.partition.methods.rim import Rim
from constraint_sdc.partition.methods.tree import Tree
from constraint_sdc.partition.methods.v_mdav import VMdav
from constraint_sdc.partition.partitioner import Partitioner, require_possible, without_equal_weights
from constraint_sdc.partition.search.refine import Effort, effort_of, refine
from constraint_sdc.settings.recipe import Division

_REFINE = "+refine"
_DEFAULT = "default"
_PLAIN: Mapping[str, Partitioner] = MappingProxyType(
    {
        method.name: method
        for method in (
            Mdav(),
            VMdav(),
            MuApprox(),
            Mhm(),
            Rim(),
            Tree(),
            OptimalUnivariate(),
            IndividualRanking(),
            PrincipalComponentProjection(),
            ZSumProjection(),
            KModes(),
            OrdinalMedian(),
            Mixed(),
            RandomGroups(),
        )
    }
)

METHODS: tuple[str, ...] = ("auto", *_PLAIN)
"""The names that `--partition` takes, the default first; all but `auto` also with `+refine` behind."""


_ONE_VARIABLE = (OptimalUnivariate.name, IndividualRanking.name)


@dataclass(frozen=True, slots=True)
class Refined:
    """Any method, then the search that improves its groups; weights of records count in the search."""

    start: Partitioner
    effort: Effort

    @property
    def name(self) -> str:
        """Return the start's name and `+refine`."""
        return self.start.name + _REFINE

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
    if name == "auto":
        return Auto(effort_of(_DEFAULT if effort is None else effort))
    start = name.removesuffix(_REFINE)
    if start not in _PLAIN:
        raise UsageError(
            f"unknown partition method {name!r}",
            hint=f"use auto, or one of {', '.join(METHODS[1:])}, also with +refine behind",
        )
    if name.endswith(_REFINE):
        return Refined(_PLAIN[start], effort_of(_DEFAULT if effort is None else effort))
    if effort is not None:
        raise UsageError(f"{name} does not search, so it has no effort", hint=f"use auto or {name}+refine")
    return _PLAIN[name]


def takes_one_variable(name: str) -> bool:
    """Tell whether a method divides the records by one variable alone."""
    return name.removesuffix(_REFINE) in _ONE_VARIABLE


def settled(division: Division) -> Division:
    """Return the division with its effort said, where the method has one; refuse what does not fit together."""
    searches = division.method == "auto" or division.method.endswith(_REFINE)
    partitioner(division.method, division.effort)
    effort = (_DEFAULT if division.effort is None else division.effort) if searches else None
    return Division(division.method, effort, division.standardise, division.weights)
