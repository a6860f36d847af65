"""Readings of DBRL: which variables an intruder knows, in which units he measures, and which file he links to which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from constraint_sdc.arrays import Points
from constraint_sdc.measures.points import standardised
from constraint_sdc.measures.risk.distance_linkage import distance_linkage

Subset = tuple[int, ...]

MOST = 5
"""The most variables that an intruder knows. The paper does not say; of all numbers this one comes nearest to it."""

HALF = 7
"""Half of the Census file's thirteen variables, rounded up."""

ALL = "all 16 variables"
AVERAGED = f"subsets of 1 to {MOST}"
TO_HALF = f"subsets of 1 to {HALF}"


class Linker:
    """A masked file to be linked by any of its variables, in three units; what was linked once is remembered."""

    def __init__(self, original: Points, masked: Points) -> None:
        ours = standardised(original, masked)
        own = standardised(original, original).original, standardised(masked, masked).original
        plain = original - original.mean(axis=0), masked - original.mean(axis=0)
        self._files = {"ours": (ours.original, ours.masked), "own": own, "none": plain}
        self._known: dict[tuple[Subset, str, bool], float] = {}

    def percent(self, subset: Subset, units: str = "ours", *, is_reverse: bool = False) -> float:
        """Return the masked records linked to the right original, or with `is_reverse` the originals rightly linked."""
        key = subset, units, is_reverse
        if key not in self._known:
            first, second = (file[:, list(subset)] for file in self._files[units])
            pair = (second, first) if is_reverse else (first, second)
            self._known[key] = distance_linkage(*pair).percent or 0.0
        return self._known[key]

    def mean(self, subsets: Iterable[Subset], units: str = "ours", *, is_reverse: bool = False) -> float:
        """Return the mean over some subsets."""
        return float(np.mean([self.percent(each, units, is_reverse=is_reverse) for each in subsets]))


def subsets_by_size(variables: int, largest: int, rounds: int, seed: int = 2009) -> list[list[Subset]]:
    """Return subsets of each size from 1 to the largest, in which every variable occurs equally often.

    In each round the variables are put into a circle at random, and those that stand together are a subset. Which
    variables are known matters far more than anything else: plain draws would have to be many more.
    """
    draws = np.random.default_rng(seed)
    return [_turned(variables, size, rounds, draws) for size in range(1, largest + 1)]


def _turned(variables: int, size: int, rounds: int, draws: np.random.Generator) -> list[Subset]:
    circles = [draws.permutation(variables).tolist() * 2 for _ in range(rounds)]
    found = (tuple(sorted(circle[start : start + size])) for circle in circles for start in range(variables))
    return list(dict.fromkeys(found))


def averaged_linkage(linker: Linker, sizes: Sequence[Sequence[Subset]]) -> float:
    """Return the linkage of an intruder who knows one variable, two, ...: first the mean of a size, then over sizes."""
    return float(np.mean([linker.mean(subsets) for subsets in sizes]))


def linkage_readings(linker: Linker, blocks: Sequence[Subset], rounds: int, variables: int = 16) -> dict[str, float]:
    """Return DBRL in every reading that was tried."""
    everything = tuple(range(variables))
    first = [everything[:size] for size in range(1, HALF + 2)]
    last = [everything[-size:] for size in range(1, HALF + 1)]
    by_size = subsets_by_size(variables, variables, rounds)

    def sizes(largest: int, units: str = "ours", *, is_reverse: bool = False) -> float:
        means = [linker.mean(subsets, units, is_reverse=is_reverse) for subsets in by_size[:largest]]
        return float(np.mean(means))

    return {
        ALL: linker.percent(everything),
        f"{ALL}, original to masked": linker.percent(everything, is_reverse=True),
        f"{ALL}, not standardised": linker.percent(everything, "none"),
        "V1 to V7": linker.percent(first[HALF - 1]),
        "V1 to V8": linker.percent(first[HALF]),
        "V1; V1, V2; ... V1 to V7": linker.mean(first[:HALF]),
        "V16; V15, V16; ... V10 to V16": linker.mean(last),
        "single variables": linker.mean(by_size[0]),
        "pairs of variables": linker.mean(by_size[1]),
        "variables masked together": linker.mean(blocks),
        "variables masked together, original to masked": linker.mean(blocks, is_reverse=True),
        "subsets of 3": linker.mean(by_size[2]),
        "subsets of 1 to 4": sizes(4),
        AVERAGED: sizes(MOST),
        "subsets of 1 to 6": sizes(6),
        TO_HALF: sizes(HALF),
        f"{TO_HALF}, original to masked": sizes(HALF, is_reverse=True),
        f"{TO_HALF}, each file by its own deviations": sizes(HALF, "own"),
        f"{TO_HALF}, not standardised": sizes(HALF, "none"),
        "subsets of 1 to 8": sizes(HALF + 1),
        "subsets of 1 to 16": sizes(variables),
    }
