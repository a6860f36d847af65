"""Roots and quotients by sums: derived bit for bit, and averaged geometrically as products with exponents."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from constraint_sdc.operators.geometric_mean import GeometricMean
from tests.maskers.extract import Extract, columns, extract


def derived(given: Extract) -> set[str]:
    (block,) = given.design(3).blocks
    return {derivation.variable for stratum in block.strata for derivation in stratum.derivations}


def test_a_square_root_is_computed_bit_for_bit(tmp_path: Path) -> None:
    areas = [1 + i * i % 97 for i in range(24)]
    records = columns(Area=areas, Side=[repr(math.sqrt(area)) for area in areas])
    given = extract(tmp_path, records, {"side": "math:sqrt(number(Area)) = number(Side)"})
    assert derived(given) == {"Side"}
    given.mask(3)
    given.requires_all_rules()
    assert all(float(row["Side"]) == math.sqrt(float(row["Area"])) for row in given.masked())
    assert set(given.column("Area")) - set(map(str, areas)), "a mean, not a copied record"


def test_a_quotient_by_a_sum_is_computed_bit_for_bit(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    a, b, c = (rng.integers(1, 60, 24).tolist() for _ in range(3))
    rates = [x / (y + z) for x, y, z in zip(a, b, c, strict=True)]
    records = columns(A=a, B=b, C=c, Rate=[repr(rate) for rate in rates])
    given = extract(tmp_path, records, {"rate": "number(Rate) = number(A) div (number(B) + number(C))"})
    assert derived(given) == {"Rate"}
    given.mask(3)
    given.requires_all_rules()


def test_a_product_of_powers_is_averaged_geometrically(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    labour, capital = (rng.integers(2, 90, 24).tolist() for _ in range(2))
    output = [math.floor(x**0.3 * y**0.7 * 1e4) / 1e4 for x, y in zip(labour, capital, strict=True)]
    records = columns(Labour=labour, Capital=capital, Output=output)
    bound = "number(Output) <= math:pow(number(Labour), 0.3) * math:pow(number(Capital), 0.7)"
    given = extract(tmp_path, records, {"output": bound})
    (block,) = given.design(3).blocks
    assert {v.operator for v in block.plan.variables} == {GeometricMean.name}
    given.mask(3)
    given.requires_all_rules()


def test_an_exponential_in_full_precision_is_proposed_here_and_judged_by_saxon(tmp_path: Path) -> None:
    logs = np.random.default_rng(5).uniform(0, 5, 24).round(2).tolist()
    records = columns(Log=logs, Amount=[repr(math.exp(log)) for log in logs])
    given = extract(tmp_path, records, {"log": "number(Amount) = math:exp(number(Log))"})
    assert derived(given) == {"Amount"}
    given.mask(3, on_broken="keep")
    assert not given.broken()["log"] - given.broken(given.data)["log"]
    assert set(given.column("Log")) - set(map(str, logs)), "means, not copied records"
