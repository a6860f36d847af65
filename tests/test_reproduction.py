"""The reproduction of the 2009 paper on a small generated file; the reference Census is no part of the repository."""

from __future__ import annotations

import csv
import sys
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from constraint_sdc.census import generate
from constraint_sdc.measures.risk.interval_disclosure import RankBase
from constraint_sdc.measures.utility.pil import PilBase

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
RECORDS = 60


@pytest.fixture(scope="module")
def paper():
    """The parts of the benchmark, imported as its script does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        from reproduction import figures, linkages, losses, page, scenarios, search

        yield SimpleNamespace(
            figures=figures, linkages=linkages, losses=losses, page=page, scenarios=scenarios, search=search
        )
    for name in [name for name in sys.modules if name.partition(".")[0] == "reproduction"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def folder(paper, tmp_path_factory):
    place = tmp_path_factory.mktemp("paper")
    source = place / "census.csv"
    columns = next(iter(generate(RECORDS, seed=2009)))
    with source.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return paper.scenarios.set_up(place, source)


@pytest.fixture(scope="module")
def benches(paper, folder):
    with_rules = paper.scenarios.Bench(folder, paper.scenarios.S1)
    return with_rules, paper.scenarios.Bench(folder, paper.scenarios.S2, with_rules)


def shared_linkage(original: np.ndarray, masked: np.ndarray) -> float:
    """Link by the textbook: all distances, one record after another."""
    right = 0.0
    for own, record in enumerate(masked):
        apart = [sum((a - b) ** 2 for a, b in zip(record, other, strict=True)) for other in original]
        nearest = [i for i, each in enumerate(apart) if each <= min(apart) * (1 + 1e-12)]
        right += (own in nearest) / len(nearest)
    return 100.0 * right / len(masked)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_only_the_scenario_with_rules_keeps_them(benches, k):
    with_rules, without = (bench.mask(k) for bench in benches)
    assert with_rules.broken == 0
    assert without.broken > RECORDS
    assert min(with_rules.smallest, without.smallest) >= k


def test_the_four_kinds_of_rules_hold_without_that_of_the_value_domain(paper, folder, benches):
    bench = paper.scenarios.Bench(folder, paper.scenarios.S1_FOUR)
    four = bench.mask(3)
    assert four.broken == 0
    original = set(bench.original[:, 0])
    assert not set(four.masked[:, 0]) <= original  # means
    assert set(benches[0].mask(3).masked[:, 0]) <= original  # medians


def test_the_scenarios_mask_the_papers_blocks(benches):
    names = [{tuple(j + 1 for j in block) for block in bench.mask(3).blocks} for bench in benches]
    assert names[0] == {(9, 10, 14), (5, 15, 16), (8, 12, 13), (3,), (1, 2, 4), (6, 7, 11)}
    assert names[1] == {(1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, 12), (13, 14, 15), (16,)}


def test_the_scenario_without_rules_has_group_means(benches):
    found = benches[1].mask(4)
    original, masked = benches[1].original[:, :3], found.masked[:, :3]
    for value in np.unique(masked, axis=0):
        members = (masked == value).all(axis=1)
        assert np.abs(original[members].mean(axis=0) - value).max() <= 0.5  # integers


def test_an_unmasked_file_scores_fifty(paper, folder):
    first = paper.figures.rows(folder, paper.scenarios.S1, [1])[0]
    assert (first.everything.pil, first.everything.dbrl, first.everything.id) == (0.0, 100.0, 100.0)
    assert first.everything.score == 50.0
    assert first.averaged.score <= 50.0  # a single variable does not tell all records apart


def test_linkage_is_that_of_the_slow_formula(paper, benches):
    original, masked = benches[1].original, benches[1].mask(3).masked
    linker = paper.linkages.Linker(original, masked)
    spread, own = original.std(axis=0), masked.std(axis=0)
    for subset in [(0,), (2, 7), (0, 1, 2), (4, 9, 15), tuple(range(16))]:
        columns = list(subset)
        one, other = (original / spread)[:, columns], (masked / spread)[:, columns]
        assert linker.percent(subset) == pytest.approx(shared_linkage(one, other))
        assert linker.percent(subset, is_reverse=True) == pytest.approx(shared_linkage(other, one))
        plain = shared_linkage(original[:, columns], masked[:, columns])
        assert linker.percent(subset, "none") == pytest.approx(plain)
        a, b = (original - original.mean(axis=0)) / spread, (masked - masked.mean(axis=0)) / own
        assert linker.percent(subset, "own") == pytest.approx(shared_linkage(a[:, columns], b[:, columns]))


def test_every_variable_is_known_equally_often(paper):
    for size, subsets in enumerate(paper.linkages.subsets_by_size(16, 7, rounds=1), start=1):
        assert {len(set(subset)) for subset in subsets} == {size}
        assert np.bincount(np.concatenate(subsets)).tolist() == [size] * 16


def test_averaged_linkage_weighs_sizes_alike(paper, benches):
    linker = paper.linkages.Linker(benches[0].original, benches[0].mask(3).masked)
    sizes = [[(j,) for j in range(4)], list(combinations(range(4), 2))]
    means = [np.mean([linker.percent(subset) for subset in subsets]) for subsets in sizes]
    assert paper.linkages.averaged_linkage(linker, sizes) == pytest.approx((means[0] + means[1]) / 2)


def test_readings_agree_with_the_measures_and_with_slow_formulas(paper, benches):
    original, masked = benches[0].original, benches[0].mask(5).masked
    pils = paper.losses.pil_readings(PilBase.of(original), masked)
    assert pils["kernel density"] == pytest.approx(PilBase.of(original).pil(masked).total)
    ids = paper.losses.id_readings(RankBase.of(original), masked)
    assert ids["masked order"] == RankBase.of(original).disclosure(masked).rank
    assert ids["original order"] == pytest.approx(slow_rank_disclosure(original, masked))
    assert ids["whole records"] <= min(ids["masked order"], ids["standard deviations"])
    assert ids["masked order"] <= ids["masked order, twice as wide"]


def slow_rank_disclosure(original: np.ndarray, masked: np.ndarray) -> float:
    """Count the originals between the values p / 2 percent of the places below and above the masked value's place."""
    n, d = original.shape
    hits = 0
    for j in range(d):
        ordered = sorted(original[:, j])
        for before, after in zip(original[:, j], masked[:, j], strict=True):
            place = sum(value < after for value in ordered)
            for width in range(1, 11):
                reach = width * n // 200
                low, high = max(place - reach, 0), min(place + reach, n - 1)
                hits += ordered[min(low, n - 1)] <= before <= ordered[high]
    return 100.0 * hits / (10 * n * d)


def test_an_unmasked_file_loses_nothing_in_any_reading(paper, benches):
    original = benches[0].original
    assert set(paper.losses.pil_readings(PilBase.of(original), original).values()) == {0.0}
    assert set(paper.losses.id_readings(RankBase.of(original), original).values()) == {100.0}


def test_the_table_and_the_plot_tell_the_least_score(paper, folder):
    rows = paper.figures.rows(folder, paper.scenarios.S2, [1, 3, 5])
    least = min(rows, key=lambda row: row.averaged.score)
    table = paper.page.curves_table({"S2": rows}, [1, 5])
    assert f"is {least.averaged.score:.3f}, at k = {least.k}." in table
    assert "\n| 5 | " in table
    assert "\n| 3 | " not in table
    assert f"least SCORE {least.averaged.score:.2f} at k = {least.k}" in paper.figures.render("S2", rows)


def test_evidence_changes_one_thing_at_a_time(paper):
    measured = made_up(paper.search)
    ours = paper.search.found_in(measured, paper.search.Reading())
    assert (ours.first.best, ours.second.best) == (10, 6)
    assert ours.error(paper.page.PUBLISHED) == pytest.approx(0.0)
    table = paper.page.evidence_table(measured)
    assert "| **none** | 37.22 | 37.22 (k = 10) | k = 10 |" in table
    assert "| DBRL: other | 38.22 |" in table
    count = paper.page.count_sentences(measured)
    pairs = 5 * 5 + 1  # ways to mask: both standardised, or neither
    assert f"Combinations tried: {3 * pairs}, on two published numbers." in count
    assert f"| 0.1 | {pairs} | {pairs} | {pairs} |" in count
    assert f"Within 1.0, by DBRL: subsets of 1 to 5 ({pairs}); other ({pairs})." in count
    assert "With DBRL over all 16 variables the nearest combination is off by 50.0" in count


def made_up(search):
    """Readings in which ours meets the paper exactly, and another DBRL adds 1 to every SCORE."""

    def readings(least: float, at: int, k: int):
        dbrl = 4 * (least + abs(k - at))
        links = {search.AVERAGED: dbrl, "other": dbrl + 4, "all 16 variables": dbrl + 200}
        return {search.OUR_PIL: 0.0}, {search.OUR_ID: 0.0}, links

    with_rules = {(True, name): {k: readings(37.223, 10, k) for k in search.SIZES} for name in search.WITH_RULES}
    without = {(False, name): {k: readings(34.531, 6, k) for k in search.SIZES} for name in search.WITHOUT_RULES}
    return with_rules | without
