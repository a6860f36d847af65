"""Simulated annealing of a partition: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 671-680, 1983.

Exchanges between neighbouring groups, and now and then a group dissolved or formed, are accepted if they lower the
loss, or with a probability that falls with the loss they add and with the temperature. The unit of temperature is what
neighbours lie apart, halfway between here and everywhere, so that the dense middle and the thin tails of a skewed file
settle at the same time.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.model.cloud import Cloud
from constraint_sdc.model.groups import Labels
from constraint_sdc.partition.exchange import draw, exchange, propose, propose_compiled
from constraint_sdc.partition.grouping import Floats, Grouping, Ints
from constraint_sdc.partition.machine import COMPILED_ABOVE
from constraint_sdc.partition.regroup import create, dissolve, split

_REGROUP_EVERY = 20
_TRIED = 30  # one in so many groups, and records, each time
_LEAST_TRIED = 3
_AT_ZERO = 20  # one sweep at the end for so many before
_COOLING = 32.0
_HOTTEST = 1.2


def anneal(cloud: Cloud, labels: Labels, k: int, lists: Ints, sweeps: int, seed: int, heat: float = 1.0) -> Labels:
    """Return what the partition has become after so many sweeps; it may be worse than it was.

    `lists` are the near neighbours of every record. With a `heat` below one it begins cooler, nearer the start.
    """
    is_large = len(cloud) > COMPILED_ABOVE
    grouping = Grouping(cloud, labels, k, by_record=is_large)
    weigh = propose_compiled if is_large else propose
    for group in np.flatnonzero(grouping.size > grouping.most).tolist():
        split(grouping, group)
    random = np.random.default_rng(seed)
    unit = _unit(cloud, k, lists)
    for number, temperature in enumerate(_temperatures(cloud, sweeps, heat)):
        draws = draw(random, grouping.n)
        exchange(grouping, weigh(grouping, lists, draws, temperature * unit * draws.patience), random)
        if number % _REGROUP_EVERY == 0:
            dissolve(grouping, lists, grouping.n // (k * _TRIED) + _LEAST_TRIED, temperature * unit, random)
            create(grouping, lists, grouping.n // _TRIED + _LEAST_TRIED, temperature * unit, random)
    return grouping.labels()


def _unit(cloud: Cloud, k: int, lists: Ints) -> Floats:
    """Return the unit of temperature at each record: the root of local times average squared neighbour distance.

    Identical records say nothing about how far others are, so they do not count; a record that knows no other takes the
    average.
    """
    count = min(max(k, 3), lists.shape[1])
    local, others = np.zeros(len(cloud)), np.zeros(len(cloud))
    for neighbours in lists.T:
        if (others == count).all():
            break
        apart = np.zeros(len(cloud))
        for column in cloud.points.T:
            apart += np.square(column[neighbours] - column)
        is_wanted = (apart > 0) & (others < count)
        local[is_wanted] += apart[is_wanted]
        others += is_wanted
    known = others > 0
    local[known] /= others[known]
    local[~known] = local[known].mean() if known.any() else 0.0
    if cloud.weights is not None:
        local *= cloud.weights
    unit: Floats = np.sqrt(local * local.mean())
    return unit


def _temperatures(cloud: Cloud, sweeps: int, heat: float) -> Floats:
    """Return falling temperatures, then some of zero; in many dimensions distances differ less, so it begins cooler.

    The dimension is that of the spread, (sum of variances)^2 / sum of their squares along the principal axes: columns
    that follow others do not count.
    """
    spread = np.linalg.eigvalsh(np.atleast_2d(np.cov(cloud.points, rowvar=False)))
    total = float(spread.sum())
    dimension = total * total / float(np.square(spread).sum()) if total > 0 else 1.0
    hottest = min(_HOTTEST, 2.0 / np.sqrt(1.0 + dimension))
    falling = np.geomspace(hottest * heat, hottest / _COOLING, sweeps)
    falling = falling.astype(np.float32).astype(np.float64)  # processors differ in the last digits of powers
    return np.append(falling, np.zeros(sweeps // _AT_ZERO + 3))
