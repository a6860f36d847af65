"""Random columns of known kinds: nothing is called certain that is not, and most measurements are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from constraint_sdc.data.table import column_of
from constraint_sdc.evidence.looks import looks
from tests.draws import IS_EXPLORING, draws
from tests.evidence.columns import MEASUREMENTS, NOT_CERTAIN, Drawn, Rng

FIRST_SEED = int(np.random.SeedSequence().generate_state(1)[0]) if IS_EXPLORING else 0


def certain(draw: Callable[[Rng], Drawn], seed: int) -> bool:
    name, texts = draw(np.random.default_rng([FIRST_SEED, seed]))
    return looks(column_of(name, texts)).is_certain


@pytest.mark.parametrize("draw", NOT_CERTAIN, ids=lambda draw: draw.__name__)
def test_what_a_person_must_decide_is_never_certain(draw: Callable[[Rng], Drawn]) -> None:
    wrong = [seed for seed in range(draws(15)) if certain(draw, seed)]
    assert wrong == [], f"called certain with seeds [{FIRST_SEED}, ...]"


def test_most_measurements_are_certain() -> None:
    found = [certain(draw, seed) for draw in MEASUREMENTS for seed in range(draws(25))]
    assert np.mean(found) >= 0.95


def test_the_position_of_a_record_changes_nothing_but_signs_of_order() -> None:
    rng = np.random.default_rng(7)
    for draw in MEASUREMENTS:
        name, texts = draw(rng)
        shuffled = [texts[i] for i in rng.permutation(len(texts))]
        assert looks(column_of(name, texts)) == looks(column_of(name, shuffled))
