"""Random groups: drawn by the seed, as small as possible, and blind to the data."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.random_groups import RandomGroups


def drawn(n: int, k: int, seed: int) -> list[int]:
    return list(RandomGroups().partition(Cloud(np.zeros((n, 1))), k, seed).tolist())


@pytest.mark.parametrize(("n", "k"), [(10, 5), (14, 5), (29, 10), (101, 3)])
def test_there_are_as_many_groups_as_can_be_and_the_rest_is_spread(n: int, k: int) -> None:
    sizes = np.bincount(drawn(n, k, seed=4))
    assert len(sizes) == n // k
    assert sizes.max() - sizes.min() <= 1


def test_another_seed_draws_other_groups() -> None:
    assert drawn(40, 3, seed=1) != drawn(40, 3, seed=2)


def test_the_data_do_not_matter() -> None:
    points = np.random.default_rng(0).normal(size=(40, 2))
    assert RandomGroups().partition(Cloud(points), 3, 9).tolist() == drawn(40, 3, seed=9)


def test_every_two_records_meet_equally_often() -> None:
    """Twelve records in groups of 3: any two are together with probability 2/11; 5 standard deviations of play."""
    draws = 2000
    together = np.zeros((12, 12))
    for seed in range(draws):
        labels = np.array(drawn(12, 3, seed))
        together += labels[:, None] == labels
    met = together[np.triu_indices(12, 1)] / draws
    assert np.abs(met - 2 / 11).max() < 5 * np.sqrt(2 / 11 * 9 / 11 / draws)


def test_closeness_is_worth_something() -> None:
    cloud = Cloud(np.random.default_rng(1).normal(size=(200, 2)))
    assert sse(cloud, RandomGroups().partition(cloud, 3, 1)) > 10 * sse(cloud, Mdav().partition(cloud, 3, 1))
