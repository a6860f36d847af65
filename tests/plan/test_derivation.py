"""Derivation: for every equality one variable is computed from the others, in an order without circles."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.evaluate.expression import Arithmetic, Call, Expression, Literal, Variable, variables_of
from constraint_sdc.plan.derivation import Equation, reduced
from constraint_sdc.plan.design import Derivation, Stratum
from constraint_sdc.settings.reason import because
from tests.maskers.extract import Extract, columns, extract, read_records

RECORDS = 24
ARITHMETIC = {"+": operator.add, "*": operator.mul, "div": operator.truediv}


def sums(tmp_path: Path, rules: dict[str, str], **more: list[object]) -> Extract:
    """Parts A, B, D; totals C = A + B, E = B + D, T = C + D; a doubled A; money M with its double."""
    rng = np.random.default_rng(1)
    a, b, d = (rng.integers(10, 1000, RECORDS) for _ in range(3))
    cells = {"A": a, "B": b, "C": a + b, "D": d, "E": b + d, "T": a + b + d, "G": 2 * a}
    whole = {name: values.tolist() for name, values in cells.items()}
    return extract(tmp_path, columns(**whole, **more), rules)


def stratum(given: Extract, name: str = "A") -> Stratum:
    design = given.design(3)
    block = next(block for block in design.blocks if name in block.plan.names)
    (only,) = block.strata
    return only


def computed(derivations: tuple[Derivation, ...]) -> dict[str, str]:
    return {derivation.variable: " and ".join(derivation.rules) for derivation in derivations}


def solved(expression: Expression, values: dict[str, float]) -> float:
    """Compute an expression for one record."""
    match expression:
        case Arithmetic(op, left, right):
            return ARITHMETIC[op](solved(left, values), solved(right, values))
        case Call("number" | "xs:decimal", (Variable(name),)):
            return values[name]
        case Literal(value):
            return float(value)
    raise AssertionError(expression)


def requires_an_order(derivations: tuple[Derivation, ...]) -> None:
    """What a derivation reads is never computed by itself or a later one."""
    for place, derivation in enumerate(derivations):
        later = {other.variable for other in derivations[place:]}
        assert not later & set(variables_of(derivation.expression)), derivation.reason
    assert len({d.variable for d in derivations}) == len(derivations), "nothing is computed twice"


def test_the_total_is_computed_from_its_parts_by_the_rules_own_sum(tmp_path: Path) -> None:
    (only,) = stratum(sums(tmp_path, {"total": "number(A) + number(B) = number(C)"})).derivations
    assert (only.rules, only.reason) == (("total",), because("computed-by", variable="C", rules=("total",)))
    assert variables_of(only.expression) == ("A", "B")


@pytest.mark.parametrize("test", ["number(C) = number(A) + number(B)", "number(C) - number(B) = number(A)"])
def test_the_variable_that_stands_alone_is_preferred(tmp_path: Path, test: str) -> None:
    alone = "C" if test.startswith("number(C) =") else "A"
    assert computed(stratum(sums(tmp_path, {"total": test})).derivations) == {alone: "total"}


def test_an_equality_where_nothing_stands_alone_is_solved_for_its_largest_variable(tmp_path: Path) -> None:
    (only,) = stratum(sums(tmp_path, {"gap": "number(A) + number(B) - number(C) = 0"})).derivations
    assert only.variable == "C", "its deviation is the largest, so it hides the others' rounding"


def test_totals_of_totals_are_computed_parts_first(tmp_path: Path) -> None:
    rules = {"grand": "number(C) + number(D) = number(T)", "total": "number(A) + number(B) = number(C)"}
    derivations = stratum(sums(tmp_path, rules)).derivations
    requires_an_order(derivations)
    assert [d.variable for d in derivations] == ["C", "T"]


def test_overlapping_totals_are_each_computed(tmp_path: Path) -> None:
    rules = {"one": "number(A) + number(B) = number(C)", "two": "number(B) + number(D) = number(E)"}
    derivations = stratum(sums(tmp_path, rules)).derivations
    requires_an_order(derivations)
    assert computed(derivations) == {"C": "one", "E": "two"}


def test_three_totals_with_a_common_part_are_each_computed(tmp_path: Path) -> None:
    rules = {
        "one": "number(A) + number(B) = number(C)",
        "two": "number(B) + number(D) = number(E)",
        "three": "number(B) + number(F) = number(H)",
    }
    b, f = (np.array([int(row["B"]) for row in read_records(sums(tmp_path, {}).data)]), np.arange(RECORDS))
    derivations = stratum(sums(tmp_path, rules, F=f.tolist(), H=(b + f).tolist())).derivations
    requires_an_order(derivations)
    assert computed(derivations) == {"C": "one", "E": "two", "H": "three"}


def test_a_circle_of_equalities_is_solved_together(tmp_path: Path) -> None:
    rules = {
        "one": "number(A) + number(B) = number(C)",
        "two": "number(B) + number(D) = number(E)",
        "three": "number(A) + number(E) = number(C) + number(D)",
    }
    derivations = stratum(sums(tmp_path, rules)).derivations
    requires_an_order(derivations)
    assert len(derivations) == 2, "the third equality follows from the others"
    names = {name for d in derivations for name in (d.variable, *variables_of(d.expression))}
    assert names == set("ABCDE")


def test_a_system_with_factors_is_solved_exactly() -> None:
    """2x + 3y + z = 16 and 3x - 5y = -7, where x = 1, y = 2 and z = 8."""
    factors = [({"x": 2, "y": 3, "z": 1}, 16), ({"x": 3, "y": -5}, -7), ({"y": 7, "z": -2}, -2)]
    system = [Equation((str(c),), {n: Fraction(f) for n, f in t.items()}, Fraction(c)) for t, c in factors]
    found = reduced(system, ["x", "y", "z"])
    assert all(equation.terms.keys() == {name} for equation, name in found)
    assert {name: equation.constant / equation.terms[name] for equation, name in found} == {"x": 1, "y": 2, "z": 8}


def test_an_equality_under_a_condition_is_computed_only_where_the_condition_holds(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 100, 40), rng.integers(0, 100, 40)
    c = np.where(a < 50, a + b, rng.integers(0, 100, 40))
    rules = {"young": "not(number(A) < 50) or number(A) + number(B) = number(C)"}
    design = extract(tmp_path, columns(A=a.tolist(), B=b.tolist(), C=c.tolist()), rules).design(3)
    found = {bool(s.derivations) for s in design.blocks[0].strata}
    assert found == {True, False}
    for one in design.blocks[0].strata:
        adds_up = bool((a[one.rows] + b[one.rows] == c[one.rows]).all())
        assert adds_up or not one.derivations


def test_products_and_a_sum_form_a_system(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n, p, m, q = (rng.integers(1, 50, RECORDS) for _ in range(4))
    cells = {"N": n, "P": p, "X": n * p, "M": m, "Q": q, "Y": m * q, "S": n * p + m * q}
    rules = {
        "sum": "number(X) + number(Y) = number(S)",
        "first": "number(N) * number(P) = number(X)",
        "second": "number(M) * number(Q) = number(Y)",
    }
    given = extract(tmp_path, columns(**{name: values.tolist() for name, values in cells.items()}), rules)
    derivations = stratum(given, "N").derivations
    requires_an_order(derivations)
    assert computed(derivations) == {"X": "first", "Y": "second", "S": "sum"}


def test_the_finer_grid_is_computed_so_that_nothing_is_rounded_away(tmp_path: Path) -> None:
    money = [i + 0.25 for i in range(RECORDS)]
    whole = [4 * i + 1 for i in range(RECORDS)]
    given = extract(tmp_path, columns(M=money, W=whole), {"quarters": "number(M) * 4 = number(W)"})
    assert computed(stratum(given, "M").derivations) == {"M": "quarters"}


def test_a_variable_that_is_missing_in_a_stratum_is_not_computed_there(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 100, RECORDS), rng.integers(0, 100, RECORDS)
    rows = columns(A=a.tolist(), B=b.tolist(), C=(a + b).tolist())
    for row in rows[:6]:
        del row["C"]
    rules = {"total": "not(C) or number(A) + number(B) = number(C)"}
    design = extract(tmp_path, rows, rules).design(3)
    for one in design.blocks[0].strata:
        is_missing = bool((one.rows < 6).any())
        assert is_missing != bool(one.derivations)


def test_an_equality_with_a_factor_and_a_constant_is_solved_with_both(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a, d = rng.integers(0, 50, RECORDS), rng.integers(1000, 9000, RECORDS)
    rows = columns(A=(100 - a - 2 * d).tolist(), B=(2 * a).tolist(), D=d.tolist())
    given = extract(tmp_path, rows, {"mix": "2 * number(A) + number(B) + 4 * number(D) = 200"})
    (only,) = stratum(given).derivations
    values = {"A": 11.0, "B": 6.0, "D": 43.0}
    expected = values.pop(only.variable)
    assert solved(only.expression, values) == expected


@pytest.mark.parametrize(("factor", "kind"), [(4, Decimal), (3, float)])
def test_a_factor_that_no_decimal_can_hold_is_a_double(tmp_path: Path, factor: int, kind: type[object]) -> None:
    z = np.arange(RECORDS) ** 2
    rules = {"part": f"{factor} * xs:decimal(Z) - xs:decimal(A) = -1000", "low": "xs:decimal(A) >= 1000"}
    given = extract(tmp_path, columns(A=(1000 + factor * z).tolist(), Z=z.tolist()), rules)
    (only,) = stratum(given).derivations
    match only.expression:
        case Arithmetic("+", _, Arithmetic("*", Literal(value), _)):
            assert (only.variable, type(value), float(value)) == ("Z", kind, 1 / factor)
        case other:
            raise AssertionError(other)
