"""Products: groups never mix signs or zeros, so that a geometric mean exists and the product survives it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.operators.geometric_mean import GeometricMean
from tests.maskers.extract import columns, extract, the_block

N = 36
PRODUCT = {"product": "number(A) * number(B) = number(P)"}


def signs(seed: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    a = rng.integers(1, 60, N) * rng.choice([-1, 0, 1], N)
    b = rng.integers(1, 60, N)
    return columns(A=a.tolist(), B=b.tolist(), P=(a * b).tolist())


def sign(text: str) -> int:
    return (float(text) > 0) - (float(text) < 0)


@pytest.mark.parametrize("seed", range(3))
def test_signs_and_zeros_stay_where_they_were(tmp_path: Path, seed: int) -> None:
    given = extract(tmp_path, signs(seed), PRODUCT)
    result = given.mask(4)
    given.requires_all_rules()
    assert {v.operator for v in the_block(result.plan, "A").variables} == {GeometricMean.name}
    for before, after in zip(given.original(), given.masked(), strict=True):
        assert {name: sign(text) for name, text in before.items()} == {n: sign(t) for n, t in after.items()}


def test_the_geometric_mean_is_the_root_of_the_product(tmp_path: Path) -> None:
    a, b = [2.0, 4.0, 32.0], [1.0, 27.0, 8.0]
    rows = columns(A=a, B=b, P=[x * y for x, y in zip(a, b, strict=True)])
    given = extract(tmp_path, rows, PRODUCT, "variables: {A: {grid: free}, B: {grid: free}, P: {grid: free}}")
    given.mask(3)
    given.requires_all_rules()
    record = given.masked()[0]
    assert float(record["A"]) == pytest.approx(256 ** (1 / 3), rel=1e-6)
    assert float(record["B"]) == pytest.approx(6.0, rel=1e-6)
    assert float(record["A"]) * float(record["B"]) == float(record["P"])


def test_factors_are_moved_where_that_brings_the_product_nearer_to_its_mean(tmp_path: Path) -> None:
    """The means are 200, 40 and 10,000, but 200 * 40 is 8,000: larger factors lose less in all."""
    mean = "{operator: arithmetic mean}"
    rows = columns(A=(100, 200, 300), B=(10, 40, 70), P=(1000, 8000, 21000))
    given = extract(tmp_path, rows, PRODUCT, f"variables: {{A: {mean}, B: {mean}, P: {mean}}}")
    given.mask(3)
    given.requires_all_rules()
    assert given.masked()[0] == {"A": "206", "B": "42", "P": "8652"}


def test_one_negative_among_positives_is_merged_and_the_product_still_holds(tmp_path: Path) -> None:
    rows = signs(7)
    for row in rows:
        row["A"], row["P"] = row["A"].lstrip("-"), row["P"].lstrip("-")
    rows[5] = {"A": "-3", "B": "7", "P": "-21"}
    given = extract(tmp_path, rows, PRODUCT)
    given.mask(4)
    given.requires_all_rules()
    assert given.smallest_group("A", "B", "P") >= 4


def test_a_product_within_a_sum_is_computed_not_averaged(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(1, 40, N) for _ in range(3))
    rows = columns(A=a.tolist(), B=b.tolist(), P=(a * b).tolist(), C=c.tolist(), S=(a * b + c).tolist())
    given = extract(tmp_path, rows, PRODUCT | {"sum": "number(P) + number(C) = number(S)"})
    given.mask(3)
    given.requires_all_rules()
    assert given.smallest_group("A", "B", "P", "C", "S") >= 3
