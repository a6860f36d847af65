"""Individual ranking where rules tie variables: each is divided by itself, rules hold record by record."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.plan.plan import Why
from constraint_sdc.reports.sentences import sentence
from constraint_sdc.settings.words import Treatment
from tests.maskers.extract import columns, extract

N, K = 60, 4
RULES = {"sum": "number(A) + number(B) = number(C)"}


def incomes(seed: int = 1) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    a, b = rng.choice(9000, N, replace=False) + 100, rng.choice(900, N, replace=False)
    return columns(A=a, B=b, C=a + b)


@pytest.mark.parametrize("method", ["individual-ranking", "optimal-univariate"])
def test_terms_are_means_of_neighbours_and_the_total_is_computed(tmp_path: Path, method: str) -> None:
    given = extract(tmp_path, incomes(), RULES)
    result = given.mask(K, partition=method)
    given.requires_all_rules()
    (block,) = result.plan.blocks
    assert {variable.treatment for variable in block.variables} == {Treatment.RANKED}
    assert [rule.why for rule in block.rules] == [Why.CHECKED]
    assert not block.shares
    for name in ("A", "B"):
        assert given.smallest_group(name) >= K
        before = np.array([int(row[name]) for row in given.original()])
        after = np.array([int(row[name]) for row in given.masked()])
        order = np.argsort(before, kind="stable")
        assert (np.diff(after[order]) >= 0).all(), "neighbours stay neighbours"


def test_groups_of_individual_ranking_are_k_consecutive_values(tmp_path: Path) -> None:
    given = extract(tmp_path, incomes(), RULES)
    given.mask(K, partition="individual-ranking")
    before = sorted((int(row["A"]), i) for i, row in enumerate(given.original()))
    after = [int(value) for value in given.column("A")]
    for start in range(0, N, K):
        members = before[start : start + K]
        mean = sum(value for value, _ in members) / K
        assert {after[i] for _, i in members} == {round(mean)}


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("individual-ranking", "individual-ranking masks each variable separately"),
        ("optimal-univariate", "optimal-univariate masks each variable separately"),
        ("pc1-projection", "pc1-projection sorts records by one number"),
        ("z-sum-projection", "z-sum-projection sorts records by one number"),
        ("z-sum-projection+refine", "z-sum-projection sorts records by one number"),
    ],
)
def test_the_plan_warns_of_the_risk(tmp_path: Path, method: str, says: str) -> None:
    (warning,) = extract(tmp_path, incomes(), RULES).plan(K, partition=method).warnings
    assert sentence(warning).startswith(says)


@pytest.mark.parametrize("method", ["mdav", "auto", "mixed"])
def test_it_does_not_warn_of_other_methods(tmp_path: Path, method: str) -> None:
    assert extract(tmp_path, incomes(), RULES).plan(K, partition=method).warnings == ()


@pytest.mark.parametrize("method", ["individual-ranking", "pc1-projection"])
def test_conditions_ranges_and_categories_hold(tmp_path: Path, method: str) -> None:
    rows = incomes()
    for i, row in enumerate(rows):
        row["Sex"] = "FM"[i % 2]
        row["D"] = str(i % 7 if row["Sex"] == "F" else 7 + i % 5)
    rules = {
        **RULES,
        "if": "not(Sex = 'F') or number(D) < 7",
        "range": "number(A) >= 100",
        "least": "number(B) <= number(C)",
    }
    given = extract(tmp_path, rows, rules)
    given.mask(K, partition=method)
    given.requires_all_rules()
