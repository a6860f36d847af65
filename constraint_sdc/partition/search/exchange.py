"""Swaps and moves: every record proposes an exchange with the group of one of its neighbours, all at once.

Each proposal is evaluated against the current partition; no two accepted proposals may change the same group. So a
sweep consists of a few array operations, and its result does not depend on the order of computation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats
from constraint_sdc.partition.search.grouping import Grouping, dot

_CHUNK = 32_768


@dataclass(frozen=True, slots=True)
class Draws:
    """Random draws of a sweep for every record: the neighbour, the member of its group, the loss to accept."""

    neighbour: Floats
    companion: Floats
    patience: Floats


def draw(random: np.random.Generator, n: int) -> Draws:
    """Draw for n records; nearer neighbours are more likely."""
    return Draws(np.square(random.random(n)), random.random(n), random.standard_exponential(n))


@dataclass(frozen=True, slots=True)
class Exchanges:
    """Records `x` of groups `one` that may change places with `z` of groups `other`."""

    x: AnyIntegers
    z: AnyIntegers
    one: AnyIntegers
    other: AnyIntegers


def propose(grouping: Grouping, lists: AnyIntegers, draws: Draws, limit: Floats) -> Exchanges:
    """Evaluate one exchange for every record whose neighbour is in another group; return those below its limit.

    This is the same arithmetic, operation for operation, as the compiled `exchange_kernel.weigh`.
    """
    n, count = lists.shape
    one = grouping.label
    at = (draws.neighbour * count).astype(np.int64)
    at += np.arange(0, n * count, count)
    other = one.take(lists.ravel().take(at))
    x = np.flatnonzero(one != other)
    one, other = one.take(x), other.take(x)
    size = grouping.size.take(other)
    # One slot more than there are members is empty: then x moves, if the sizes of both groups allow it.
    places = size + ((grouping.size.take(one) > grouping.k) & (size < grouping.most))
    z = grouping.members[other, (draws.companion.take(x) * places).astype(np.int64)]
    accepted = np.flatnonzero(_changes(grouping, x, z, one, other) < limit.take(x))
    return Exchanges(x[accepted], z[accepted], one[accepted], other[accepted])


def _changes(grouping: Grouping, x: AnyIntegers, z: AnyIntegers, one: AnyIntegers, other: AnyIntegers) -> Floats:
    difference = grouping.points.take(z, axis=1)
    difference -= grouping.points.take(x, axis=1)
    square = dot(difference, difference)
    with_one = dot(grouping.sums.take(one, axis=1), difference)
    with_other = dot(grouping.sums.take(other, axis=1), difference)
    heavier = grouping.weight.take(z) - grouping.weight.take(x)
    norm_one, norm_other = grouping.norm.take(one), grouping.norm.take(other)
    mass_one, mass_other = grouping.mass.take(one), grouping.mass.take(other)
    change: Floats = norm_one / mass_one - (norm_one + 2.0 * with_one + square) / (mass_one + heavier)
    change += norm_other / mass_other - (norm_other - 2.0 * with_other + square) / (mass_other - heavier)
    return change


def propose_compiled(grouping: Grouping, lists: AnyIntegers, draws: Draws, limit: Floats) -> Exchanges:
    """Do what `propose` does, by a compiled kernel on all cores."""
    from constraint_sdc.partition.compiled import announce, in_threads
    from constraint_sdc.partition.search.kernels import weigh

    announce("search for better groups", [weigh])
    z = np.empty_like(grouping.label)
    other = np.empty_like(grouping.label)
    state = (grouping.label, grouping.size, grouping.members, grouping.mass, grouping.norm, grouping.weight)
    rows = (grouping.points.T, grouping.sums.T, lists, draws.neighbour, draws.companion, limit)
    in_threads(lambda start, stop: weigh(start, stop, grouping.k, *state, *rows, z, other), grouping.n, _CHUNK)
    x = np.flatnonzero(z >= 0)
    return Exchanges(x, z[x], grouping.label[x], other[x])


def exchange(grouping: Grouping, wanted: Exchanges, random: np.random.Generator) -> None:
    """Carry out exchanges; of several that need the same group, one is drawn at random."""
    number = np.arange(len(wanted.x))
    claims = np.concatenate((number, number)), np.concatenate((wanted.one, wanted.other))
    kept = undisputed(*claims, len(grouping.size), random)
    grouping.swap(wanted.x[kept], wanted.z[kept], wanted.one[kept], wanted.other[kept])


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
