"""The paper's curves: PIL, DBRL, ID, DR and SCORE of one scenario for every k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from reproduction.linkages import ALL, AVERAGED, MOST, Linker, averaged_linkage, subsets_by_size
from reproduction.scenarios import S1, S1_FOUR, S2, VARIABLES, Bench, Folder, Scenario

from constraint_sdc.measures.risk.interval_disclosure import RankBase
from constraint_sdc.measures.score import Score, score
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.measures.utility.pil import PilBase
from constraint_sdc.reports.charts.sweep import render_curves_svg

ROUNDS = 2
"""Rounds of subsets: 32 of every size, which leaves about 0.4 of chance in DBRL and 0.1 in SCORE."""


@dataclass(frozen=True)
class Row:
    """One k: the SCORE with DBRL over all variables, and with DBRL averaged over what an intruder may know."""

    k: int
    everything: Score
    averaged: Score
    broken: int
    smallest: int


def all_scenarios(folder: Folder, ks: Sequence[int]) -> dict[str, list[Row]]:
    """Return the rows by scenario; two processes share the work."""
    wanted = [(scenario, k) for k in ks for scenario in (S1, S1_FOUR, S2)]
    halves = wanted[::2], wanted[1::2]
    with ProcessPoolExecutor(2) as pool:
        found = [row for part in pool.map(_some_rows, [folder] * 2, halves) for row in part]
    by_title = {scenario.title: [row for title, row in found if title == scenario.title] for scenario, _ in wanted}
    return {title: sorted(part, key=lambda row: row.k) for title, part in by_title.items()}


def _some_rows(folder: Folder, wanted: Sequence[tuple[Scenario, int]]) -> list[tuple[str, Row]]:
    scenarios = dict.fromkeys(scenario for scenario, _ in wanted)
    ks = {each: [k for scenario, k in wanted if scenario == each] for each in scenarios}
    return [(each.title, row) for each in scenarios for row in rows(folder, each, ks[each])]


def rows(folder: Folder, scenario: Scenario, ks: Sequence[int]) -> list[Row]:
    """Return the rows of one scenario."""
    judge = Bench(folder, S1)
    return list(_rows(judge if scenario == S1 else Bench(folder, scenario, judge), ks))


def _rows(bench: Bench, ks: Sequence[int]) -> Iterator[Row]:
    pil_base, rank_base = PilBase.of(bench.original), RankBase.of(bench.original)
    everything = tuple(range(len(VARIABLES)))
    subsets = subsets_by_size(len(VARIABLES), MOST, ROUNDS)
    for k in ks:
        file = bench.mask(k)
        linker = Linker(bench.original, file.masked)
        pil, disclosed = pil_base.pil(file.masked).total, rank_base.disclosure(file.masked).rank
        yield Row(
            k,
            score(pil, linker.percent(everything), disclosed),
            score(pil, averaged_linkage(linker, subsets), disclosed),
            file.broken,
            file.smallest,
        )


def best(found: Sequence[Row]) -> Row:
    """Return the row of the least SCORE with averaged DBRL, that of the least k among equals."""
    return min(found, key=lambda row: (row.averaged.score or 0.0, row.k))


def render(name: str, found: Sequence[Row]) -> str:
    """Return the scenario's plot as SVG: PIL, DR and SCORE against k, for both kinds of DBRL."""
    points = [_point(name, AVERAGED, row, row.averaged) for row in found]
    points += [_point(name, ALL, row, row.everything) for row in found]
    return render_curves_svg(points, name="reproduction")


def _point(name: str, linkage: str, row: Row, found: Score) -> SweepPoint:
    return SweepPoint(
        scenario=name,
        masker="microaggregation",
        partition=linkage,
        k=row.k,
        pil=found.pil,
        dbrl=found.dbrl,
        id=found.id,
        dr=found.dr,
        score=found.score,
        loss=None,
        broken=row.broken,
        smallest=row.smallest,
        seconds=0.0,
    )
