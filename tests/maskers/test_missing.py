"""Missing values: whoever lacks a value shares no mean with those who have it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.maskers.extract import ABSENT, EMPTY, columns, extract

N = 30


def amounts(seed: int, *names: str) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    return columns(**{name: rng.integers(0, 900, N).tolist() for name in names})


@pytest.mark.parametrize("way", [ABSENT, EMPTY, "-9", "NaN"])
def test_a_common_pattern_keeps_its_blanks(tmp_path: Path, way: str) -> None:
    rows = amounts(1, "A", "B")
    for row in rows[:8]:
        if way == ABSENT:
            del row["B"]
        else:
            row["B"] = way
    extracted = extract(tmp_path, rows, recipe="missing: {B: ['-9']}\ngroups: all")
    result = extracted.mask(4)
    masked = extracted.masked()
    blank = {ABSENT: None, EMPTY: ""}.get(way, way)
    assert [record.get("B") for record in masked[:8]] == [blank] * 8
    assert all(record["B"] not in ("", way) for record in masked[8:])
    assert extracted.smallest_group("A", "B") >= 4
    # The mean of the others is the mean of values: no zero and no code has gone into it.
    for rows_of_group in result.masked.blocks[0].groups.each():
        numbers = [float(rows[row]["B"]) for row in rows_of_group.tolist() if row >= 8]
        if numbers:
            written = float(masked[rows_of_group[0]]["B"])
            assert min(numbers) <= written <= max(numbers)


def test_a_rare_pattern_is_moved_off_an_actual_record(tmp_path: Path) -> None:
    rows = amounts(2, "A", "B")
    del rows[11]["B"]
    extracted = extract(tmp_path, rows, recipe="groups: all")
    result = extracted.mask(3)
    block = result.masked.blocks[0]
    mixed = int(block.groups.label[11])
    assert block.step[mixed].value == "moved off"
    assert extracted.masked()[11] not in rows


def test_a_rare_pattern_takes_the_values_of_an_actual_record_where_that_is_allowed(tmp_path: Path) -> None:
    rows = amounts(2, "A", "B")
    del rows[11]["B"]
    extracted = extract(tmp_path, rows, recipe="groups: all\nprotect: {verbatim: allowed}")
    result = extracted.mask(3)
    assert extracted.smallest_group("A", "B") >= 3
    block = result.masked.blocks[0]
    mixed = int(block.groups.label[11])
    assert block.step[mixed].value == "medoid"
    record = extracted.masked()[11]
    assert record in [rows[row] for row in block.groups.rows(mixed).tolist()]


def test_the_missing_part_of_an_average_is_not_a_zero(tmp_path: Path) -> None:
    rows = [{"A": "100"}] * 4 + [{}] * 4
    extracted = extract(tmp_path, rows)
    extracted.mask(4)
    assert extracted.masked() == rows


def test_rules_about_presence_hold(tmp_path: Path) -> None:
    rows = amounts(3, "Age", "Wage")
    for row in rows[:9]:
        row["Age"] = "12"
        del row["Wage"]
    rules = {"children": "number(Age) >= 15 or not(Wage)", "adults": "number(Age) < 15 or Wage != ''"}
    for row in rows[9:]:
        row["Age"] = str(15 + int(row["Age"]) % 60)
    extracted = extract(tmp_path, rows, rules)
    extracted.mask(4)
    extracted.requires_all_rules()
    assert sum("Wage" not in record for record in extracted.masked()) == 9


@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), share=st.sampled_from((0.02, 0.1, 0.4)), k=st.integers(2, 6))
def test_whatever_is_missing_no_block_falls_below_k_and_common_patterns_stay(
    tmp_path: Path, seed: int, share: float, k: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = amounts(seed, "A", "B", "C")
    for row in rows:
        for name in [name for name in row if rng.random() < share]:
            del row[name]
    extracted = extract(tmp_path, rows, recipe="groups: all")
    extracted.mask(k, overwrite=True)
    assert extracted.smallest_group("A", "B", "C") >= k
    before, after = (Counter(frozenset(row) for row in some) for some in (rows, extracted.masked()))
    assert set(after) <= set(before)
    if min(before.values()) >= k:
        assert after == before, "every pattern was frequent enough, so every record keeps its own"
