"""A search that improves any partition: annealed runs, recombined; the result is never worse than the start."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from constraint_sdc.arrays import AnyIntegers, Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.distances import extents, sse
from constraint_sdc.partition.methods.tree import safe_scale, tree_order
from constraint_sdc.partition.partitioner import COMPILED_ABOVE
from constraint_sdc.partition.search.annealing import runs_compiled
from constraint_sdc.partition.search.chains import Chain, run_chains
from constraint_sdc.partition.search.grouping import renumbered
from constraint_sdc.partition.search.neighbours import nearest

# The effort of the search.

_ALONE = 3.0
_CHAIN = 5.5
_CORES = 2


@dataclass(frozen=True, slots=True)
class Effort:
    """A search of `chains` independent runs of `seconds` each, then `rounds` in which as many start from the best.

    The seconds are nominal: a fixed rate turns them into numbers of steps, so that the same file, seed and effort give
    the same groups on any machine, whatever its speed. A file of about a thousand records gets at least
    `sweeps_a_record` for every record, if that is more.
    """

    name: str
    seconds: float
    chains: int = 1
    rounds: int = 0
    sweeps_a_record: float = 0

    def reduced(self, share: float) -> Effort:
        """Return the effort with runs of this share of the length."""
        return replace(self, seconds=share * self.seconds, sweeps_a_record=share * self.sweeps_a_record)


FAST = Effort("fast", 0.1)
DEFAULT = Effort("default", 0.5, sweeps_a_record=18)
HIGH = Effort("high", 8.0, chains=2)
BEST = Effort("best", 12.0, chains=8, rounds=4)

EFFORTS: tuple[str, ...] = ("fast", "default", "high", "best")
"""The names that `--effort` takes."""

_BY_NAME = {effort.name: effort for effort in (FAST, DEFAULT, HIGH, BEST)}


def effort_of(name: str) -> Effort:
    """Return the effort of this name, or of a number of seconds such as "30s".

    >>> effort_of("high").chains, effort_of("30s").chains
    (2, 6)
    """
    if name in _BY_NAME:
        return _BY_NAME[name]
    try:
        seconds = float(name.removesuffix("s")) if name.endswith("s") else math.nan
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 86_400:
        raise UsageError(
            f"unknown effort {name!r}", hint=f"use {', '.join(EFFORTS)}, or a number of seconds such as 30s"
        )
    return _of_seconds(name, seconds)


def _of_seconds(name: str, seconds: float) -> Effort:
    """Divide a time among chains as the named efforts do, assuming two cores."""
    if seconds <= _ALONE:
        return Effort(name, seconds)
    chains = _CORES * math.ceil(seconds / (2 * _CHAIN))
    if chains <= _CORES:
        return Effort(name, 0.9 * seconds, _CORES)
    return Effort(name, 0.6 * seconds * _CORES / chains, chains, rounds=2)


_LEAF = 32
_NEIGHBOURS = 16
_MOST_SWEEPS = 30_000
_FEWEST_SWEEPS = 60
_HEATS = (0.4, 0.25, 0.15, 0.15)
_ROUND = 0.4  # of a chain's length
_AFFORDABLE = 1_100  # records
_POOLED = 12
_SMALL = 5  # k
_RECOMBINED = 20_000  # records


def refine(cloud: Cloud, labels: Labels, k: int, seed: int, effort: Effort, lists: AnyIntegers | None = None) -> Labels:
    """Return a partition with groups of k or more records whose loss is at most that of `labels`.

    The answer depends on the cloud, the start, k, the seed and the effort; not on the machine or its cores. `lists` are
    near neighbours of every record, if they are known already.
    """
    if k == 1 or len(cloud) < 2 * k or sse(cloud, labels) == 0.0:
        return labels
    plain = without_idle_columns(cloud)
    if plain.points.shape[1] == 0:
        return labels
    if lists is None:
        count = min(_NEIGHBOURS, len(cloud) - 1)
        compiled = runs_compiled(len(cloud), _sweeps(plain, k, effort))
        lists = nearest(plain.points, count, seed, compiled=compiled).astype(np.int64)
    if len(cloud) <= COMPILED_ABOVE:
        best = _search(plain, labels, k, seed, effort, lists)
    else:
        # Store records and groups that are near in space near in memory: memory access takes most of the time of large
        # files.
        order = tree_order(plain.points, _LEAF)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        best = _search(plain.of(order), renumbered(labels[order]), k, seed, effort, place[lists[order]])[place]
    return best if sse(cloud, best) < sse(cloud, labels) else labels


def _search(cloud: Cloud, labels: Labels, k: int, seed: int, effort: Effort, lists: AnyIntegers) -> Labels:
    """Run the chains of an effort, then its rounds, and return the best partition."""
    count = 2 * effort.chains if _is_short(k, effort) else effort.chains
    sweeps = _sweeps(cloud, k, effort)
    chains = [Chain(labels, sweeps, _seed(seed, 0, i), _heat(sweeps)) for i in range(count)]
    runs = run_chains(cloud, lists, k, chains)
    best = _best(cloud, [labels, *runs], k)
    for number in range(effort.rounds):
        heat = _HEATS[min(number, len(_HEATS) - 1)]
        length = max(_FEWEST_SWEEPS, int(sweeps * _ROUND))
        chains = [Chain(best, length, _seed(seed, number + 1, i), heat) for i in range(count)]
        runs = sorted([*run_chains(cloud, lists, k, chains), *runs], key=lambda run: sse(cloud, run))[:_POOLED]
        best = _best(cloud, [best, *runs], k)
    return best


def _is_short(k: int, effort: Effort) -> bool:
    """Tell whether more and shorter runs are better: small groups often occur in several runs and recombine well."""
    return effort.chains > 1 and k <= _SMALL  # recombination takes time


def _sweeps(cloud: Cloud, k: int, effort: Effort) -> int:
    """Return the sweeps of a run."""
    in_time = sweeps_of(cloud, effort.seconds / 3 if _is_short(k, effort) else effort.seconds)
    return max(in_time, _settling(len(cloud), effort.sweeps_a_record))


def _settling(records: int, sweeps_a_record: float) -> int:
    """Return the sweeps after which a small file has settled.

    Larger files get fewer for each record, so that from 3,000 records on the time alone decides.
    """
    return int(sweeps_a_record * records * min(1.0, _AFFORDABLE / max(records, 1)) ** 3.5)


def sweeps_of(cloud: Cloud, seconds: float) -> int:
    """Turn nominal seconds into sweeps at a fixed rate, close to that of two ordinary cores.

    Small files need fewer sweeps than the time would allow.
    """
    n, d = cloud.points.shape
    rate = 110e-6 + n * (40e-9 + 5e-9 * d) if n <= COMPILED_ABOVE else n * (40e-9 + 4e-9 * d)
    enough = _MOST_SWEEPS * min(1.0, (n / 1000) ** 0.65)
    return int(np.clip(seconds / rate, _FEWEST_SWEEPS, max(enough, _FEWEST_SWEEPS)))


def _heat(sweeps: int) -> float:
    """Return a lower heat for few sweeps, because the partition must settle before the end."""
    return float(min(1.0, (sweeps / 3000) ** (1 / 3)))


def _best(cloud: Cloud, runs: list[Labels], k: int) -> Labels:
    if len(runs) > 2 and len(cloud) <= _RECOMBINED:
        from constraint_sdc.partition.search.recombine import recombine  # loads a solver, slow for one run

        return recombine(cloud, runs, k)
    return min(runs, key=lambda labels: sse(cloud, labels))


def without_idle_columns(cloud: Cloud) -> Cloud:
    """Return the same distances in fewer columns: without constant columns, and rotated if most depend on others.

    The rounding of rotated points differs between processors, and so may ties among them. Points are therefore rotated
    only if many columns are saved, as with the indicator columns of categories.
    """
    points = np.ascontiguousarray(cloud.points)  # the last digit of a sum depends on the layout in memory
    points = points[:, extents(points) > 0] * safe_scale(points)
    centred = points - points.mean(axis=0)
    if not centred.any():
        return Cloud(centred[:, :0], weights=cloud.weights)
    # einsum, because a threaded library may round products differently on other machines.
    spread, axes = np.linalg.eigh(np.einsum("ij,ik->jk", centred, centred))
    needed = spread > spread[-1] * 1e-13
    if 2 * int(needed.sum()) <= len(needed):
        centred = np.einsum("ij,jk->ik", centred, axes[:, needed])
    return Cloud(centred, weights=cloud.weights)


def _seed(seed: int, round_number: int, chain: int) -> int:
    return int(np.random.SeedSequence([seed, round_number, chain]).generate_state(1)[0])
