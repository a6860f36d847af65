"""Probabilistic linkage: patterns counted one by one, EM on files whose chances are known, ties shared."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_sdc.data.pair import Pair
from constraint_sdc.measures.risk.probabilistic_linkage import (
    Comparable,
    ProbabilisticLinkage,
    comparable,
    estimated,
    pattern_counts,
    probabilistic_linkage,
)
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.words import Scale
from tests.measures.pairs import compared, pair_of


def categories(n: int, m: list[float], seed: int, kinds: int = 8) -> Comparable:
    """Two files of independent categories that agree with the chances m for the same person."""
    random = np.random.default_rng(seed)
    original = random.integers(0, kinds, size=(n, len(m)))
    other = (original + random.integers(1, kinds, size=original.shape)) % kinds
    masked = np.where(random.random(original.shape) < m, original, other)
    return Comparable(original.astype(np.int32), masked.astype(np.int32), np.zeros(len(m), np.int32))


def test_patterns_are_counted_as_pair_by_pair() -> None:
    files = categories(30, [0.9, 0.5, 0.7], 1, kinds=3)
    expected = [0] * 8
    for masked in files.masked.tolist():
        for original in files.original.tolist():
            expected[sum((a == b) << j for j, (a, b) in enumerate(zip(masked, original, strict=True)))] += 1
    assert pattern_counts(files, np.arange(30)).tolist() == expected


def test_estimation_finds_the_chances_from_which_the_file_was_drawn() -> None:
    m = [0.95, 0.9, 0.8, 0.7, 0.9, 0.85, 0.6, 0.95]
    files = categories(800, m, 2)
    chances = estimated(pattern_counts(files, np.arange(800)), len(m), 1 / 800)
    assert chances.has_settled
    assert chances.m == pytest.approx(m, abs=0.06)
    assert chances.u == pytest.approx(np.full(len(m), 1 / 8), abs=0.01)


def test_links_are_those_of_the_weights_added_pair_by_pair() -> None:
    files = categories(60, [0.9, 0.8, 0.9, 0.7], 3, kinds=4)
    found = probabilistic_linkage(files, np.arange(60), 10**6, 0)
    expected = 0.0
    for i, masked in enumerate(files.masked.tolist()):
        weights = []
        for original in files.original.tolist():
            agree = [a == b for a, b in zip(masked, original, strict=True)]
            m, u = found.chances.m, found.chances.u
            weights.append(
                math.fsum(
                    math.log2(m[j] / u[j]) if agrees else math.log2((1 - m[j]) / (1 - u[j]))
                    for j, agrees in enumerate(agree)
                )
            )
        tied = [j for j, weight in enumerate(weights) if weight >= max(weights) - 1e-9]
        expected += (i in tied) / len(tied)
    assert found.expected == pytest.approx(expected)


def test_numbers_agree_within_a_window_of_ranks_and_blanks_with_blanks() -> None:
    original = np.append(np.arange(20.0), math.nan)
    masked = np.append(np.arange(20.0) + 1.0, math.nan)
    files = comparable([compared("Age", original, masked)], 5.0)
    agree = np.abs(files.masked[:, None, 0] - files.original[None, :, 0]) <= files.reach[0]
    for i in range(20):
        assert np.flatnonzero(agree[i]).tolist() == [j for j in range(20) if abs(i + 1 - j) <= 1]
    assert np.flatnonzero(agree[20]).tolist() == [20]


def test_equal_numbers_share_a_rank_so_that_two_values_can_disagree() -> None:
    values = np.repeat([0.0, 1.0], 50)
    files = comparable([compared("Has car", values, values)], 5.0)
    assert abs(int(files.original[0, 0]) - int(files.original[99, 0])) > files.reach[0]


def test_an_unmasked_file_is_linked_entirely() -> None:
    original = np.random.default_rng(4).normal(size=(300, 8))
    found = ProbabilisticLinkage().measure(pair_of(original, original))
    assert found.value("linked") == pytest.approx(100.0, abs=0.5)
    assert ProbabilisticLinkage(window=0.0).measure(pair_of(original, original)).value("linked") == 100.0


def test_a_shuffled_file_is_linked_no_better_than_by_lots() -> None:
    random = np.random.default_rng(5)
    original = random.normal(size=(400, 5))
    found = ProbabilisticLinkage().measure(pair_of(original, random.permuted(original, axis=0)))
    assert found.value("linked") < 2.0


def test_correlated_variables_do_not_mislead_the_estimation() -> None:
    random = np.random.default_rng(6)
    common = random.normal(size=(300, 1))
    original = np.column_stack((common + 0.05 * random.normal(size=(300, 4)), random.normal(size=(300, 4))))
    found = ProbabilisticLinkage().measure(pair_of(original, original + 0.01 * random.normal(size=original.shape)))
    assert found.value("linked") > 95.0
    assert all(row[1] > 0.9 for row in found.tables[0].rows)  # not so if the odds stay one in n


def test_constants_tell_nothing_and_chances_stay_inside() -> None:
    found = ProbabilisticLinkage().measure(pair_of(np.full((9, 2), 0.1), np.full((9, 2), 0.1)))
    assert found.value("linked") == pytest.approx(100 / 9)
    for row in found.tables[0].rows:
        assert 1e-6 <= row[1] <= 1 - 1e-6
        assert row[4] == pytest.approx(0.0, abs=1e-4)


def test_what_was_drawn_is_said_and_the_seed_repeats_it() -> None:
    original = np.random.default_rng(7).normal(size=(200, 4))
    masked = original + 0.1
    measure = ProbabilisticLinkage(records=50, pairs=10_000, seed=3)
    found = measure.measure(pair_of(original, masked))
    assert found == measure.measure(pair_of(original, masked))
    assert found.value("records") == 50
    assert any("50 of 200 masked records were drawn" in note for note in sentences(found.notes))
    assert any("from 50 drawn masked records and all originals (seed 3)" in note for note in sentences(found.notes))


def test_of_more_than_twenty_variables_the_first_are_used_and_named() -> None:
    original = np.random.default_rng(8).normal(size=(40, 22))
    found = ProbabilisticLinkage().measure(pair_of(original, original))
    assert len(found.tables[0].rows) == 20
    assert any("first 20 of 22" in note and note.endswith("V20.") for note in sentences(found.notes))


def test_the_truth_stands_beside_the_guess() -> None:
    town = compared("Town", [0, 1, 2, 3], [0, 1, 2, 0], scale=Scale.NOMINAL)
    found = ProbabilisticLinkage().measure(Pair((town,), ("Town",)))
    assert found.tables[0].rows[0][2] == 0.75
    assert found.value("expected") == 3.0  # the last one goes to the only original of its new town
