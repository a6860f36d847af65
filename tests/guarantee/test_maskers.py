"""The promise of every masker: rules that held hold after, on the bytes that were written, or nothing is published."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from constraint_sdc.exam.guarantee.exam import run_case
from constraint_sdc.exam.guarantee.generator import make_case
from constraint_sdc.exam.guarantee.maskers import MASKERS, with_masker
from constraint_sdc.maskers.registry import MASKERS as REGISTERED

DEAR = frozenset((303, 304, 305, 306, 307, 313, 320, 324))
"""Seeds that together cost twice as much time as the other 20; `make guarantee` has them."""

SEEDS = [seed for seed in range(300, 328) if seed not in DEAR]
BATCHES, SIZE = 2, 10
SECOND_FORMS = frozenset({"reshaped signals"})  # a masker that has its own cases already gets half as many
drawn = cache(make_case)  # every masker has the same cases
MOST_REFUSED = 0.2  # a file of a few records is too small for a cluster of one record more than it has variables


@pytest.mark.parametrize(
    ("name", "batch"), [(name, batch) for name in MASKERS for batch in range(1 if name in SECOND_FORMS else BATCHES)]
)
def test_random_rules_survive_every_masker(name: str, batch: int, tmp_path: Path) -> None:
    seeds = SEEDS[batch * SIZE : (batch + 1) * SIZE]
    outcomes = [run_case(with_masker(drawn(seed), name), tmp_path / str(seed), advise=False) for seed in seeds]
    assert [outcome.story() for outcome in outcomes if outcome.faults] == []
    refused = [outcome.refusal for outcome in outcomes if outcome.refusal]
    assert len(refused) <= MOST_REFUSED * SIZE, refused


def test_every_masker_is_among_them() -> None:
    """Microaggregation has a test of its own, and under partitions that one leaves out."""
    assert len(SEEDS) == BATCHES * SIZE
    assert set(REGISTERED.own_names) - {"microaggregation"} <= set(MASKERS)


@pytest.mark.parametrize("name", REGISTERED.own_names)
def test_a_case_of_a_masker_asks_for_that_masker(name: str) -> None:
    recipe = yaml.safe_load(with_masker(make_case(SEEDS[0]), name).recipe or "")
    assert recipe["mask"]["masker"] == name
