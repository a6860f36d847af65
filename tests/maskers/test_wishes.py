"""What a recipe asks for is done or refused, never ignored."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.errors import PlanRefusedError, UsageError
from tests.maskers.extract import columns, extract

K = 4


def halves(count: int = 24) -> list[dict[str, str]]:
    rng = np.random.default_rng(2)
    return columns(A=[f"{x}.5" for x in rng.integers(0, 50, count).tolist()], B=rng.integers(0, 9, count).tolist())


@pytest.mark.parametrize("operator", ["lower median", "mode", "medoid", "arithmetic mean"])
def test_a_grid_coarser_than_the_values_is_kept_by_every_operator(tmp_path: Path, operator: str) -> None:
    given = extract(tmp_path, halves(), None, f"variables: {{A: {{grid: integer, operator: {operator}}}}}")
    given.mask(K)
    assert all(text.isdecimal() for text in given.column("A"))


def test_a_grid_on_which_no_value_satisfies_the_rule_is_refused(tmp_path: Path) -> None:
    given = extract(tmp_path, halves(), {"half": "number(A) * 2 mod 2 = 1"}, "variables: {A: {grid: integer}}")
    with pytest.raises(PlanRefusedError, match="must share them"):
        given.mask(K)
    assert not given.output.exists()


def test_a_rule_that_reads_a_removed_variable_is_refused(tmp_path: Path) -> None:
    recipe = "variables: {B: {role: identifier, remove: true}}"
    given = extract(tmp_path, halves(), {"bound": "number(B) <= 100"}, recipe)
    with pytest.raises(PlanRefusedError, match="rule bound reads B, which the recipe removes"):
        given.plan(K)


def test_a_key_that_no_record_has_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'Salary', which no record has"):
        extract(tmp_path, halves(), None, "key: Salary").plan(K)


def test_a_file_without_numbers_is_not_published_unmasked(tmp_path: Path) -> None:
    given = extract(tmp_path, columns(Town=["a", "b"] * 6))
    with pytest.raises(UsageError, match="no variable can be masked"):
        given.mask(K)
    assert not given.output.exists()


def test_signs_that_had_to_be_merged_have_no_geometric_mean(tmp_path: Path) -> None:
    """Of -5, 1 and 3 no geometric mean exists; what is published satisfies the rule and lies among them."""
    given = extract(
        tmp_path,
        columns(A=[-5, 1, 3], B=[2, 2, 2], C=[-10, 2, 6]),
        {"product": "number(A) * number(B) = number(C)"},
    )
    given.mask(3)
    given.requires_all_rules()
    assert -5 <= float(given.column("A")[0]) <= 3
    assert float(given.column("A")[0]) != -2
