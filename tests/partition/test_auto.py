"""`auto` says what it picks and why, and does that; `rim` forms its large groups as its small ones."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.cloud import Axis, Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods import rim
from constraint_sdc.partition.methods.auto import Auto
from constraint_sdc.partition.methods.k_modes import KModes
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate
from constraint_sdc.partition.methods.random_groups import RandomGroups
from constraint_sdc.partition.methods.rim import Rim
from constraint_sdc.partition.partitioner import Partitioner
from constraint_sdc.partition.registry import Refined, for_stratum
from constraint_sdc.partition.search.refine import BEST, FAST, Effort
from constraint_sdc.settings.reason import because
from constraint_sdc.settings.words import Scale

SHORT = Effort("short", 0.02)


def numbers(n: int, d: int = 3, seed: int = 1) -> Cloud:
    return Cloud(np.random.default_rng(seed).normal(size=(n, d)))


def copies(n: int) -> Cloud:
    return Cloud(np.repeat(numbers(n // 20 + 1).points, 20, axis=0)[:n])


def categories(n: int) -> Cloud:
    codes = np.random.default_rng(0).integers(0, 3, n)
    return Cloud(np.eye(3)[codes] * np.sqrt(0.5), (Axis("region", Scale.NOMINAL, 0, 3),))


def test_one_variable_gets_the_optimum() -> None:
    cloud = Cloud(np.hstack((np.full((50, 1), 3.0), numbers(50, 1).points)))
    assert Auto().choose(cloud, 3).partition == "optimal-univariate"
    assert Auto(SHORT).partition(cloud, 3, 0).tolist() == OptimalUnivariate().partition(cloud, 3, 0).tolist()


def test_weighted_records_of_one_variable_are_searched_because_the_optimum_is_for_equal_ones() -> None:
    cloud = Cloud(numbers(50, 1).points, weights=np.arange(1.0, 51.0))
    assert Auto().choose(cloud, 3).partition == "mdav+refine"


def test_equal_weights_are_none() -> None:
    assert Auto().choose(Cloud(numbers(50, 1).points, weights=np.full(50, 2.5)), 3).partition == "optimal-univariate"


def test_categories_alone_are_for_k_modes() -> None:
    assert Auto().choose(categories(40), 3).partition == "k-modes"
    assert Auto(SHORT).partition(categories(40), 3, 0).tolist() == KModes().partition(categories(40), 3, 0).tolist()


def test_small_files_start_from_mdav_and_large_ones_do_not() -> None:
    assert Auto().choose(numbers(1_000), 3).partition == "mdav+refine"
    choice = Auto().choose(numbers(200_000), 3)
    assert choice.partition == "rim+refine"
    assert choice.why == because("search-needs-time", records=200_000, effort="default")


def test_more_time_allows_mdav_on_larger_files() -> None:
    cloud = numbers(20_000)
    assert Auto(FAST).choose(cloud, 3).partition == "rim+refine"
    assert Auto(BEST).choose(cloud, 3).partition == "mdav+refine"


def test_lists_of_hundreds_of_neighbours_are_not_made() -> None:
    assert Auto().choose(numbers(50_000), 200).partition == "mdav+refine"
    cloud = numbers(300)
    assert Rim().partition(cloud, 100, 0).tolist() == Mdav().partition(cloud, 100, 0).tolist()


@pytest.mark.parametrize("n", [2, 3, 7, 200])
def test_it_does_what_it_says(n: int) -> None:
    cloud = numbers(n)
    expected = Refined(Mdav(), SHORT).partition(cloud, 2, 3)
    assert Auto(SHORT).partition(cloud, 2, 3).tolist() == expected.tolist()


def test_a_start_that_refuses_the_cloud_is_not_refined() -> None:
    with pytest.raises(UsageError, match="one variable"):
        Refined(OptimalUnivariate(), SHORT).partition(numbers(20), 3, 0)


def test_a_small_stratum_of_a_large_block_gets_the_effort_of_its_share_and_loses_little() -> None:
    whole, part = 10_000, numbers(200)
    method = Auto(Effort("some", 0.2, chains=2, rounds=1, sweeps_a_record=10))
    less = for_stratum(method, 100, whole)
    assert isinstance(less, Auto)
    assert less.effort == Effort("some", 0.1, chains=2, rounds=1, sweeps_a_record=5)
    lost, lost_less = (sse(part, one.partition(part, 3, 1)) for one in (method, less))
    assert lost_less < 1.02 * lost
    assert lost_less < 0.97 * sse(part, Mdav().partition(part, 3, 1))


@pytest.mark.parametrize(
    ("method", "records", "of_records"),
    [(Auto(), 200, 10_000), (Auto(), 10, 5_000), (Refined(Mdav(), FAST), 9_000, 9_000), (Mdav(), 10, 10_000)],
)
def test_strata_of_a_size_blocks_of_a_few_records_and_methods_without_a_search_stay_as_they_are(
    method: Partitioner, records: int, of_records: int
) -> None:
    assert for_stratum(method, records, of_records) is method


def test_a_refined_method_gets_less_effort_too() -> None:
    less = for_stratum(Refined(Mdav(), FAST), 30, 10_000)
    assert isinstance(less, Refined)
    assert (less.start.name, less.effort.seconds) == ("mdav", pytest.approx(0.15 * FAST.seconds))


def test_rim_comes_near_mdav() -> None:
    cloud = numbers(3_000, 5)
    lost = {method.name: sse(cloud, method.partition(cloud, 3, 0)) for method in (Rim(), Mdav(), RandomGroups())}
    assert lost["rim"] < 1.1 * lost["mdav"] < 0.5 * lost["random"]


def test_rim_compiled_is_rim_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = numbers(2_500, 3)
    plain = Rim().partition(cloud, 4, 0)
    monkeypatch.setattr(rim, "COMPILED_ABOVE", 10)
    assert Rim().partition(cloud, 4, 0).tolist() == plain.tolist()


@pytest.mark.parametrize("left_to_mdav", [0, 50, 10_000])
@pytest.mark.parametrize("n", [60, 61, 62, 200])
def test_rim_leaves_nobody_out(left_to_mdav: int, n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rim, "_LEFT_TO_MDAV", left_to_mdav)
    for cloud in (
        numbers(n, 2),
        Cloud(np.zeros((n, 2))),
        Cloud(np.repeat(numbers(n // 20 + 1).points, 20, axis=0)[:n]),
    ):
        sizes = np.bincount(Rim().partition(cloud, 4, 0))
        assert sizes.min() >= 4
        assert sizes.max() <= 7
        assert sizes.sum() == n
