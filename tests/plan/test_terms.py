"""The conjunctions of a rule against its truth table: a record satisfies the rule if and only if it satisfies one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    Atom,
    Formula,
    IntegerAtom,
    LinearAtom,
    PolynomialAtom,
    ProductAtom,
    atoms,
)
from constraint_sdc.evaluate.expression import CompareOp
from constraint_sdc.plan.rule_facts import MOST_TERMS, terms_of

ONE = Fraction(1)
NAMES = "abcde"


def compare(name: str, op: CompareOp = "<=") -> LinearAtom:
    return LinearAtom(((name, ONE),), op, Fraction(0))


ATOMS = [compare(name) for name in NAMES]
formulas: st.SearchStrategy[Formula] = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.builds(
        lambda items, kind: kind(tuple(items)), st.lists(inner, max_size=3), st.sampled_from((AllOf, AnyOf))
    ),
    max_leaves=8,
)


def holds(formula: Formula, true: frozenset[Atom]) -> bool:
    match formula:
        case AllOf(items):
            return all(holds(item, true) for item in items)
        case AnyOf(items):
            return any(holds(item, true) for item in items)
        case _:
            return formula in true


@settings(deadline=None)
@given(formulas)
def test_the_conjunctions_have_the_truth_table_of_the_rule(formula: Formula) -> None:
    terms = terms_of(formula)
    if terms is None:
        return
    for truths in product((False, True), repeat=len(ATOMS)):
        true = frozenset(atom for atom, is_true in zip(ATOMS, truths, strict=True) if is_true)
        assert any(true.issuperset(term) for term in terms) == holds(formula, true)


@settings(deadline=None)
@given(formulas)
def test_conjunctions_are_few_different_and_made_of_the_rules_own_atoms(formula: Formula) -> None:
    terms = terms_of(formula)
    if terms is not None:
        assert len(set(terms)) == len(terms) <= MOST_TERMS
        assert {atom for term in terms for atom in term} <= set(atoms(formula))


def test_a_rule_without_conditions() -> None:
    assert terms_of(AllOf(())) == ((),), "always true: one conjunction that demands nothing"
    assert terms_of(AnyOf(())) == (), "never true: no conjunction"
    assert terms_of(AllOf((ATOMS[0], AnyOf(())))) == ()


@pytest.mark.parametrize(
    "unequal",
    [
        LinearAtom((("a", ONE), ("b", -ONE)), "!=", Fraction(2)),
        ProductAtom((("a", 1), ("b", 1)), ONE, "!=", (("c", 1),), ONE),
        PolynomialAtom((((("a", 2),), ONE),), "!=", Fraction(4)),
    ],
)
def test_unequal_is_below_or_above(unequal: LinearAtom | ProductAtom | PolynomialAtom) -> None:
    terms = terms_of(unequal)
    assert terms is not None
    below, above = terms
    assert [(type(t[0]), t[0].op) for t in (below, above)] == [(type(unequal), "<"), (type(unequal), ">")]  # type: ignore[union-attr]


def test_an_atom_without_sides_stays_whole() -> None:
    odd = IntegerAtom("a", Fraction(2), ONE)
    assert terms_of(odd) == ((odd,),)


@pytest.mark.parametrize(("pairs", "expected"), [(6, 64), (7, None)])
def test_beyond_the_limit_there_are_no_strata(pairs: int, expected: int | None) -> None:
    either = [AnyOf((compare(f"x{i}"), compare(f"y{i}"))) for i in range(pairs)]
    terms = terms_of(AllOf(tuple(either)))
    assert (None if terms is None else len(terms)) == expected
    many = terms_of(AnyOf(tuple(compare(f"x{i}") for i in range(MOST_TERMS + 1))))
    assert many is None
