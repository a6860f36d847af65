"""The promise: whatever the rules, the original value lies in the interval. Checked against exact arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from constraint_sdc.constraints.constraint import (
    AllOf,
    AnyOf,
    EditRule,
    Formula,
    IntegerAtom,
    LinearAtom,
    PolynomialAtom,
    ProductAtom,
    SetAtom,
)
from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.measures.attacks.rule_inference.intervals import Intervals, infer_intervals, intruder_of
from constraint_sdc.measures.attacks.rule_inference.narrowing import usable_rules
from tests.draws import draws
from tests.measures.attacks.edit_rules import rule_of
from tests.measures.pairs import compared, group_means

NAMES = ("A", "B", "C", "D")
OPS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
Record = dict[str, int]


def holds(formula: Formula, record: Record) -> bool:
    """Evaluate a formula by its definition, in fractions."""
    match formula:
        case AllOf(items):
            return all(holds(item, record) for item in items)
        case AnyOf(items):
            return any(holds(item, record) for item in items)
        case LinearAtom(terms, op, constant):
            return OPS[op](sum((c * record[n] for n, c in terms), Fraction(0)), constant)
        case ProductAtom(left, a, op, right, b):
            return OPS[op](a * prod(record[n] ** p for n, p in left), b * prod(record[n] ** p for n, p in right))
        case PolynomialAtom(sums, op, constant):
            total = sum((c * prod(record[n] ** p for n, p in powers) for powers, c in sums), Fraction(0))
            return OPS[op](total, constant)
        case SetAtom(name, values, negated):
            return (record[name] in values) != negated
        case IntegerAtom(name, modulus, remainder, negated):
            return ((record[name] - remainder) % modulus == 0) != negated
    raise AssertionError(formula)


small = st.integers(-3, 3).map(Fraction)
tenths = st.integers(-30, 30).map(lambda i: Fraction(i, 10))
not_zero = (small | tenths).filter(bool)
ops = st.sampled_from(["=", "<=", ">=", "<", ">", "!="])
some_names = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
powers = some_names.flatmap(lambda names: st.tuples(*(st.tuples(st.just(n), st.integers(1, 3)) for n in names)))
linear = st.builds(
    LinearAtom,
    some_names.flatmap(lambda names: st.tuples(*(st.tuples(st.just(n), not_zero) for n in names))),
    ops,
    small | tenths,
)
atom = (
    linear
    | linear
    | st.builds(ProductAtom, powers, not_zero, ops, powers, not_zero)
    | st.builds(PolynomialAtom, st.lists(st.tuples(powers, not_zero), min_size=1, max_size=3).map(tuple), ops, small)
    | st.builds(SetAtom, st.sampled_from(NAMES), st.lists(small, min_size=1, max_size=4).map(tuple), st.booleans())
    | st.builds(IntegerAtom, st.sampled_from(NAMES), st.sampled_from([Fraction(1), Fraction(2), Fraction(3, 2)]))
)
formula = st.recursive(
    atom,
    lambda inner: st.builds(
        lambda kind, items: kind(tuple(items)), st.sampled_from([AnyOf, AllOf]), st.lists(inner, min_size=2, max_size=3)
    ),
    max_leaves=4,
)


def derive(
    values: np.ndarray, rules: Sequence[EditRule], masked: set[str], grid: Grid, size: int
) -> tuple[Intervals, Intervals, Pair]:
    """Mask some variables by means of groups, and derive intervals from rules alone and with the means."""
    means = group_means(values, np.arange(len(values)) // size)
    variables = tuple(
        compared(n, values[:, j], means[:, j] if n in masked else values[:, j], is_masked=n in masked, grid=grid)
        for j, n in enumerate(NAMES)
    )
    pair = Pair(variables, NAMES, (MaskedTogether(tuple(sorted(masked))),))
    intruder = intruder_of(pair, {})
    usable = usable_rules(rules, intruder.scene, intruder.original, intruder.filled)
    assert not usable.broken  # rules that hold are believed, or the promise would be empty
    alone = infer_intervals(intruder.start, usable.rules)
    return alone, infer_intervals(intruder.start, usable.rules, intruder.means), pair


def assert_enclosed(found: Intervals, pair: Pair) -> None:
    for name in found.names:
        low, high = found.of(name)
        assert (low <= pair[name].original).all()
        assert (pair[name].original <= high).all()


POINTS = [dict(zip(NAMES, point, strict=True)) for point in product(range(-1, 3), repeat=4)]
within = AllOf(
    tuple(LinearAtom(((n, Fraction(1)),), op, Fraction(c)) for n in NAMES for op, c in ((">=", -1), ("<=", 2)))
)


@settings(max_examples=draws(25))
@given(st.lists(formula, min_size=1, max_size=3), st.sets(st.sampled_from(NAMES), min_size=1), st.booleans(), st.data())
def test_every_solution_lies_in_the_intervals(
    formulas: list[Formula], masked: set[str], is_grid: bool, data: st.DataObject
) -> None:
    """All whole-numbered records are tried: not only the original, but whatever it could have been, is enclosed."""
    solutions = [point for point in POINTS if all(holds(f, point) for f in formulas)]
    assume(solutions)
    chosen = data.draw(st.lists(st.sampled_from(solutions), min_size=1, max_size=9))
    values = np.array([[float(point[n]) for n in NAMES] for point in chosen])
    rules = [rule_of(f"r{i}", f) for i, f in enumerate([*formulas, within])]
    alone, both, pair = derive(values, rules, masked, Grid(0 if is_grid else None), 3)
    assert_enclosed(alone, pair)
    assert_enclosed(both, pair)
    for i, record in enumerate(chosen):
        alike = [p for p in solutions if all(p[n] == record[n] for n in NAMES if n not in masked)]
        for name in masked:
            low, high = (end[i] for end in alone.of(name))
            assert low <= min(p[name] for p in alike)
            assert max(p[name] for p in alike) <= high


@settings(max_examples=draws(20))
@given(
    st.lists(st.tuples(st.integers(-9999, 9999), st.integers(-9999, 9999)), min_size=1, max_size=12),
    st.sampled_from([Grid(2), Grid(None)]),
    st.sets(st.sampled_from(NAMES), min_size=1),
    st.sampled_from([1e-160, 1e-8, 1.0, 1e5, 1e12, 1e150]),
)
def test_rules_computed_in_doubles_never_lose_a_record(
    cents: list[tuple[int, int]], grid: Grid, masked: set[str], unit: float
) -> None:
    """C is the rounded sum and D the rounded product: exact equality is false, the rule in doubles is true."""
    parts = np.array(cents) / 100 * unit
    a, b = parts.T
    values = np.column_stack((a, b, a + b, a * b))
    one = Fraction(1)
    total = LinearAtom((("A", one), ("B", one), ("C", -one)), "=", Fraction(0))
    area = ProductAtom((("A", 1), ("B", 1)), one, "=", (("D", 1),), one)
    sign = AnyOf((LinearAtom((("A", one),), ">=", Fraction(0)), LinearAtom((("A", one),), "<", Fraction(0))))
    bound = LinearAtom((("B", one),), "<=", Fraction(float(b.max())))
    rules = [rule_of(f"r{i}", f) for i, f in enumerate((total, area, sign, bound))]
    alone, both, pair = derive(values, rules, masked, grid, 3)
    assert_enclosed(alone, pair)
    assert_enclosed(both, pair)


@settings(max_examples=draws(20))
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 5))
def test_shares_of_a_total_in_groups(seed: int, records: int, size: int) -> None:
    """The usual file: non-negative parts, a masked total, an order, skewed numbers; more is bounded with the means."""
    draw = np.random.default_rng(seed)
    a, b = np.round(draw.lognormal(5, 2, (2, records)))
    values = np.column_stack((a, b, a + b, np.floor(a / 3)))
    one, zero = Fraction(1), Fraction(0)
    formulas = (
        LinearAtom((("C", one), ("A", -one), ("B", -one)), "=", zero),
        AllOf((LinearAtom((("A", one),), ">=", zero), LinearAtom((("B", one),), ">=", zero))),
        AllOf((LinearAtom((("D", one), ("A", -one)), "<=", zero), LinearAtom((("D", one),), ">=", zero))),
    )
    rules = [rule_of(f"r{i}", f) for i, f in enumerate(formulas)]
    alone, both, pair = derive(values, rules, {"A", "C", "D"}, Grid(0), size)
    assert_enclosed(alone, pair)
    assert_enclosed(both, pair)
    assert (both.lo >= alone.lo).all()
    assert (both.hi <= alone.hi).all()
    assert (alone.of("C")[0] == b).all()  # A >= 0 and B released: the total is at least B
    assert np.isfinite(both.of("C")[1]).all()  # with means of non-negative numbers everything is bounded
