"""Products in logarithms: the rule holds, numbers stay positive, and the moments of factors and product are kept."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.constraints.constraint import Atom, LinearAtom, ProductAtom
from constraint_sdc.maskers.microhybrid.products import calibrated, from_logarithms, in_logarithms, positive, products
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract

N = 120


def product_of(result: str, *factors: str) -> ProductAtom:
    return ProductAtom(tuple((name, 1) for name in factors), Fraction(1), "=", ((result, 1),), Fraction(1))


def sum_of(result: str, *parts: str, op: str = "=") -> LinearAtom:
    terms = (*((name, Fraction(1)) for name in parts), (result, Fraction(-1)))
    return LinearAtom(terms, op, Fraction(0))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("atoms", "expected"),
    [
        ([product_of("P", "A", "B")], [{"P", "A", "B"}]),
        ([product_of("P", "A", "B"), product_of("Q", "P", "C")], [{"P", "A", "B", "Q", "C"}]),
        ([product_of("P", "A", "B"), sum_of("C", "D", "Q")], [{"P", "A", "B"}]),
        ([product_of("P", "A", "B"), sum_of("C", "A", "D")], []),
        ([product_of("P", "A", "B"), sum_of("C", "A", op="<=")], [{"P", "A", "B"}]),
        ([product_of("P", "A", "Untouched")], []),
        ([sum_of("C", "A", "D")], []),
    ],
)
def test_what_is_drawn_in_logarithms(atoms: list[Atom], expected: list[set[str]]) -> None:
    assert [set(part) for part in products(atoms, "ABCDPQ")] == expected


def test_only_positive_numbers_have_logarithms() -> None:
    values = np.array([[1.0, 2.0, 3.0, np.nan], [4.0, 0.0, 5.0, 1.0]])
    assert positive([[0, 2], [1], [3]], values) == [[0, 2]]
    assert positive([[0, 2]], values, -values) == []


@given(st.integers(0, 10**6), st.integers(8, 60), st.floats(0.1, 2.0))
def test_calibrated_logarithms_keep_the_product_and_come_nearer_to_the_moments(
    seed: int, count: int, spread: float
) -> None:
    rng = np.random.default_rng(seed)
    factors = np.exp(rng.normal(size=(count, 2)) * spread + rng.normal(size=2) * 5)
    original = np.column_stack([factors, factors.prod(axis=1)])
    logs = rng.normal(size=(count, 2)) * spread
    drawn = np.column_stack([logs, logs.sum(axis=1)]) + np.log(original).mean(axis=0)
    found = calibrated(drawn, original)
    assert found[:, 0] + found[:, 1] == pytest.approx(found[:, 2], abs=1e-6)
    assert off(found, original) <= off(drawn, original) + 1e-9


def off(logs: np.ndarray, original: np.ndarray) -> float:
    numbers = np.exp(logs)
    return float(
        (np.log(numbers.mean(axis=0) / original.mean(axis=0)) ** 2).sum()
        + (np.log(numbers.std(axis=0) / original.std(axis=0)) ** 2).sum()
    )


def test_the_way_there_and_back_changes_nothing() -> None:
    values = np.exp(np.random.default_rng(1).normal(size=(30, 3)))
    values[:, 2] = values[:, 0] * values[:, 1]
    logs = in_logarithms(values, [[0, 1, 2]])
    assert from_logarithms(logs, [[0, 1, 2]], values) == pytest.approx(values)


def heavy(folder: Path, rules: dict[str, str], seed: int = 3) -> Extract:
    """Return amounts with a rate that is the inverse of a whole number: rare rates are a thousand times the others."""
    rng = np.random.default_rng(seed)
    amount = np.rint(np.exp(rng.normal(8, 1, N))).astype(int) + 1
    rate = 1 / np.maximum(np.rint(np.exp(rng.normal(6, 1.8, N))), 1)
    rows = columns(A=amount.tolist(), B=map(repr, rate.tolist()), P=map(repr, (amount * rate).tolist()))
    return extract(folder, rows, rules)


@pytest.mark.parametrize(
    "more",
    [{}, {"most": "number(P) <= 100000"}, {"order": "number(B) <= number(A)"}],
    ids=["product", "range", "order"],
)
def test_the_variance_of_a_product_stays(tmp_path: Path, more: dict[str, str]) -> None:
    one = heavy(tmp_path, {"product": "number(A) * number(B) = number(P)", **more})
    result = one.mask(20, masker="microhybrid", partition="mdav")
    one.requires_all_rules()
    for name in "ABP":
        before, after = (np.array([float(row[name]) for row in rows]) for rows in (one.original(), one.masked()))
        assert (after > 0).all()
        assert after.var() / before.var() == pytest.approx(1, abs=0.1)
    price = result.plan.blocks[0].price
    assert price is not None
    assert because("drawn-in-logarithms", variables=("A", "B", "P")) in price.notes


def test_a_factor_that_is_also_in_a_sum_is_not_drawn_in_logarithms(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a, b, c = (rng.integers(1, 90, N) for _ in range(3))
    rows = columns(A=a.tolist(), B=b.tolist(), P=(a * b).tolist(), C=c.tolist(), S=(a + c).tolist())
    rules = {"product": "number(A) * number(B) = number(P)", "sum": "number(A) + number(C) = number(S)"}
    one = extract(tmp_path, rows, rules)
    result = one.mask(20, masker="microhybrid", partition="mdav")
    one.requires_all_rules()
    price = result.plan.blocks[0].price
    assert price is not None
    assert "drawn-in-logarithms" not in {note.code for note in price.notes}
