"""Dominance: groups whose total gives the largest member away, against the p% rule written out."""

from __future__ import annotations

import numpy as np
import pytest

from constraint_sdc.data.pair import MaskedTogether, Pair
from constraint_sdc.measures.attacks.dominance import DominanceAttack, dominated
from tests.measures.pairs import compared, group_means, pair_of


def exposed(values: np.ndarray, label: np.ndarray, p: float) -> int:
    """Return in how many groups the contributions of all but the two largest are below p% of the largest."""
    count = 0
    for group in np.unique(label):
        largest, _, *rest = sorted(values[label == group], reverse=True)
        count += sum(rest) <= p / 100 * largest
    return count


@pytest.mark.parametrize("seed", range(20))
def test_exact_means_are_exposed_by_the_p_percent_rule(seed: int) -> None:
    random = np.random.default_rng(seed)
    values, label = random.lognormal(3, 2, 60), np.arange(60) // 4
    found = dominated("V", label, values, group_means(values[:, None], label)[:, 0])
    for p in (1.0, 10.0, 50.0):
        assert found.exposed(p) == exposed(values, label, p)


def test_one_firm_is_given_away_by_size_times_mean() -> None:
    values = np.array([[100.0], [101], [102], [5_000_000], [70], [80]])
    pair = pair_of(values, group_means(values, np.array([0, 0, 0, 1, 1, 1])), ["Turnover"])
    found = DominanceAttack().measure(pair)
    assert (found.value("groups-exposed"), found.value("groups-exposed-to-all"), found.value("groups")) == (1, 1, 2)
    assert found.value("nearest") == pytest.approx(0.003)
    assert found.tables[0].rows == (("Turnover", 2, 1, 1),)


def test_noise_protects_and_the_attack_sees_it() -> None:
    values = np.array([[5_000_000.0], [70], [80]])
    found = DominanceAttack().measure(pair_of(values, np.full((3, 1), 2_000_000.0)))
    assert found.value("groups-exposed") == 0


def test_p_is_a_parameter() -> None:
    values = np.array([[100.0], [20], [10], [5]])
    pair = pair_of(values, np.full((4, 1), values.mean()))
    assert [DominanceAttack(p).measure(pair).value("exposed") for p in (10.0, 15.0)] == [0.0, 100.0]


def test_without_groups_it_is_not_run() -> None:
    town = compared("V", [1.0, 2.0], [1.0, 2.0])
    for pair in (Pair((town,), ()), Pair((town,), (), (MaskedTogether(("V",)),))):
        found = DominanceAttack().measure(pair)
        assert found.figures[0].value is None
        assert str(found.says) == "not-run(why=no-groups-of-numbers)"
