"""The ways to mask a file, with what each of them may be told.

Every masker promises that rules which held still hold. Whether k records share their values is a promise of its own,
which not every masker makes; see `docs/maskers`, one page each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from constraint_sdc.model.goal import Goal, Influential


@dataclass(frozen=True, slots=True)
class Microaggregation:
    """Records in groups of at least k, and every group shares one representative: the default."""

    name: ClassVar[str] = "microaggregation"


@dataclass(frozen=True, slots=True)
class Microhybrid:
    """Synthetic values in every cluster of at least k records, with the cluster's means and covariances.

    `given` are variables that stay as they are; the covariances with them are kept as well.
    """

    name: ClassVar[str] = "microhybrid"

    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FuzzyCMeans:
    """Every record becomes a centre, drawn by its memberships: `m1` says how fuzzy centres are, `m2` how fuzzy draws.

    `ensure_k` dissolves centres that fewer than k records drew; without it k is reported, not promised. `constrained`
    moves centres onto the linear rules while they are sought.
    """

    name: ClassVar[str] = "fuzzy-c-means"

    m1: float = 1.2
    m2: float = 1.3
    ensure_k: bool = False
    constrained: bool = False


@dataclass(frozen=True, slots=True)
class GroupAnonymity:
    """Parameter values swapped between records until goal signals are as wished; nothing else changes.

    `influential` are the variables in which the two records of a swap should be alike.
    """

    name: ClassVar[str] = "group-anonymity"

    goals: tuple[Goal, ...]
    influential: tuple[Influential, ...] = ()


Method: TypeAlias = Microaggregation | Microhybrid | FuzzyCMeans | GroupAnonymity

MASKERS: tuple[str, ...] = (Microaggregation.name, Microhybrid.name, FuzzyCMeans.name, GroupAnonymity.name)
"""The names that `--method` takes besides those of partitions, which stand for microaggregation."""


def draws(method: Method) -> bool:
    """Tell whether chance decides what a record gets, so that the seed must stay secret."""
    return isinstance(method, Microhybrid | FuzzyCMeans)


def divides_itself(method: Method) -> bool:
    """Tell whether the masker needs no partition method: it forms groups in its own way, or none."""
    return isinstance(method, FuzzyCMeans | GroupAnonymity)
