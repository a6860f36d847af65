"""Simulated annealing of a partition: S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, Science 220, 671-680, 1983.

The steps are exchanges between neighbouring groups and, less often, the dissolution or formation of a group. A step is
accepted if it lowers the loss, or with a probability that falls with the loss it adds and with the temperature. The
unit of temperature is the geometric mean of the local and the average squared neighbour distance, so that the dense
middle and the thin tails of a skewed file settle at the same time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Floats, Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.partitioner import COMPILED_ABOVE
from constraint_sdc.partition.search.exchange import Draws, draw, exchange, propose
from constraint_sdc.partition.search.grouping import Grouping
from constraint_sdc.partition.search.regroup import create, dissolve, split

COMPILED_WORK = 3_000_000
"""Records times sweeps of a small file from which on compiled code, even if it must be loaded first, takes less time.

A masking searches several blocks and loads it once."""
_WORK_BESIDE_OTHERS = 300_000  # the same where other compiled code runs already: then there is little to load

_REGROUP_EVERY = 20
_TRIED = 30  # one group, and one record, in this many is tried each time
_LEAST_TRIED = 3
_AT_ZERO = 20  # sweeps per final sweep at temperature zero
_COOLING = 32.0
_HOTTEST = 1.2


def anneal(
    cloud: Cloud, labels: Labels, k: int, lists: AnyIntegers, sweeps: int, seed: int, heat: float = 1.0
) -> Labels:
    """Return the partition after this many sweeps; it may be worse than the start.

    `lists` are the near neighbours of every record. A `heat` below one begins at a lower temperature and stays nearer
    the start.
    """
    is_compiled = runs_compiled(len(cloud), sweeps)
    grouping = Grouping(cloud, labels, k, by_record=is_compiled)
    for group in np.flatnonzero(grouping.size > grouping.most).tolist():
        split(grouping, group)
    random = np.random.default_rng(seed)
    unit = temperature_unit(cloud, k, lists)
    sweep = _compiled_sweep(grouping, lists) if is_compiled else _sweep(grouping, lists)
    for number, temperature in enumerate(temperatures(cloud, sweeps, heat).tolist()):
        patience = temperature * unit
        sweep(patience, random)
        if number % _REGROUP_EVERY == 0:
            dissolve(grouping, lists, grouping.n // (k * _TRIED) + _LEAST_TRIED, patience, random)
            create(grouping, lists, grouping.n // _TRIED + _LEAST_TRIED, patience, random)
    return grouping.labels()


SweepStep: TypeAlias = Callable[[Floats, np.random.Generator], None]
"""One exchange for every record; the first argument is the mean increase of loss that is accepted near each."""


def _sweep(grouping: Grouping, lists: AnyIntegers) -> SweepStep:
    def sweep(patience: Floats, random: np.random.Generator) -> None:
        exchange(grouping, propose(grouping, lists, draw(random, grouping.n), patience), random)

    return sweep


def _compiled_sweep(grouping: Grouping, lists: AnyIntegers) -> SweepStep:
    """Return the same by compiled code; draws take the place of those before."""
    from constraint_sdc.partition.search.compiled_exchange import CompiledExchange

    exchanges = CompiledExchange(grouping, lists.astype(np.int32))
    uniform, exponential = np.empty((2, grouping.n)), np.empty(grouping.n)
    draws = Draws(uniform[0], uniform[1], exponential)

    def sweep(patience: Floats, random: np.random.Generator) -> None:
        random.random(out=uniform)
        random.standard_exponential(out=exponential)
        exchanges.exchange(exchanges.propose(draws, patience), random)

    return sweep


def runs_compiled(records: int, sweeps: int) -> bool:
    """Tell whether compiled code makes up for its loading; a small file needs none, so it is compiled only to be kept.

    The groups are the same either way.
    """
    is_begun = "constraint_sdc.partition.compiled" in sys.modules
    worthwhile = min(_WORK_BESIDE_OTHERS, COMPILED_WORK) if is_begun else COMPILED_WORK
    if records <= COMPILED_ABOVE and records * sweeps < worthwhile:
        return _is_loaded()
    from constraint_sdc.partition.compiled import announce, is_kept
    from constraint_sdc.partition.search.kernels import carry_out, send, weigh

    if records <= COMPILED_ABOVE and not is_kept(weigh):
        return False
    announce("search for better groups", [weigh, carry_out, send])
    return True


def _is_loaded() -> bool:
    """Tell whether compiled code has run in this process: then it costs nothing to run it again."""
    kernels = sys.modules.get("constraint_sdc.partition.search.kernels")
    return kernels is not None and bool(kernels.weigh.signatures)


def temperature_unit(cloud: Cloud, k: int, lists: AnyIntegers) -> Floats:
    """Return the unit of temperature at each record: the root of local times average squared neighbour distance.

    Copies of a record do not count as neighbours here; a record with only copies as neighbours takes the average.
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


def temperatures(cloud: Cloud, sweeps: int, heat: float) -> Floats:
    """Return falling temperatures, then zeros; more dimensions begin cooler, because distances differ less.

    The dimension is that of the spread, (sum of variances)^2 / sum of their squares along the principal axes: columns
    that depend on others do not count.
    """
    spread = np.linalg.eigvalsh(np.atleast_2d(np.cov(cloud.points, rowvar=False)))
    total = float(spread.sum())
    dimension = total * total / float(np.square(spread).sum()) if total > 0 else 1.0
    hottest = min(_HOTTEST, 2.0 / np.sqrt(1.0 + dimension))
    falling = np.geomspace(hottest * heat, hottest / _COOLING, sweeps)
    falling = falling.astype(np.float32).astype(np.float64)  # processors differ in the last digits of powers
    return np.append(falling, np.zeros(sweeps // _AT_ZERO + 3))
