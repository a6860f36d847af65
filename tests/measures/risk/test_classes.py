"""Achieved k and uniqueness: counted with dictionaries."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.pair import MaskedTogether
from constraint_sdc.measures.risk.achieved_k import AchievedKRisk, achieved_k
from constraint_sdc.measures.risk.uniqueness import UniquenessRisk, uniqueness
from constraint_sdc.reports.sentences import sentences, worded
from tests.measures.pairs import pair_of

_codes = st.integers(1, 4).flatmap(lambda d: st.lists(st.tuples(*[st.integers(0, 3)] * d), min_size=1, max_size=40))


@settings(deadline=None, max_examples=60)
@given(_codes)
def test_classes_are_those_that_a_dictionary_counts(records: list[tuple[int, ...]]) -> None:
    found = achieved_k([np.array(column) for column in zip(*records, strict=True)])
    counted = Counter(records)
    assert found is not None
    assert sorted(found.sizes.tolist()) == sorted(counted.values())
    assert (found.smallest, found.groups) == (min(counted.values()), len(counted))
    for k in (1, 2, 3):
        assert found.records_below(k) == sum(size for size in counted.values() if size < k)


@settings(deadline=None, max_examples=60)
@given(_codes)
def test_unique_records_are_those_that_occur_once(records: list[tuple[int, ...]]) -> None:
    codes = [np.array(column) for column in zip(*records, strict=True)]
    found = uniqueness(codes, [np.zeros(len(records), np.int64)] * len(codes))
    assert found is not None
    assert found.before == sum(size == 1 for size in Counter(records).values())
    assert found.after == (1 if len(records) == 1 else 0)


def test_many_variables_of_many_values_do_not_overflow() -> None:
    codes = [np.random.default_rng(j).permutation(1_000) * 10**12 for j in range(40)]
    found = achieved_k(codes)
    assert found is not None
    assert found.groups == 1_000


def crossed() -> tuple[np.ndarray, np.ndarray]:
    """Two blocks of one variable each, groups of two in both, but no two records share both."""
    masked = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return masked + np.arange(4)[:, None] / 10, masked


def test_a_promise_held_in_every_block_may_be_broken_over_all() -> None:
    blocks = [MaskedTogether(("V1",)), MaskedTogether(("V2",))]
    found = AchievedKRisk().measure(pair_of(*crossed(), blocks=blocks, k=2))
    assert (found.value("k"), found.value("blocks-held"), found.value("blocks"), found.value("below")) == (1, 2, 2, 4)
    assert found.tables[0].rows == (
        ("V1", 2, 2, 0, "holds"),
        ("V2", 2, 2, 0, "holds"),
        ("all known: V1, V2", 1, 4, 4, "does not hold"),
    )
    assert worded(found.says) == (
        "Groups of 2 were promised: every block keeps the promise; over all known variables together the smallest "
        "class has 1 record, and 4 records are in classes of fewer than 2."
    )
    assert len(tuple(sentences(found.notes))) == 1


def test_a_broken_promise_is_said() -> None:
    found = AchievedKRisk().measure(pair_of(*crossed(), k=3))
    assert "0 of 1 blocks keep the promise" in worded(found.says)
    assert found.value("blocks-held") == 0


def test_without_a_promise_there_is_nothing_to_hold() -> None:
    found = AchievedKRisk().measure(pair_of(*crossed()))
    assert found.value("promised") is None
    assert found.value("blocks-held") is None
    assert found.tables[0].rows[0][3:] == (None, "none made")
    assert any("No group size was promised" in note for note in sentences(found.notes))


def test_the_distribution_has_every_record() -> None:
    masked = np.repeat(np.arange(5.0), [1, 2, 4, 9, 120])[:, None]
    found = AchievedKRisk().measure(pair_of(masked, masked))
    assert found.tables[1].rows == (
        ("1", 1),
        ("2", 2),
        ("3 to 4", 4),
        ("5 to 9", 9),
        ("10 to 99", 0),
        ("100 or more", 120),
    )


def test_blanks_share_a_class() -> None:
    masked = np.array([[math.nan], [math.nan], [1.0], [1.0]])
    assert AchievedKRisk().measure(pair_of(masked, masked)).value("k") == 2


def test_uniqueness_before_and_after_for_all_one_and_two_variables() -> None:
    found = UniquenessRisk().measure(pair_of(*crossed()))
    assert (found.value("before"), found.value("after")) == (100.0, 100.0)
    assert found.tables[0].rows == (
        ("V1", 100.0, 0.0, 4, 0),
        ("V2", 100.0, 0.0, 4, 0),
        ("V1, V2", 100.0, 100.0, 4, 4),
    )


def test_of_many_variables_the_table_has_single_ones_and_says_so() -> None:
    original = np.random.default_rng(0).normal(size=(20, 13))
    found = UniquenessRisk().measure(pair_of(original, original))
    assert len(found.tables[0].rows) == 13
    assert any("too many" in note for note in sentences(found.notes))


@pytest.mark.parametrize("measure", [AchievedKRisk(), UniquenessRisk()])
def test_a_constant_file_is_one_class(measure: AchievedKRisk | UniquenessRisk) -> None:
    found = measure.measure(pair_of(np.full((6, 2), 0.1), np.full((6, 2), 0.1)))
    assert found.figures[0].value == (6 if measure.name == "achieved-k" else 0.0)
