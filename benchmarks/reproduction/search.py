"""Which readings of the paper come closest to its two published numbers: all combinations, and one change at a time.

Two numbers are few, and combinations are many: that some come close is to be expected, and proves nothing about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
from reproduction.linkages import AVERAGED, Linker, linkage_readings
from reproduction.losses import OUR_ID, OUR_PIL, id_readings, pil_readings
from reproduction.scenarios import S1, S1_FOUR, S2, VARIABLES, Bench, Folder, Scenario, in_threes

from constraint_sdc.measures.risk.interval_disclosure import RankBase
from constraint_sdc.measures.score import score
from constraint_sdc.measures.utility.pil import PilBase
from constraint_sdc.settings.words import Standardise

SIZES = (*range(2, 13), 15, 20, 30, 50, 99)
USUAL = range(4, 11)
"""The k that the paper calls usual, and for which it finds all scores alike."""

_ALPHABETICAL = tuple(sorted(VARIABLES))
_REST = ("V1", "V2", "V3", "V4", "V6", "V7", "V11")

FOUR_RULES = "four rules, rest as listed"
AS_LISTED = "as listed, V16 alone"

WITH_RULES: Mapping[str, Scenario] = {
    FOUR_RULES: S1_FOUR,
    "five rules, rest as listed": S1,
    "five rules, V3 among the rest": Scenario(S1.title, 5, in_threes(_REST)),
    "five rules, V1 alone too": Scenario(S1.title, 5, (("V1",), ("V3",), *in_threes(("V2", "V4", "V6", "V7", "V11")))),
    "five rules, rest by correlation": Scenario(S1.title, 5),
    "five rules, MDAV not standardised": Scenario(S1.title, 5, S1.groups, Standardise.NONE),
}
WITHOUT_RULES: Mapping[str, Scenario] = {
    AS_LISTED: S2,
    "as listed, V13 to V16 together": Scenario(S2.title, 0, (*S2.groups[:4], VARIABLES[12:])),
    "alphabetical order": Scenario(S2.title, 0, in_threes(_ALPHABETICAL)),
    "by correlation": Scenario(S2.title, 0),
    "all 16 together": Scenario(S2.title, 0, (VARIABLES,)),
    "MDAV not standardised": Scenario(S2.title, 0, S2.groups, Standardise.NONE),
}

Readings = tuple[dict[str, float], dict[str, float], dict[str, float]]
"""PIL, ID and DBRL of one masked file, each in all readings."""

Measured = Mapping[tuple[bool, str], Mapping[int, Readings]]
"""The readings by scenario (with rules or not, and its name) and k."""


@dataclass(frozen=True)
class Reading:
    """One way to read the paper: how both scenarios are masked, and what PIL, ID and DBRL are."""

    with_rules: str = FOUR_RULES
    without: str = AS_LISTED
    pil: str = OUR_PIL
    id: str = OUR_ID
    dbrl: str = AVERAGED


@dataclass(frozen=True)
class Curve:
    """SCORE by k."""

    scores: Mapping[int, float]

    @property
    def best(self) -> int:
        """Return the k of the least SCORE."""
        return min(self.scores, key=lambda k: (self.scores[k], k))

    @property
    def best_usual(self) -> int:
        """Return the k of the least SCORE among the usual ones."""
        return min(USUAL, key=lambda k: (self.scores[k], k))

    @property
    def spread(self) -> float:
        """Return by how much the scores of the usual k differ."""
        usual = [self.scores[k] for k in USUAL]
        return max(usual) - min(usual)


@dataclass(frozen=True)
class Found:
    """One reading with the SCORE of both scenarios."""

    reading: Reading
    first: Curve
    second: Curve

    def error(self, targets: Sequence[tuple[int, float]]) -> float:
        """Return the larger of the two distances from the published scores, each at its published k."""
        (k1, one), (k2, two) = targets
        return max(abs(self.first.scores[k1] - one), abs(self.second.scores[k2] - two))


def measure_all(folder: Folder, rounds: int, jobs: int = 2) -> Measured:
    """Mask in every way for all sizes, and measure in all readings; a process for each scenario at a time."""
    wanted = [(True, name) for name in WITH_RULES] + [(False, name) for name in WITHOUT_RULES]
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(_measure, [folder] * len(wanted), wanted, [rounds] * len(wanted))
        return dict(zip(wanted, found, strict=True))


def _measure(folder: Folder, wanted: tuple[bool, str], rounds: int) -> dict[int, Readings]:
    judge = Bench(folder, S1)
    scenario = (WITH_RULES if wanted[0] else WITHOUT_RULES)[wanted[1]]
    bench = Bench(folder, scenario, judge)
    pil_base, rank_base = PilBase.of(bench.original), RankBase.of(bench.original)
    found = {}
    for k in SIZES:
        file = bench.mask(k)
        linked = linkage_readings(Linker(bench.original, file.masked), file.blocks, rounds)
        found[k] = pil_readings(pil_base, file.masked), id_readings(rank_base, file.masked), linked
    return found


def all_readings(measured: Measured) -> Iterator[Found]:
    """Yield every combination; both scenarios are standardised, or neither is."""
    pils, ids, links = (list(part) for part in next(iter(measured.values()))[SIZES[0]])
    for one, other in product(WITH_RULES, WITHOUT_RULES):
        if ("not standardised" in one) != ("not standardised" in other):
            continue
        for definitions in product(pils, ids, links):
            yield found_in(measured, Reading(one, other, *definitions))


def found_in(measured: Measured, reading: Reading) -> Found:
    """Return the scores of one reading."""
    curves = (_curve(measured[True, reading.with_rules], reading), _curve(measured[False, reading.without], reading))
    return Found(reading, *curves)


def _curve(by_size: Mapping[int, Readings], reading: Reading) -> Curve:
    scores = {}
    for k, (pils, ids, links) in by_size.items():
        found = score(pils[reading.pil], links[reading.dbrl], ids[reading.id]).score
        assert found is not None
        assert np.isfinite(found)
        scores[k] = found
    return Curve(scores)
