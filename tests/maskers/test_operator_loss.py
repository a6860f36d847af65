"""Product blocks are searched in the geometry of their operator: groups lose less by their geometric means."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.maskers.microaggregation.operator_loss import geometric_loss, lower_geometric_loss
from constraint_sdc.partition.methods.mdav import Mdav
from tests.maskers.extract import columns, extract, the_block

PRODUCT = {"product": "number(A) * number(B) = number(P)"}


def skewed(n: int, seed: int, columns: int = 2) -> Points:
    return np.random.default_rng(seed).lognormal(0.0, 1.0, (n, columns))


def textbook_loss(values: Points, labels: Labels) -> float:
    """Square by square, group by group."""
    total = 0.0
    for group in set(labels.tolist()):
        members = values[labels == group]
        means = members.prod(axis=0) ** (1 / len(members))
        total += float(((members - means) ** 2).sum())
    return total


def exchanges(labels: Labels, k: int) -> list[Labels]:
    """Return every partition that one move or one swap makes of this one."""
    found = []
    size = np.bincount(labels)
    for x, z in product(range(len(labels)), range(len(labels))):
        if labels[x] < labels[z]:
            swapped = labels.copy()
            swapped[[x, z]] = swapped[[z, x]]
            found.append(swapped)
    for x, other in product(range(len(labels)), range(len(size))):
        if other != labels[x] and size[labels[x]] > k and size[other] < 2 * k - 1:
            moved = labels.copy()
            moved[x] = other
            found.append(moved)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_no_exchange_of_two_records_gains_anything_worthwhile_afterwards(seed: int) -> None:
    k = 2 + seed % 2
    values = skewed(9, seed)
    start = Mdav().partition(Cloud(values), k, 0)
    found = lower_geometric_loss(values, None, start, k, 0)
    assert np.bincount(found).min() >= k
    assert np.bincount(found).max() < 2 * k
    before, after = textbook_loss(values, start), textbook_loss(values, found)
    assert after <= before
    assert min(textbook_loss(values, other) for other in exchanges(found, k)) > after - 1e-3 * before - 1e-12


def test_groups_far_from_the_best_are_improved() -> None:
    values = skewed(60, 1)
    start = np.arange(60, dtype=np.int64) % 12
    found = lower_geometric_loss(values, None, start, 5, 0)
    assert textbook_loss(values, found) < 0.5 * textbook_loss(values, start)


def test_a_gain_below_one_in_a_thousand_leaves_the_groups_alone() -> None:
    values = np.repeat(skewed(4, 3), 3, axis=0)
    values[0] *= 1 + 1e-9
    start = np.repeat(np.arange(4), 3)
    assert lower_geometric_loss(values, None, start, 3, 0) is start


def test_a_weight_of_two_counts_like_two_records() -> None:
    values = skewed(8, 5)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    weights = np.array([2.0, 1, 1, 1, 1, 1, 1, 2])
    twice = [0, 0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert geometric_loss(values, weights, labels) == pytest.approx(textbook_loss(values[twice], labels[twice]))


def products(seed: int) -> list[dict[str, str]]:
    rng = np.random.default_rng(seed)
    a, b = (np.rint(rng.lognormal(4.0, 1.2, 80)).astype(int) + 1 for _ in range(2))
    return columns(A=a.tolist(), B=b.tolist(), P=(a * b).tolist())


def test_a_product_block_loses_less_by_default_than_with_the_groups_of_the_search_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = extract(tmp_path, products(2), PRODUCT)
    by_operator = the_block(given.mask(8, partition="auto").plan, "A").price
    given.requires_all_rules()
    target = "constraint_sdc.maskers.microaggregation.operator_loss.lower_geometric_loss"
    monkeypatch.setattr(target, lambda *given: given[2])
    by_distance = the_block(given.plan(8, partition="auto"), "A").price
    assert by_operator is not None
    assert by_distance is not None
    assert by_operator.smallest >= 8
    assert by_operator.loss < by_distance.loss


def test_a_method_without_a_search_keeps_its_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> Labels:
        raise AssertionError("MDAV was asked for, and its groups are not MDAV's any longer")

    monkeypatch.setattr("constraint_sdc.maskers.microaggregation.operator_loss.lower_geometric_loss", refuse)
    given = extract(tmp_path, products(2), PRODUCT)
    given.mask(8, partition="mdav")
    given.requires_all_rules()
