"""What logic claims of rules holds for every record of a grid, as the evaluator of `check` judges it."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.understand import understand
from constraint_sdc.evaluate.expression import Not
from constraint_sdc.lint.consequences import find_consequences
from constraint_sdc.lint.solver import Solver
from constraint_sdc.lint.stated import asked_condition, stated_rules
from constraint_sdc.lint.trial import made_columns, truths
from constraint_sdc.schematron.schema import Assertion, Origin, Pattern, Rule, Schema
from tests.draws import draws

VALUES = (None, "", "x", "-1", "0", "0.5", "1", "2", "3.0")
GRID = [dict(zip("ABC", values, strict=True)) for values in product(VALUES, repeat=3)]
COLUMNS = made_columns([{name: text for name, text in record.items() if text is not None} for record in GRID])
HERE = Origin("rules.sch", 1)

numbers = some.sampled_from(("-1", "0", "1", "2", "3", "0.5"))
names = some.sampled_from("ABC")
operators = some.sampled_from(("=", "!=", "<", "<=", ">", ">="))


@some.composite
def conditions(draw: some.DrawFn) -> str:
    name, other, op, number = draw(names), draw(names), draw(operators), draw(numbers)
    return draw(
        some.sampled_from(
            (
                f"number({name}) {op} {number}",
                f"number({name}) {op} number({other})",
                f"number({name}) + number({other}) {op} {number}",
                f"exists({name})",
                f"not({name})",
                f"{name} = ('x', '1')",
                f"number({name}) mod 1 = 0",
                f"string({name}) != ''",
            )
        )
    )


@some.composite
def written_tests(draw: some.DrawFn) -> str:
    one, other = draw(conditions()), draw(conditions())
    return draw(some.sampled_from((one, f"{one} and {other}", f"not({one}) or {other}", f"not({one} and {other})")))


def rules_of(written: list[str]) -> tuple[EditRule, ...]:
    made = tuple(
        Assertion(f"r{place}", True, "assert", test, (), "error", (), (), (), HERE)
        for place, test in enumerate(written)
    )
    pattern = Pattern("p", "p", None, False, (), (Rule(None, "Record", (), made, (), HERE),), (), HERE)
    schema = Schema("", "xslt2", (), (), (), "#ALL", (), (pattern,), (), (), (), HERE)
    return understand(schema, record="Record", outside=("Data",), attributes=())


def holds(rule: EditRule) -> Flags:
    assert rule.expression is not None
    return truths(rule.expression, COLUMNS, len(GRID), xpath1=False)[0]


def all_hold(rules: dict[str, EditRule], chosen: tuple[str, ...]) -> Flags:
    return np.logical_and.reduce([np.ones(len(GRID), np.bool_), *(holds(rules[name]) for name in chosen)])


@settings(max_examples=draws(60))
@given(some.lists(written_tests(), min_size=1, max_size=5))
def test_no_record_of_the_grid_refutes_a_claim(written: list[str]) -> None:
    rules = {rule.id: rule for rule in rules_of(written)}
    found = find_consequences(stated_rules(rules.values(), xpath1=False))
    for conflict in found.conflicts:
        assert not all_hold(rules, conflict).any()
    for name, core in found.implied.items():
        assert not (all_hold(rules, core) & ~holds(rules[name])).any()
    for name, first in found.duplicates.items():
        assert (holds(rules[name]) == holds(rules[first])).all()
    for name in found.always_holds:
        assert holds(rules[name]).all()
    for name, core in (found.never_fires | found.conditional_conflicts).items():
        asked = asked_condition(rules[name].expression)
        assert asked is not None
        fires = truths(asked, COLUMNS, len(GRID), xpath1=False)[0]
        with_itself = (*core, name) if name in found.conditional_conflicts else core
        assert not (all_hold(rules, with_itself) & fires).any()
    for claim in found.ranges:
        satisfied = all_hold(rules, claim.rules)
        for place in np.flatnonzero(satisfied):
            text = GRID[place][claim.variable]
            if claim.kind == "never present":
                assert text is None
            elif text not in (None, "", "x"):
                assert claim.kind != "fixed" or float(text) == claim.value
                assert claim.kind != "at most" or float(text) <= claim.value
                assert claim.kind != "at least" or float(text) >= claim.value


@settings(max_examples=draws(60))
@given(some.lists(written_tests(), min_size=1, max_size=4))
def test_rules_that_a_record_of_the_grid_satisfies_are_no_conflict(written: list[str]) -> None:
    rules = {rule.id: rule for rule in rules_of(written)}
    if all_hold(rules, tuple(rules)).any():
        stated = stated_rules(rules.values(), xpath1=False)
        assert find_consequences(stated).conflicts == []
        assert Solver({rule.id: rule.formula for rule in stated}).solve([rule.id for rule in stated]).answer == "yes"


def test_a_conflict_is_minimal() -> None:
    rules = rules_of(["number(A) < number(B)", "number(B) < number(C)", "number(A) >= 0", "number(C) < number(A)"])
    (conflict,) = find_consequences(stated_rules(rules, xpath1=False)).conflicts
    assert conflict == ("r0", "r1", "r3")


def test_a_warning_does_not_imply_an_error() -> None:
    strict, loose = rules_of(["number(A) <= 1", "number(A) <= 3"])
    stated = stated_rules((strict, loose), xpath1=False)
    assert find_consequences(stated).implied == {"r1": ("r0",)}
    softened = (type(stated[0])("r0", stated[0].formula, None, 1, ("A",)), stated[1])
    assert find_consequences(softened).implied == {}


def test_a_negation_is_not_the_opposite_comparison_where_a_value_is_missing() -> None:
    rules = rules_of(["not(number(A) < 1)", "not(A)"])
    assert find_consequences(stated_rules(rules, xpath1=False)).conflicts == []
    assert isinstance(rules[0].expression, Not)


def test_products_that_the_solver_cannot_decide_are_left_open_and_told() -> None:
    chance = random.Random(1)
    names = [f"number(V{number})" for number in range(12)]
    written = [
        f"{one} * {two} <= {three} * {four} + {chance.randint(1, 50)}"
        for one, two, three, four in (chance.choices(names, k=4) for _ in range(40))
    ]
    found = find_consequences(stated_rules(rules_of(written), xpath1=False))
    assert found.undecided
    assert found.conflicts == []
