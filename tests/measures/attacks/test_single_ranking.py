"""Winkler's attack: against its definition written slowly, and against files whose answer is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.pair import Pair
from constraint_sdc.errors import UsageError
from constraint_sdc.measures.assessment import Measured
from constraint_sdc.measures.attacks.single_ranking import SETTINGS, SingleRanking
from constraint_sdc.measures.attacks.single_ranking_links import AgreementLinks, link_by_agreement, link_by_best_fields
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.reports.sentences import sentences, worded
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, group_means, pair_of

NAN = math.nan
METRICS = ("half-distance", "neighbours", "nearest", "within")


def ranked(original: np.ndarray, k: int) -> np.ndarray:
    """Individual ranking: every variable masked alone."""
    method = partitioner("individual-ranking")
    columns = [original[:, [j]] for j in range(original.shape[1])]
    return np.column_stack([group_means(c, method.partition(Cloud(c), k, 0)) for c in columns])


def skewed(n: int, d: int = 10) -> np.ndarray:
    return np.random.default_rng(5).lognormal(0, 1, size=(n, d))


def agrees(metric: str, x: float, y: float, released: list[float], originals: list[float], count: int) -> bool:
    """The definition for one variable of one pair; `released` and `originals` are without blanks."""
    below, above = [v for v in released if v < y], [v for v in released if v > y]
    if metric == "within":
        return abs(x - y) <= 0.03 * abs(y)
    if metric == "nearest":
        return abs(x - y) <= sorted(abs(v - y) for v in originals)[: max(count, 1)][-1]
    if not below and not above:
        return False  # a constant tells nothing
    if metric == "neighbours":
        return (not below or x >= max(below)) and (not above or x <= min(above))
    gaps = ([y - max(below)] if below else []) + ([min(above) - y] if above else [])
    return abs(x - y) <= min(gaps) / 2


def slow_links(original: np.ndarray, masked: np.ndarray, rows: list[int], metric: str, count: int) -> list[tuple]:
    """Ties, and whether the true record is among them, for each released record."""
    found = []
    for r in rows:
        agreed = [0] * len(original)
        for j in range(original.shape[1]):
            released = [masked[i, j] for i in rows if not math.isnan(masked[i, j])]
            originals = [v for v in original[:, j] if not math.isnan(v)]
            for i in range(len(original)):
                x, y = original[i, j], masked[r, j]
                if not math.isnan(x) and not math.isnan(y):
                    agreed[i] += agrees(metric, x, y, released, originals, count)
        best = [i for i in range(len(original)) if agreed[i] == max(agreed) > 0]
        found.append((len(best), r in best))
    return found


def as_pairs(links: AgreementLinks) -> list[tuple]:
    return list(zip(links.ties.tolist(), links.has_true.tolist(), strict=True))


cells = st.one_of(st.integers(-4, 4).map(lambda v: v / 4), st.integers(-40, 40).map(float), st.just(NAN))


@st.composite
def two_files(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[int]]:
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    table = st.lists(cells, min_size=n * d, max_size=n * d).map(lambda v: np.array(v).reshape(n, d))
    rows = draw(st.sets(st.integers(0, n - 1), min_size=1))
    return draw(table), draw(table), sorted(rows)


@settings(max_examples=60)
@given(two_files(), st.sampled_from(METRICS), st.integers(1, 12))
def test_links_are_those_of_the_definition(files: tuple, metric: str, count: int) -> None:
    original, masked, rows = files
    if metric == "within":
        original, masked = original * 100, masked * 100  # hundredths are exact then
    links = link_by_agreement(original, masked, np.array(rows), metric, count)
    assert as_pairs(links) == slow_links(original, masked, rows, metric, count)


@settings(max_examples=40)
@given(two_files(), st.sampled_from(METRICS), st.integers(1, 12))
def test_compiled_links_are_the_same(files: tuple, metric: str, count: int) -> None:
    original, masked, rows = files
    plain, fast = (
        link_by_agreement(original, masked, np.array(rows), metric, count, compiled=c) for c in (False, True)
    )
    assert as_pairs(plain) == as_pairs(fast)


@pytest.mark.parametrize("metric", METRICS)
def test_compiled_links_are_the_same_in_a_file_of_ties(metric: str) -> None:
    original = np.round(skewed(700, 5))
    original[::7, 2] = NAN
    masked = ranked(np.nan_to_num(original), 4)
    masked[::7, 2] = NAN
    rows = np.arange(0, 700, 2)
    plain, fast = (link_by_agreement(original, masked, rows, metric, 12, compiled=c) for c in (False, True))
    assert as_pairs(plain) == as_pairs(fast)


def slow_fields(file: np.ndarray, masked: np.ndarray, rows: list[int], near: int, best: int) -> list[tuple]:
    """The same for a corresponding file: places in the order of each field, the best fields summed."""
    found = []
    values = [sorted(v for v in column if not math.isnan(v)) for column in file.T]
    fields = [j for j in range(file.shape[1]) if values[j] and not all(math.isnan(masked[r, j]) for r in rows)]

    def place(v: float, j: int) -> float:
        return (sum(o < v for o in values[j]) + sum(o <= v for o in values[j])) / 2 / len(values[j])

    for r in rows:
        sums = {}
        for i in range(len(file)):
            here = [(file[i, j], masked[r, j], j) for j in fields]
            both = [(x, y, j) for x, y, j in here if not math.isnan(x) and not math.isnan(y)]
            if any(agrees("nearest", x, y, [], values[j], near) for x, y, j in both):
                apart = [abs(place(x, j) - place(y, j)) for x, y, j in both] + [1.0] * (len(here) - len(both))
                sums[i] = sum(sorted(apart)[: max(1, best)])
        closest = [i for i in sums if sums[i] <= min(sums.values()) + 1e-12]
        found.append((len(closest), r in closest))
    return found


@settings(max_examples=60)
@given(two_files(), st.integers(1, 10), st.integers(-1, 4))
def test_best_fields_are_those_of_the_definition(files: tuple, near: int, best: int) -> None:
    file, masked, rows = files
    links = link_by_best_fields(file, masked, np.array(rows), "nearest", near, best)
    assert as_pairs(links) == slow_fields(file, masked, rows, near, best)


@settings(max_examples=40)
@given(st.data(), st.sampled_from(["half-distance", "neighbours", "nearest"]))
def test_a_file_of_g_different_masked_records_gives_away_g_at_most(data: st.DataObject, metric: str) -> None:
    """Equal masked records are linked alike, so each of k must share one link: microaggregation of all variables."""
    n, k = data.draw(st.integers(4, 30)), data.draw(st.integers(2, 4))
    seed = data.draw(st.integers(0, 99))
    original = np.random.default_rng(seed).lognormal(0, 1, size=(n, 3)).round(data.draw(st.integers(0, 3)))
    label = partitioner("mdav").partition(Cloud(original), k, 0)
    links = link_by_agreement(original, group_means(original, label), np.arange(n), metric, 3 * k)
    assert links.re_identified <= label.max() + 1 + 1e-9


def rows_of(found: Measured) -> dict[tuple[str, str], tuple]:
    return {(row[0], row[1]): row[2:] for row in found.tables[0].rows}


@pytest.mark.parametrize("k", [3, 10])
def test_individual_ranking_of_skewed_data_hides_next_to_nobody(k: int) -> None:
    """The report's claim, in all three settings."""
    original = skewed(2_000)
    found = rows_of(SingleRanking(share=0.05).measure(pair_of(original, ranked(original, k), k=k)))
    assert len(found) == 7
    for (setting, metric), (tried, share, unique, right) in found.items():
        assert tried == (2_000 if setting == "full" else 100)
        assert share > 99, (setting, metric)
        assert unique > 0.99 * tried
        assert right > 99


@pytest.mark.parametrize("k", [3, 10])
def test_with_three_variables_half_the_distance_is_too_narrow_and_the_neighbours_are_not(k: int) -> None:
    original = skewed(2_000, 3)
    found = rows_of(SingleRanking("full").measure(pair_of(original, ranked(original, k), k=k)))
    assert 80 < found["full", "half-distance"][1] < 97
    assert found["full", "neighbours"][1] > 98


def test_mdav_on_all_variables_hides_them() -> None:
    original = skewed(600)
    masked = group_means(original, partitioner("mdav").partition(Cloud(original), 10, 0))
    found = SingleRanking("full").measure(pair_of(original, masked, k=10))
    assert found.figures[0].value is not None
    assert found.figures[0].value <= 10.0


def test_too_few_candidates_leave_the_true_record_out_and_the_links_are_wrong_yet_unique() -> None:
    original = skewed(3_000)
    pair = pair_of(original, ranked(original, 3), k=3)
    few, enough = (SingleRanking("corresponding", metric, share=0.02, near=4).measure(pair) for metric in METRICS[2:])
    assert few.value("re-identified") < 50
    assert few.value("unique-links") == 60
    assert few.value("right-among-unique") < 50
    assert enough.value("re-identified") > 99


def test_an_unmasked_file_is_re_identified_in_full() -> None:
    original = skewed(300, 4)
    found = SingleRanking(share=0.1).measure(pair_of(original, original.copy()))
    assert found.value("re-identified") == 100
    assert found.value("unique-links") == 300
    assert found.value("right-among-unique") == 100
    assert "100.0%" in worded(found.says)


def test_links_to_a_shuffled_file_are_wrong() -> None:
    original = skewed(300, 4)
    masked = original[np.random.default_rng(1).permutation(300)]
    found = SingleRanking("full").measure(pair_of(original, masked))
    assert found.value("re-identified") < 2
    assert found.value("right-among-unique") < 2
    assert found.value("unique-links") > 290


def test_twins_share_their_link() -> None:
    original = np.array([[1.0, 8.0], [1.0, 8.0], [5.0, 2.0], [9.0, 4.0]])
    found = SingleRanking("full", "half-distance").measure(pair_of(original, original.copy()))
    assert found.value("re-identified") == 75.0
    assert found.value("unique-links") == 2
    assert found.value("right-among-unique") == 100.0


def test_the_file_that_an_intruder_brings_is_used() -> None:
    original = skewed(200, 5)
    pair = pair_of(original, ranked(original, 3))
    right = SingleRanking("corresponding", share=0.2, off=0, file=original).measure(pair)
    wrong = SingleRanking("corresponding", share=0.2, off=0, file=original[::-1].copy()).measure(pair)
    assert right.value("re-identified") == 100
    assert wrong.value("re-identified") < 5


def test_the_seed_draws_the_sample_and_the_same_seed_finds_the_same() -> None:
    original = skewed(300, 2)
    pair = pair_of(original, ranked(original, 10))
    first, again, other = (SingleRanking(seed=seed, share=0.1).measure(pair) for seed in (1, 1, 2))
    assert first == again
    assert rows_of(first)["full", "neighbours"] == rows_of(other)["full", "neighbours"]
    assert rows_of(first) != rows_of(other)


def test_only_known_numbers_are_compared() -> None:
    original = skewed(50, 3)
    number = compared("income", original[:, 0], ranked(original, 3)[:, 0])
    code = compared("region", [1.0] * 50, [1.0] * 50, scale=Scale.NOMINAL)
    found = SingleRanking("full").measure(Pair((number, code), ("income", "region")))
    assert any("region" in note for note in sentences(found.notes))
    nothing = SingleRanking().measure(Pair((number, code), ("region",)))
    assert nothing.value("re-identified") is None
    assert "no numeric variable" in worded(nothing.says)


ODD = {
    "one record": (np.array([[1.0, 2.0]]),) * 2,
    "two records": (np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([[2.0, 1.5], [2.0, 1.5]])),
    "constant": (np.full((5, 2), 7.0),) * 2,
    "all blank": (np.full((4, 2), NAN),) * 2,
    "a blank column": (np.column_stack([np.arange(5.0), np.full(5, NAN)]),) * 2,
    "blanks in the original only": (np.full((4, 2), NAN), np.arange(8.0).reshape(4, 2)),
    "huge": (np.array([[1e300, -1e15], [-1e300, 1e15], [1.7e308, 1e15 + 1], [-1.7e308, 0.0]]),) * 2,
    "tiny": (np.array([[5e-324, 0.0], [0.0, 5e-324], [1e-300, 1e-310]]),) * 2,
    "ties": (np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 1.0]]),) * 2,
}


@pytest.mark.parametrize("case", ODD)
@pytest.mark.parametrize("setting", [None, *SETTINGS])
def test_odd_files(case: str, setting: str | None) -> None:
    original, masked = ODD[case]
    found = SingleRanking(setting, share=1.0).measure(pair_of(original, masked))  # type: ignore[arg-type]
    for row in found.tables[0].rows:
        tried, share, unique, right = row[2:]
        assert 0 <= share <= 100
        assert 0 <= unique <= tried == len(original)
        assert (right is None) == (unique == 0)


def test_a_constant_or_a_blank_file_links_nobody() -> None:
    for case in ("constant", "all blank"):
        found = SingleRanking("full").measure(pair_of(*ODD[case]))
        assert found.value("re-identified") == 0
        assert found.value("unique-links") == 0
        assert found.value("right-among-unique") is None


def test_no_records() -> None:
    found = SingleRanking().measure(pair_of(np.zeros((0, 2)), np.zeros((0, 2))))
    assert found.value("re-identified") is None
    assert "no records" in worded(found.says)


@pytest.mark.parametrize(
    "wrong",
    [
        {"setting": "half"},
        {"metric": "far"},
        {"share": 0.0},
        {"share": 1.5},
        {"near": 0},
        {"off": -1},
        {"deviation": 1.0},
        {"setting": "corresponding", "metric": "half-distance"},
        {"setting": "full", "metric": "within"},
        {"setting": "full", "file": np.zeros((1, 1))},
    ],
)
def test_what_cannot_be_obeyed_is_refused(wrong: dict) -> None:
    with pytest.raises(UsageError):
        SingleRanking(**wrong)


def test_a_file_of_another_shape_is_refused() -> None:
    with pytest.raises(UsageError, match="differ in shape"):
        SingleRanking("corresponding", file=np.zeros((2, 2))).measure(pair_of(skewed(5, 3), skewed(5, 3)))
