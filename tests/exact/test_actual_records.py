"""Numbers are found among those of the original records, by whichever way is quicker."""

import numpy as np
import pytest

from constraint_sdc.exact.actual_records import _found, _numbers_ranked

DRAWN = np.random.default_rng(3)

VALUES = {
    "whole numbers": DRAWN.integers(-300, 900, 5_000).astype(np.float64),
    "whole numbers far apart": DRAWN.integers(0, 10**9, 5_000).astype(np.float64),
    "halves": DRAWN.integers(0, 900, 5_000) + 0.5,
    "decimals": np.round(DRAWN.normal(size=5_000), 2),
    "zeros": np.where(DRAWN.random(5_000) < 0.5, 0.0, -0.0),
    "large": DRAWN.integers(0, 900, 5_000) + 2.0**60,
    "one": np.array([4.0]),
    "none": np.zeros(0),
}


@pytest.mark.parametrize("kind", VALUES)
def test_numbers_are_ranked_as_by_sorting(kind: str) -> None:
    values = VALUES[kind]
    different, place = np.unique(values, return_inverse=True)
    assert [found.tolist() for found in _numbers_ranked(values)] == [different.tolist(), place.ravel().tolist()]


@pytest.mark.parametrize("asked", [40, 20_000])
def test_numbers_are_found_or_not_in_a_sorted_array(asked: int) -> None:
    known = np.unique(DRAWN.integers(0, 5_000, 2_000))
    sought = DRAWN.integers(-10, 5_010, asked)
    places = {number: place for place, number in enumerate(known.tolist())}
    assert _found(known, sought).tolist() == [places.get(number, -1) for number in sought.tolist()]
    assert _found(known[:0], sought).tolist() == [-1] * asked
