"""Stable orders are those of NumPy's stable sort, whatever the numbers."""

import numpy as np
import pytest

from constraint_sdc.data.ordering import first_of_each, ranked, stable_order

MANY = 3_000


def numbers(kind: str) -> np.ndarray:
    random = np.random.default_rng(7)
    match kind:
        case "few groups":
            return random.integers(0, 9, MANY)
        case "all different":
            return random.permutation(MANY)
        case "short":
            return random.integers(0, 400, MANY).astype(np.int32)
        case "negative":
            return random.integers(-50, 50, MANY)
        case "far below zero":
            return random.integers(0, 50, MANY) - 2**62 * random.integers(0, 2, MANY)
        case "beyond the room for places":
            return random.integers(0, 5, MANY) + 2**61
        case "all bits":
            return random.integers(0, 2**64, MANY, dtype=np.uint64)
        case "all bits, equal ones":
            return random.choice(random.integers(0, 2**64, 40, dtype=np.uint64), MANY)
        case "doubles":
            return random.normal(size=MANY)
        case "equal doubles":
            return np.round(random.normal(size=MANY), 1) * random.choice([1.0, -1.0], MANY)  # with 0 and -0
        case "no numbers among them":
            return np.where(random.random(MANY) < 0.1, np.nan, random.normal(size=MANY))
        case "none":
            return np.zeros(0, np.int64)
        case _:
            return random.integers(0, 3, 7)


KINDS = [
    "few groups",
    "all different",
    "short",
    "negative",
    "far below zero",
    "beyond the room for places",
    "all bits",
    "all bits, equal ones",
    "doubles",
    "equal doubles",
    "no numbers among them",
    "none",
    "a handful",
]


@pytest.mark.parametrize("kind", KINDS)
def test_order_is_that_of_the_stable_sort(kind: str) -> None:
    values = numbers(kind)
    found = stable_order(values)
    assert found.dtype == np.int64
    assert found.tolist() == np.argsort(values, kind="stable").tolist()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "no numbers among them"])
def test_ranks_and_first_places_are_those_of_unique(kind: str) -> None:
    values = numbers(kind)
    different, first, rank = np.unique(values, return_index=True, return_inverse=True)
    assert [one.tolist() for one in ranked(values)] == [different.tolist(), rank.ravel().tolist()]
    if values.dtype.kind in "iu":
        assert [one.tolist() for one in first_of_each(values)] == [different.tolist(), first.tolist()]
