"""Interval arithmetic against exact fractions, and single conditions against all whole numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from constraint_sdc.measures.attacks.rule_inference import value_bounds as rounded
from constraint_sdc.measures.attacks.rule_inference.comparison_bounds import SumWithin
from constraint_sdc.measures.attacks.rule_inference.intervals import class_means, infer_intervals, shared_rows
from constraint_sdc.measures.attacks.rule_inference.narrowing import Scene, usable_rules
from constraint_sdc.measures.attacks.rule_inference.value_bounds import (
    Box,
    ValueLattice,
    lattice_of_remainder,
    onto,
    onto_list,
    past,
)
from tests.measures.attacks.edit_rules import written_rules

ends = st.floats(-1e200, 1e200, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100) | st.sampled_from(
    [-math.inf, math.inf, 0.0, 1.0, -1.0, 0.1]
)
intervals = st.tuples(ends, ends).map(sorted).filter(lambda e: e[0] < math.inf and e[1] > -math.inf)


def arrays(interval: list[float]) -> rounded.Bounds:
    return np.array([interval[0]]), np.array([interval[1]])


def points(interval: list[float]) -> list[Fraction]:
    """Return exact numbers in an interval: its ends, zero and numbers within."""
    low, high = (min(max(end, -1e210), 1e210) for end in interval)
    inner = [low, high, min(max(0.0, low), high), low / 2 + high / 2]
    return [Fraction(x) for x in inner if interval[0] <= x <= interval[1]]


@settings(max_examples=150)
@given(intervals, intervals, ends.filter(lambda x: math.isfinite(x) and x != 0), st.integers(1, 3))
@example([-math.inf, -5.643803094122362e102], [0.0, 0.0], 1.0, 3)
@example([5.643803094122362e102, math.inf], [0.0, 0.0], 1.0, 3)
def test_no_exact_result_is_lost(a: list[float], b: list[float], factor: float, exponent: int) -> None:
    results = {
        "add": (rounded.add(arrays(a), arrays(b)), lambda x, y: x + y),
        "subtract": (rounded.subtract(arrays(a), arrays(b)), lambda x, y: x - y),
        "multiply": (rounded.multiply(arrays(a), arrays(b)), lambda x, y: x * y),
        "divide": (rounded.divide(arrays(a), arrays(b)), lambda x, y: x / y if y else None),
        "scale": (rounded.scale(arrays(a), factor), lambda x, _: x * Fraction(factor)),
        "shrink": (rounded.shrink(arrays(a), factor), lambda x, _: x / Fraction(factor)),
        "power": (rounded.power(arrays(a), exponent), lambda x, _: x**exponent),
        "widen": (rounded.widen(arrays(a), 2.0**-50), lambda x, _: x * (1 + Fraction(1, 2**50))),
    }
    for name, ((low, high), exact) in results.items():
        for x in points(a):
            for y in points(b):
                result = exact(x, y)
                assert result is None or low[0] <= result <= high[0], name


@settings(max_examples=100)
@given(st.floats(-1e60, 1e60), intervals, st.integers(1, 5))
def test_a_root_is_never_lost(x: float, around: list[float], exponent: int) -> None:
    """Whatever box x lies in, x is among the roots of its own power."""
    box = arrays([min(around[0], x), max(around[1], x)])
    point = np.array([x])
    (low, high), exists = rounded.root(rounded.power((point, point), exponent), exponent, box)
    assert exists.all()
    assert low[0] <= x <= high[0]


def test_an_even_root_keeps_the_side_that_is_known() -> None:
    four = np.array([4.0, 4.0, 4.0])
    (low, high), _ = rounded.root((four, four), 2, (np.array([0.0, -9.0, -9.0]), np.array([9.0, 0.0, 9.0])))
    assert np.round(low, 9).tolist() == [2, -2, -2]
    assert np.round(high, 9).tolist() == [2, -2, 2]


def test_a_negative_number_has_no_square_root() -> None:
    _, exists = rounded.root(arrays([-2.0, -1.0]), 2, arrays([-math.inf, math.inf]))
    assert not exists.any()


lattices = st.builds(ValueLattice, st.integers(1, 7), st.sampled_from([1, 2, 3, 10, 100]), st.integers(-5, 5))


@settings(max_examples=100)
@given(lattices, st.floats(-50, 50), st.floats(0, 5))
def test_bounds_drawn_in_to_a_lattice(lattice: ValueLattice, low: float, width: float) -> None:
    numbers = [(lattice.offset + i * lattice.step) / lattice.divisor for i in range(-6000, 6000)]
    inside = [x for x in numbers if low <= x <= low + width]
    (new_low, new_high), is_left = onto(lattice, (np.array([low]), np.array([low + width])))
    assert is_left[0] == bool(inside)
    assert [new_low[0], new_high[0]] == ([inside[0], inside[-1]] if inside else [low, low + width])


def test_what_can_be_counted_hangs_on_the_numerators_not_on_how_many_there_are() -> None:
    """Multiples of 1,000 between numbers of 17 digits: their indices are below 2**50, they themselves are not."""
    low, high = np.array([-4e16 - 8.0, 7.0, 3e16 + 4.0]), np.array([-3e16 - 4.0, 2e15 + 8.0, 4e16 + 8.0])
    (new_low, new_high), is_left = onto(ValueLattice(1000), (low, high))
    assert new_low.tolist() == [-4e16 - 8.0, 1000.0, 3e16 + 4.0]
    assert new_high.tolist() == [-3e16 - 4.0, 2e15 + 8.0, 4e16 + 8.0]
    assert is_left.all()


def test_a_lattice_leaves_alone_what_it_cannot_count() -> None:
    bounds = np.array([-np.inf, 1e300, -1e17]), np.array([np.inf, 2e300, 1e17])
    (low, high), is_left = onto(ValueLattice(1), bounds)
    assert is_left.all()
    assert (low == bounds[0]).all()
    assert (high == bounds[1]).all()


def test_remainders() -> None:
    lattice = lattice_of_remainder(Fraction(3, 2), Fraction(1, 2))
    assert lattice is not None
    assert lattice.holds(np.array([0.5, 2.0, 3.5, -1.0, 0.0, 1.0])).tolist() == [True] * 4 + [False] * 2
    assert lattice_of_remainder(Fraction(1, 10**40), Fraction(0)) is None


def test_lists_draw_in_to_the_nearest_value() -> None:
    (low, high), is_left = onto_list(np.array([1.0, 5.0, 20.0]), (np.array([2.0, 6.0, -np.inf]), np.array([9, 19, 1])))
    assert is_left.tolist() == [True, False, True]
    assert low.tolist() == [5, 6, 1]
    assert high.tolist() == [5, 19, 1]


def test_forbidden_values_move_whole_numbers_on() -> None:
    bounds = np.array([0.0, 2.0, 0.0]), np.array([3.0, 2.0, 1.0])
    (low, high), is_left = past([0.0, 1.0, 2.0], bounds, ValueLattice(1))
    assert is_left.tolist() == [True, False, False]
    assert (low[0], high[0]) == (3, 3)
    (low, _), is_left = past([0.0, 1.0, 2.0], bounds, None)
    assert is_left.tolist() == [True, False, True]
    assert low[0] == 0


def test_a_forbidden_bound_moves_to_the_next_whole_number_inside() -> None:
    (low, high), is_left = past([-5.0, 2.0], (np.array([-5.0]), np.array([2.0])), ValueLattice(1))
    assert (low.tolist(), high.tolist(), is_left.tolist()) == ([-4.0], [1.0], [True])


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9), st.integers(0, 9)), min_size=1, max_size=12))
def test_class_means_against_the_slow_formula(rows: list[tuple[int, int, int]]) -> None:
    """A value is s * c less the others: highest when the others are lowest."""
    label, value, extra = (np.array(column) for column in zip(*rows, strict=True))
    _, label = np.unique(label, return_inverse=True)
    low, high = value - extra.astype(float), value + 2.0 * extra
    low[extra == 9], high[extra == 8] = -np.inf, np.inf
    mean = np.array([value[label == label[i]].mean() for i in range(len(value))])
    known = class_means("X", label, value.astype(float), mean)
    assert known is not None
    assert known.slack < 1e-12
    found_low, found_high = known.narrow((low, high))
    for i in range(len(value)):
        others = [j for j in range(len(value)) if label[j] == label[i] and j != i]
        total = value[label == label[i]].sum()
        assert found_high[i] == pytest.approx(total - sum(low[j] for j in others), abs=1e-9)
        assert found_low[i] == pytest.approx(total - sum(high[j] for j in others), abs=1e-9)
        assert found_low[i] <= value[i] <= found_high[i]


def test_records_that_share_a_row() -> None:
    label = shared_rows([np.array([5, 5, 7, 5]), np.array([1, 2, 1, 1])])
    assert label[0] == label[3]
    assert len(set(label.tolist())) == 3


@pytest.mark.parametrize(
    ("test", "x", "interval"),
    [
        ("number(X) < 5", 0, (-10, 4)),
        ("number(X) > 5", 7, (6, 10)),
        ("number(X) != 10", 0, (-10, 9)),
        ("2 * number(X) + 3 <= 10", 0, (-10, 3)),
        ("number(X) - number(A) < 0", 0, (-10, 3)),
        ("3 * number(X) = number(A) + 11", 5, (5, 5)),
        ("number(X) * number(X) <= 17", 0, (-4, 4)),
        ("number(X) * number(X) * number(X) >= 20", 3, (3, 10)),
        ("number(X) * number(A) >= 13", 5, (4, 10)),
        ("number(A) * number(X) = number(X) + 9", 3, (3, 3)),
        ("abs(number(X) - number(A)) <= 2", 4, (2, 6)),
        ("number(X) mod 5 = 0", 0, (-10, 10)),
        ("number(X) = (2, 3, 99)", 2, (2, 3)),
        ("number(X) = 2 or number(X) = 5", 2, (2, 5)),
        ("number(A) = 5 or number(X) = 5", 5, (5, 5)),
        ("number(A) = 9 or (number(X) > 1 and number(X) < 4)", 2, (2, 3)),
        ("number(A) + number(X) != 7 or number(X) <= 8", 3, (-10, 10)),
        ("2 * number(A) != 8 or number(X) = 5", 5, (5, 5)),
        ("number(A) * number(A) != 16.4 or number(X) = 5", 0, (-10, 10)),
        ("matches(A, '^9') or number(X) = 5", 0, (-10, 10)),
        ("matches(A, '^4') and number(X) = 5", 5, (5, 5)),
        ("not(A) or number(X) = 5", 5, (5, 5)),
    ],
)
def test_one_rule_on_whole_numbers(tmp_path: Path, test: str, x: float, interval: tuple[int, int]) -> None:
    """A is 4 and released; X is whole, lies between -10 and 10, and is known to nobody."""
    rules = written_rules(tmp_path, test, "number(X) >= -10 and number(X) <= 10")
    whole = {"A": ValueLattice(1), "X": ValueLattice(1)}
    four, lowest = np.array([4.0]), np.array([-np.inf])
    scene = Scene(frozenset("AX"), frozenset("AX"), whole, {})
    usable = usable_rules(rules, scene, {"A": four, "X": np.array([x])}, dict.fromkeys("AX", four > 0))
    assert not usable.broken
    found = infer_intervals(Box({"A": (four, four), "X": (lowest, -lowest)}, 1, whole), usable.rules)
    assert (found.of("X")[0][0], found.of("X")[1][0]) == interval
    assert found.is_final


def test_what_the_rule_may_round_is_allowed_for() -> None:
    """If 1% may be lost on each term, A + 0 = 10 allows every A from 10 / 1.01 to 10 / 0.99."""
    total = SumWithin((((("A", 1),), 1.0), ((("B", 1),), 1.0)), 10.0, 10.0, 0.01)
    found = total.narrow(Box({"A": arrays([-math.inf, math.inf]), "B": arrays([0.0, 0.0])}, 1)).box.columns["A"]
    assert found[0][0] <= 10 / 1.01
    assert 10 / 0.99 <= found[1][0] < 10.5


def test_the_search_ends_after_its_rounds(tmp_path: Path) -> None:
    """X >= (Y + 1) / 2 and Y >= X / 2 together mean X >= 2/3; each round comes nearer, by a quarter of what is left."""
    rules = written_rules(tmp_path, "2 * number(X) >= number(Y) + 1", "2 * number(Y) >= number(X)", "number(X) >= 0")
    one = np.array([1.0])
    scene = Scene(frozenset("XY"), frozenset("XY"), {}, {})
    usable = usable_rules(rules, scene, {"X": one, "Y": one}, dict.fromkeys("XY", one > 0))
    nowhere = Box(dict.fromkeys("XY", (-np.inf * one, np.inf * one)), 1)
    few, many = (infer_intervals(nowhere, usable.rules, rounds=rounds) for rounds in (3, 50))
    assert not few.is_final
    assert many.is_final
    assert few.of("X")[0][0] < many.of("X")[0][0] == pytest.approx(2 / 3)
