"""Annealing of one region, one exchange after the other: a sweep finds the best exchange of every record it asks.

Compared with `search/annealing.py`, which evaluates one exchange for all records at once, a sweep takes longer and
does more: the temperatures are the same, and a fifth of the sweeps reaches the same loss.
"""

from __future__ import annotations

import numpy as np

from constraint_sdc.arrays import Bytes, Floats, Labels, NeighbourLists
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.search.annealing import temperature_unit, temperatures
from constraint_sdc.partition.search.grouping import renumbered

_REGROUP_EVERY = 5  # sweeps
_TRIED = 10  # one group, and one record, in this many is tried each time
_LEAST_TRIED = 3
_DRAWS = 1_024
_PLACES = 256


def settle(cloud: Cloud, labels: Labels, k: int, lists: NeighbourLists, sweeps: int, seed: int, heat: float) -> Labels:
    """Return the partition after this many sweeps; it may be worse than the start.

    Groups of the start have k to 2k - 1 records. `lists` are the near neighbours of every record. A `heat` below one
    begins at a lower temperature and stays nearer the start.
    """
    from constraint_sdc.partition.compiled import announce
    from constraint_sdc.partition.regions.settling_kernels import dissolve, enlist, exchange, form

    announce("search in regions", [enlist, exchange, dissolve, form])
    books = _books(cloud, labels, k)
    enlist(*books)
    patience, waits, chance = temperature_unit(cloud, k, lists), _waits(), _chance(lists.shape[1])
    state = np.array([seed | 1], np.uint64)
    some = np.empty(2 * k, np.int32)
    tries = len(cloud) // _TRIED + _LEAST_TRIED
    for number, temperature in enumerate(temperatures(cloud, sweeps, heat).tolist()):
        exchange(k, *books, lists, chance, patience, waits, temperature, state)
        if number % _REGROUP_EVERY == 0:
            dissolve(tries // k + 1, k, *books, lists, patience, waits, temperature, state, some)
            form(tries, k, *books, lists, patience, waits, temperature, state, some)
    return renumbered(books[0].astype(np.int64))


_Books = tuple[NeighbourLists, NeighbourLists, NeighbourLists, NeighbourLists, Floats, Floats]


def _books(cloud: Cloud, labels: Labels, k: int) -> _Books:
    """Return labels, sizes, members, places, records and groups; all but labels and records are still empty."""
    n, d = cloud.points.shape
    count = max(n // k, int(labels.max()) + 1)
    weight = np.ones(n) if cloud.weights is None else cloud.weights
    records = np.empty((n, d + 1))
    records[:, :d] = (cloud.points - cloud.points.mean(axis=0)) * weight[:, None]
    records[:, d] = weight
    size, members = np.zeros(count, np.int32), np.zeros((count, 2 * k - 1), np.int32)
    return labels.astype(np.int32), size, members, np.zeros(n, np.int32), records, np.zeros((count, d + 2))


def _waits() -> Floats:
    """Return the quantiles of the exponential distribution with mean 1; processors differ in their last digits."""
    quantiles = -np.log1p(-(np.arange(_DRAWS) + 0.5) / _DRAWS)
    return quantiles.astype(np.float32).astype(np.float64)


def _chance(count: int) -> Bytes:
    """Return the place in a list for each of 256 draws: their square, so that nearer neighbours are likelier."""
    drawn = (np.arange(_PLACES) + 0.5) / _PLACES
    return (np.square(drawn) * count).astype(np.uint8)
