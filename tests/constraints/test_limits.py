"""A rule that would explode is refused in words, and quickly."""

from __future__ import annotations

import pytest

from constraint_sdc.constraints.constraint import Kind
from constraint_sdc.constraints.understand import understand
from tests.constraints.pairs import let, pattern, rule, schema

SUM = "(" + " + ".join(f"number(V{i})" for i in range(50)) + ")"
NESTED = "V0 = 1"
for number in range(40):
    NESTED = f"({NESTED}) = (V{number} = 1)"


@pytest.mark.parametrize(
    "test",
    [
        f"math:pow({SUM}, 12) = 1",
        " * ".join([SUM] * 5) + " = 1",
        " + ".join(f"(if (V{i} = 1) then 1 else 2)" for i in range(40)) + " = 3",
        NESTED,
        "(1 to 1000) = (for $x in 1 to 1000 return $x + number(V1))",
        "every $a in 1 to 1000, $b in 1 to 1000 satisfies $a + $b > number(V1)",
    ],
)
def test_an_explosion_is_refused(test: str) -> None:
    (edit,) = understand(schema(pattern(rule("Record", test))), record="Record", outside=("Data",))
    assert edit.constraint.kind is Kind.OPAQUE
    assert edit.constraint.reason


def test_a_set_of_hundreds_of_codes_is_still_a_set() -> None:
    (edit,) = understand(schema(pattern(rule("Record", "number(V1) = 1 to 800"))), record="Record", outside=("Data",))
    assert edit.constraint.kind is Kind.POSSIBLE_VALUES
    assert len(edit.constraint.formula.values) == 800


def test_variables_that_double_each_other_are_refused() -> None:
    doubling = "let $a0 := number(V1), " + ", ".join(f"$a{i + 1} := $a{i} + $a{i}" for i in range(60))
    (edit,) = understand(schema(pattern(rule("Record", f"{doubling} return $a60 > 0"))), record="Record")
    assert edit.expression is None
    assert "becomes too large" in edit.constraint.reason


def test_lets_that_double_each_other_are_refused() -> None:
    lets = (let("a0", "number(V1)"), *(let(f"a{i + 1}", f"$a{i} + $a{i}") for i in range(60)))
    (edit,) = understand(schema(pattern(rule("Record", "$a60 > 0", lets=lets))), record="Record")
    assert edit.expression is None
    assert "becomes too large" in edit.constraint.reason
