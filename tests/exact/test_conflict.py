"""The deletion filter: what it names cannot hold together, and every part of it is needed."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from constraint_sdc.exact.conflict import _minimal_pins, _minimal_rules, most_candidates


def is_conflict(holds: np.ndarray, rules: tuple[int, ...]) -> bool:
    return not any(all(row[rule] for rule in rules) for row in holds.tolist())


@pytest.mark.parametrize("seed", range(30))
def test_named_rules_conflict_and_none_of_them_can_be_spared(seed: int) -> None:
    rng = np.random.default_rng(seed)
    holds = rng.random((int(rng.integers(1, 40)), int(rng.integers(1, 9)))) < 0.8
    holds[holds.all(axis=1), 0] = False
    found = tuple(_minimal_rules(holds))
    assert is_conflict(holds, found)
    assert not any(is_conflict(holds, some) for some in combinations(found, len(found) - 1))


def test_rules_that_every_candidate_satisfies_are_never_named() -> None:
    holds = np.array([[True, True, False, True], [True, False, True, True], [True, False, False, True]])
    assert _minimal_rules(holds) == [1, 2]


def test_a_rule_that_no_candidate_satisfies_is_a_conflict_alone() -> None:
    assert _minimal_rules(np.array([[True, False], [True, False]])) == [1]


def test_without_candidates_all_rules_are_named() -> None:
    assert _minimal_rules(np.zeros((0, 3), np.bool_)) == [0, 1, 2]


@pytest.mark.parametrize(
    ("enough", "named"),
    [
        ([{"A"}], ["A"]),
        ([{"B"}], ["B"]),
        ([{"A"}, {"B"}], ["A", "B"]),
        ([{"A", "C"}], ["C"]),
        ([], []),
    ],
)
def test_named_pins_are_those_whose_masking_ends_the_conflict(enough: list[set[str]], named: list[str]) -> None:
    """`enough` are the sets of variables of which one must be masked for the rules to hold."""

    def holds(masked: list[str]) -> np.ndarray:
        return np.array([[True, any(some <= set(masked) for some in enough)]])

    assert _minimal_pins(["A", "B", "C"], holds) == named


@pytest.mark.parametrize(("members", "candidates"), [(5, 20_000), (1_000, 100), (10_000, 60)])
def test_the_larger_a_group_the_fewer_records_are_asked_about_it(members: int, candidates: int) -> None:
    assert most_candidates(members) == candidates
