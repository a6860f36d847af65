"""The method that chooses: the optimum where it can be computed, otherwise a quick start and a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import extents
from constraint_sdc.partition.methods.k_modes import KModes
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate
from constraint_sdc.partition.methods.rim import MOST_LISTED
from constraint_sdc.partition.partitioner import (
    COMPILED_ABOVE,
    DRAWN,
    PartitionTraits,
    Takes,
    below_2k,
    require_possible,
    without_equal_weights,
)
from constraint_sdc.partition.regions.regionwise import search_by_regions
from constraint_sdc.partition.search.refine import DEFAULT, Effort, refine
from constraint_sdc.settings.reason import Reason, because
from constraint_sdc.settings.words import Scale

_PATIENT = 5.0  # seconds; with less time, compiling MDAV's kernels does not pay
_SHARE = 0.1  # largest share of the time for MDAV


@dataclass(frozen=True, slots=True)
class Choice:
    """The partition that `auto` chooses for a cloud, as the value of `--partition`, and why."""

    partition: str
    why: Reason


@dataclass(frozen=True, slots=True)
class Auto:
    """Choose by the scales of the variables, the number of records and the effort; the search never raises the loss."""

    effort: Effort = DEFAULT
    name: ClassVar[str] = "auto"
    traits: ClassVar[PartitionTraits] = PartitionTraits(
        Takes.MIXED, largest=below_2k, file_order_matters=DRAWN, searches=True
    )

    def partition(self, cloud: Cloud, k: int, seed: int) -> Labels:
        """Return the group of every record."""
        require_possible(cloud, k)
        cloud = without_equal_weights(cloud)
        match self.choose(cloud, k).partition:
            case "optimal-univariate":
                return OptimalUnivariate().partition(cloud, k, seed)
            case "k-modes":
                return KModes().partition(cloud, k, seed)
            case "mdav+refine":
                return refine(cloud, Mdav().partition(Cloud(cloud.points), k, seed), k, seed, self.effort)
        return search_by_regions(cloud, k, seed, self.effort)

    def choose(self, cloud: Cloud, k: int) -> Choice:
        """Return the method for a cloud, and why."""
        n = len(cloud)
        cloud = without_equal_weights(cloud)
        if cloud.weights is None and cloud.scales == {Scale.NOMINAL}:
            return Choice("k-modes", because("only-categories"))
        varying = int((extents(cloud.points) > 0).sum()) if n else 0
        if cloud.weights is None and varying <= 1 and Scale.NOMINAL not in cloud.scales:
            return Choice("optimal-univariate", because("one-variable-varies"))
        if n <= COMPILED_ABOVE:
            return Choice("mdav+refine", because("mdav-is-quick", records=n))
        if k > MOST_LISTED:
            return Choice("mdav+refine", because("lists-cost-more", k=k))
        work = self.effort.seconds * self.effort.chains
        if work >= _PATIENT and _mdav_seconds(cloud) <= _SHARE * work:
            return Choice("mdav+refine", because("time-for-mdav", records=n, effort=self.effort.name))
        return Choice("rim+refine", because("search-needs-time", records=n, effort=self.effort.name))


REGISTERED = {"auto": Auto()}


def _mdav_seconds(cloud: Cloud) -> float:
    """Return a rough estimate of MDAV's time on one core; it is the same on every machine."""
    n, d = cloud.points.shape
    return float(2.5e-9 * (d + 2) * n**1.5)
