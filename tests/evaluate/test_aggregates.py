"""Aggregates over many records at once are those of each record alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from constraint_sdc.evaluate.aggregates import average, count, exists, highest, index_of, lowest, total
from constraint_sdc.evaluate.value import DoubleItem, ExactItem, NumberItem, Value

Number = float | Fraction
RECORDS = 40


@dataclass(frozen=True)
class Drawn:
    """A sequence of numbers as the evaluator holds it, and the numbers that each record has."""

    value: Value
    numbers: list[list[Number]]


def drawn(seed: int, kinds: str = "de") -> Drawn:
    """Draw up to four doubles (d) and exact numbers (e), each of them absent in some records or in none."""
    random = Random(seed)
    items: list[NumberItem] = []
    numbers: list[list[Number]] = [[] for _ in range(RECORDS)]
    for _ in range(random.randint(1, 4)):
        present = None if random.random() < 0.3 else np.array([random.random() < 0.6 for _ in range(RECORDS)])
        whole = np.array([random.randint(-9, 9) for _ in range(RECORDS)])
        scale = random.randint(0, 2)
        is_double = random.choice(kinds) == "d"
        items.append(DoubleItem(whole / 4, present) if is_double else ExactItem(whole, scale, present))
        for row in range(RECORDS):
            if present is None or present[row]:
                number = int(whole[row]) / 4 if is_double else Fraction(int(whole[row]), 10**scale)
                numbers[row].append(number)
    return Drawn(Value(tuple(items)), numbers)


def result(value: Value, row: int) -> list[Number]:
    """Return the items of one record, doubles as floats and exact numbers as fractions."""
    found: list[Number] = []
    for item in value.items:
        assert isinstance(item, DoubleItem | ExactItem)
        if item.present is None or np.broadcast_to(item.present, RECORDS)[row]:
            if isinstance(item, DoubleItem):
                found.append(float(np.broadcast_to(item.values, RECORDS)[row]))
            else:
                found.append(Fraction(int(np.broadcast_to(item.mantissa, RECORDS)[row]), 10**item.scale))
    return found


def added(numbers: list[Number]) -> list[Number]:
    """Exact until the first double, in doubles from there on."""
    so_far: Number = Fraction(0)
    for number in numbers:
        is_exact = isinstance(so_far, Fraction) and isinstance(number, Fraction)
        so_far = so_far + number if is_exact else float(so_far) + float(number)
    return [so_far]


def extreme(best: Callable[..., Number], numbers: list[Number]) -> list[Number]:
    if all(isinstance(number, Fraction) for number in numbers):
        return [best(numbers)] if numbers else []
    return [best(map(float, numbers))]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (total, added),
        (lowest, lambda numbers: extreme(min, numbers)),
        (highest, lambda numbers: extreme(max, numbers)),
        (count, lambda numbers: [Fraction(len(numbers))]),
    ],
)
def test_many_records_together_have_the_results_of_each_alone(
    function: Callable[[Value], Value], expected: Callable[[list[Number]], list[Number]]
) -> None:
    for seed in range(60):
        given = drawn(seed)
        found = function(given.value)
        assert found.doubt is None
        for row, numbers in enumerate(given.numbers):
            assert list(map(repr, result(found, row))) == list(map(repr, expected(numbers)))


def test_an_average_is_that_of_the_numbers_a_record_has() -> None:
    for seed in range(30):
        given = drawn(seed, kinds="d")
        found = average(given.value)
        for row, numbers in enumerate(given.numbers):
            assert result(found, row) == ([sum(numbers) / len(numbers)] if numbers else [])


def test_a_number_is_found_at_its_positions_among_those_of_its_record() -> None:
    for seed in range(30):
        given = drawn(seed)
        found = index_of(given.value, Value((ExactItem(np.array([2]), 0),)))
        for row, numbers in enumerate(given.numbers):
            assert result(found, row) == [place for place, number in enumerate(numbers, start=1) if number == 2]


@pytest.mark.parametrize("negated", [False, True])
def test_a_record_without_numbers_has_none_and_only_such_a_one(negated: bool) -> None:
    for seed in range(10):
        given = drawn(seed)
        (item,) = exists(given.value, negated=negated).items
        truth = np.broadcast_to(item.truth, RECORDS).tolist()  # type: ignore[union-attr]
        assert truth == [(not numbers) is negated for numbers in given.numbers]
