"""Swaps and moves: every record proposes an exchange with the group of one of its neighbours, all at once.

Each proposal is evaluated against the current partition; no two accepted proposals may change the same group. So a
sweep consists of a few array operations, and its result does not depend on the order of computation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats
from constraint_sdc.partition.search.grouping import Grouping, added


@dataclass(frozen=True, slots=True)
class Draws:
    """Random draws of a sweep for every record: the neighbour, the member of its group, the loss to accept.

    The place in the list of neighbours is the square of the draw, so that nearer neighbours are more likely.
    """

    neighbour: Floats
    companion: Floats
    patience: Floats


def draw(random: np.random.Generator, n: int) -> Draws:
    """Draw for n records: between 0 and 1, and with a mean of 1."""
    neighbour, companion = random.random((2, n))
    return Draws(neighbour, companion, random.standard_exponential(n))


class Exchanges(NamedTuple):
    """Records `x` of `groups[0]` that may change places with `z` of `groups[1]`."""

    x: AnyIntegers
    z: AnyIntegers
    groups: AnyIntegers


def propose(grouping: Grouping, lists: AnyIntegers, draws: Draws, patience: Floats) -> Exchanges:
    """Evaluate one exchange for every record whose neighbour is in another group; return those that are accepted.

    `patience` is the mean increase of loss that is accepted at each record; the draw multiplies it.
    This is the same arithmetic, operation for operation, as the compiled `weigh`.
    """
    n, count = lists.shape
    at = (np.square(draws.neighbour) * count).astype(np.int64)
    at += np.arange(0, n * count, count)
    neighbour = grouping.label.take(lists.ravel().take(at))
    x = (grouping.label != neighbour).nonzero()[0]
    groups = np.empty((2, len(x)), np.int64)
    grouping.label.take(x, out=groups[0], mode="clip")
    neighbour.take(x, out=groups[1], mode="clip")
    sizes = grouping.size.take(groups)
    # One slot more than there are members is empty: then x moves, if the sizes of both groups allow it.
    places = sizes[1] + ((sizes[0] > grouping.k) & (sizes[1] < grouping.most))
    slot = (draws.companion.take(x) * places).astype(np.int64)
    slot += groups[1] * grouping.room
    z = grouping.members.ravel().take(slot)
    accepted = (_changes(grouping, x, z, groups) < (patience * draws.patience).take(x)).nonzero()[0]
    return Exchanges(x.take(accepted), z.take(accepted), groups.take(accepted, axis=1))


_SIGNS = np.array([[1.0], [-1.0]])


def _changes(grouping: Grouping, x: AnyIntegers, z: AnyIntegers, groups: AnyIntegers) -> Floats:
    """Return what every exchange adds to the loss; `groups` are those of x and z, one above the other."""
    change = grouping.records.take(z, axis=1)
    change -= grouping.records.take(x, axis=1)
    points, heavier = change[:-1], change[-1]
    table = grouping.table.take(groups, axis=1)
    sums, mass, norm = table[:-2], table[-2], table[-1]
    square = added(points * points)
    before = norm / mass
    sums *= points[:, None]
    together = added(sums)
    together *= 2.0 * _SIGNS
    together += norm
    together += square
    mass += heavier * _SIGNS
    together /= mass
    before -= together
    total: Floats = before[0] + before[1]
    return total


def exchange(grouping: Grouping, wanted: Exchanges, random: np.random.Generator) -> None:
    """Carry out exchanges; of several that need the same group, one is drawn at random."""
    count = len(wanted.x)
    if count == 0:
        return
    claims = wanted.groups.ravel()
    order = random.permutation(2 * count)
    owner = np.empty(len(grouping.size), np.int64)
    owner[claims.take(order)] = order
    is_owner = owner.take(claims) == np.arange(2 * count)
    kept = (is_owner[:count] & is_owner[count:]).nonzero()[0]
    grouping.swap(wanted.x.take(kept), wanted.z.take(kept), wanted.groups.take(kept, axis=1))


def undisputed(proposal: AnyIntegers, group: AnyIntegers, groups: int, random: np.random.Generator) -> AnyIntegers:
    """Return the proposals that get every group they claim when each group is given to one claim at random.

    Claims are pairs of a proposal, 0, 1, ... without a gap, and a group.
    """
    count = int(proposal.max()) + 1 if len(proposal) else 0
    order = random.permutation(len(proposal))
    owner = np.empty(groups, np.int64)
    owner[group[order]] = proposal[order]
    refused = np.zeros(count, np.bool_)
    refused[proposal[owner[group] != proposal]] = True
    return np.flatnonzero(~refused)
