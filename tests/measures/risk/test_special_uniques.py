"""Special uniques against brute force: every set of variables, every record, every part of the set."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from constraint_sdc.measures.risk.special_uniques import SpecialUniques, largest_size, minimal_uniques
from tests.measures.pairs import pair_of


def brute_force(rows: list[tuple[int, ...]], most: int) -> list[set[tuple[int, ...]]]:
    """Return the minimal sets of every record; minimal: unique in no part of it, of any size."""
    found: list[set[tuple[int, ...]]] = [set() for _ in rows]
    for size in range(1, most + 1):
        for chosen in combinations(range(len(rows[0])), size):
            count = Counter(tuple(row[j] for j in chosen) for row in rows)
            for i, row in enumerate(rows):
                is_new = not any(set(smaller) < set(chosen) for smaller in found[i])
                if count[tuple(row[j] for j in chosen)] == 1 and is_new:
                    found[i].add(chosen)
    return found


@pytest.mark.parametrize("seed", range(25))
def test_minimal_uniques_are_those_of_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    records, variables = int(random.integers(2, 40)), int(random.integers(1, 6))
    values = random.integers(0, 4, (records, variables))
    told = brute_force([tuple(row) for row in values.tolist()], variables)
    found = minimal_uniques({str(j): values[:, j] for j in range(variables)}, variables)
    for i in range(records):
        assert {tuple(map(int, names)) for names, flags in found.sets.items() if flags[i]} == told[i]
        assert found.score[i] == sum(factorial(variables - len(names)) for names in told[i])


def test_a_set_of_one_weighs_more_than_one_of_two() -> None:
    codes = {"A": np.array([0, 1, 1, 1]), "B": np.array([0, 0, 1, 1]), "C": np.array([0, 0, 0, 1])}
    found = minimal_uniques(codes, 2)
    assert found.score.tolist() == [2, 1, 1, 2]
    assert (found.records(1), found.records(2)) == (2, 4)


def test_masking_in_one_block_leaves_no_special_unique() -> None:
    values = np.random.default_rng(1).integers(0, 50, (30, 3)).astype(float)
    found = SpecialUniques().measure(pair_of(values, np.repeat(values[::3], 3, axis=0)))
    assert found.value("after") == 0.0
    assert (found.value("before") or 0.0) > 50.0
    assert found.tables[2].is_of_records


def test_the_number_of_sets_is_bounded_and_the_measure_says_so() -> None:
    assert largest_size(20, 1_000, 3) == 3
    assert largest_size(40, 1_000, 3) == 2
    assert largest_size(40, 100_000_000, 3) == 1
    values = np.random.default_rng(1).integers(0, 3, (10, 40)).astype(float)
    found = SpecialUniques().measure(pair_of(values, values))
    assert "sets-bounded" in [note.code for note in found.notes]
