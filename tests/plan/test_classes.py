"""Classes: records that share no mean, because they lack other values, differ in sign, are pinned or broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from constraint_sdc.plan.plan import Formation
from constraint_sdc.reports.sentences import sentences
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract

N = 24


def strata(given: Extract, k: int = 3, **more: str) -> dict[frozenset[str], set[int]]:
    """Return the strata of the only block: their conditions in words, and their records."""
    (block,) = given.design(k, **more).blocks
    pairs = zip(block.plan.strata, block.strata, strict=True)
    return {frozenset(sentences(plan.conditions)): set(stratum.rows.tolist()) for plan, stratum in pairs}


def test_what_is_missing_sets_records_apart(tmp_path: Path) -> None:
    rows = columns(A=range(N), B=range(N, 2 * N))
    for row in rows[:4]:
        del row["B"]
    for row in rows[4:9]:
        row["A"] = "''"
    assert strata(extract(tmp_path, rows, recipe="groups: all")) == {
        frozenset(): set(range(9, N)),
        frozenset({"B missing"}): set(range(4)),
        frozenset({"A missing"}): set(range(4, 9)),
    }


def test_a_missing_code_and_an_absent_element_are_two_ways_of_missing(tmp_path: Path) -> None:
    rows = columns(A=[-9] * 5 + list(range(5, N)))
    for row in rows[5:9]:
        del row["A"]
    given = extract(tmp_path, rows, recipe="missing: {A: ['-9']}")
    (block,) = given.design(3).blocks
    assert sorted(sorted(s.rows.tolist()) for s in block.strata) == [list(range(5)), [5, 6, 7, 8], list(range(9, N))]


def test_signs_set_records_apart_where_products_are_averaged(tmp_path: Path) -> None:
    a = np.array([-4] * 6 + [0] * 6 + list(range(1, 13)))
    b = np.arange(2, N + 2)
    given = extract(
        tmp_path, columns(A=a.tolist(), B=b.tolist(), P=(a * b).tolist()), {"R": "number(A) * number(B) = number(P)"}
    )
    assert strata(given) == {
        frozenset({"A < 0", "P < 0"}): set(range(6)),
        frozenset({"A = 0", "P = 0"}): set(range(6, 12)),
        frozenset({"A > 0", "P > 0"}): set(range(12, N)),
    }


def test_signs_do_not_matter_to_sums(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(A=range(-12, 12)), {"R": "number(A) <= 100"})
    assert strata(given) == {frozenset(): set(range(N))}


def test_a_pinned_category_that_a_rule_ties_is_stratified_on(tmp_path: Path) -> None:
    rows = columns(A=[i % 3 * 10 + i for i in range(N)], Type=[i % 3 * 10 for i in range(N)])
    given = extract(tmp_path, rows, {"R": "number(A) - number(Type) >= 0"}, "variables: {Type: {role: untouched}}")
    (block,) = given.design(3).blocks
    assert sorted(s.rows.tolist() for s in block.strata) == [list(range(start, N, 3)) for start in range(3)]
    assert {s.conditions for s in block.plan.strata} == {(because("same-value", variable="Type"),)}


def test_records_that_break_a_rule_already_are_a_class_of_their_own(tmp_path: Path) -> None:
    rows = columns(A=range(N), B=[i + (1 if i < 5 else 0) for i in range(N)])
    given = extract(tmp_path, rows, {"same": "number(A) = number(B)"})
    found = strata(given, on_broken="keep")
    assert found == {frozenset({"breaks same before masking"}): set(range(5)), frozenset(): set(range(5, N))}


def test_a_rare_pattern_is_merged_with_its_nearest(tmp_path: Path) -> None:
    rows = columns(A=range(N), B=range(N))
    del rows[7]["B"]
    (block,) = extract(tmp_path, rows, recipe="groups: all").design(3).blocks
    merged = [i for i, plan in enumerate(block.plan.strata) if plan.formation is Formation.MERGED]
    assert len(merged) == 1
    assert 7 in block.strata[merged[0]].rows
    assert not block.strata[merged[0]].shares_conditions
