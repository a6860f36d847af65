"""k-modes forms and reassigns as its slow version does, which counts every mismatch afresh after every change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.methods.k_modes import KModes, ModeGroups, form, reassign, whole_weights
from constraint_sdc.settings.words import Scale
from tests.partition.slow_categorical import (
    Record,
    Variable,
    all_partitions,
    centres,
    cloud_of,
    drawn,
    groups_of,
    labels_of,
    records_of,
    slow_groups,
    sum_of_distances,
)

Groups = list[list[int]]
Integers = npt.NDArray[np.int64]


def k_modes(variables: list[Variable], k: int) -> list[int]:
    labels: list[int] = KModes().partition(cloud_of(variables), k, seed=0).tolist()
    return labels


def some_categories(
    n: int, d: int, seed: int, *, levels: int = 3, missing: float = 0.0, weights: Sequence[float] = (1.0,)
) -> list[Variable]:
    return [
        drawn(Scale.NOMINAL, n, seed * 10 + j, levels=levels, missing=missing, weight=weights[j % len(weights)])
        for j in range(d)
    ]


class Slow:
    """The method in plain loops; weights are powers of two, so that sums are exact."""

    def __init__(self, variables: list[Variable], k: int) -> None:
        self.variables = variables
        self.records = records_of(variables)
        self.k = k
        self.known: dict[frozenset[int], float] = {}

    def labels(self) -> list[int]:
        distance, centre = sum_of_distances(self.variables, 2), centres(self.variables, has_means=False)
        groups = slow_groups(self.records, self.k, distance, centre)
        wanted = set(range(len(groups)))
        for _ in range(20):
            wanted = self.improve_records(groups, wanted) | self.take_apart(groups, wanted)
        return labels_of(self.divide_large([group for group in groups if group]))

    def loss(self, group: Sequence[int]) -> float:
        rows = frozenset(group)
        if rows not in self.known:
            weights = [variable.weight for variable in self.variables]
            self.known[rows] = mismatch([self.records[i] for i in rows], weights)
        return self.known[rows]

    def cost_of_joining(self, i: int, group: Sequence[int]) -> float:
        return self.loss([*group, i]) - self.loss(group) if group and i not in group else math.inf

    def nearest_groups(self, i: int, groups: Groups) -> list[int]:
        cost = [self.cost_of_joining(i, group) for group in groups]
        return [g for g in sorted(range(len(groups)), key=lambda g: (cost[g], g)) if cost[g] < math.inf]

    def improve_records(self, groups: Groups, wanted: set[int]) -> set[int]:
        changed: set[int] = set()
        for i in range(len(self.records)):
            own = next(g for g, group in enumerate(groups) if i in group)
            without = [x for x in groups[own] if x != i]
            gain = self.loss(groups[own]) - self.loss(without)
            if own not in wanted or gain == 0 or len(list(filter(None, groups))) == 1:
                continue
            near = self.nearest_groups(i, groups)
            choices = [(0.0, 2, 0, own)]  # staying; of equal choices, joining comes before swapping
            if len(groups[own]) > self.k:
                choices.append((self.cost_of_joining(i, groups[near[0]]) - gain, 0, 0, near[0]))
            for g in near[:30]:
                for partner in groups[g]:
                    there = [x for x in groups[g] if x != partner]
                    after = self.loss([*there, i]) + self.loss([*without, partner])
                    choices.append((after - self.loss(groups[g]) - self.loss(groups[own]), 1, partner, g))
            change, kind, partner, other = min(choices)
            if change < 0:
                swapped = {i, partner} if kind == 1 else {i}
                groups[own] = sorted(set(groups[own]) ^ swapped)
                groups[other] = sorted(set(groups[other]) ^ swapped)
                changed |= {own, other}
        return changed

    def take_apart(self, groups: Groups, wanted: set[int]) -> set[int]:
        changed: set[int] = set()
        for g in sorted(wanted):
            spread = [list(group) for group in groups]
            spread[g] = []
            joined = set()
            for i in groups[g]:
                near = self.nearest_groups(i, spread)
                if near:
                    spread[near[0]].append(i)
                    joined.add(near[0])
            if joined and sum(map(self.loss, spread)) < sum(map(self.loss, groups)):
                groups[:] = [sorted(group) for group in spread]
                changed |= joined
        return changed

    def divide_large(self, groups: Groups) -> Groups:
        divided, more = [], []
        for group in groups:
            if len(group) >= 2 * self.k:
                members = [self.records[i] for i in group]
                distance, centre = sum_of_distances(self.variables, 2), centres(self.variables, has_means=False)
                first, *others = slow_groups(members, self.k, distance, centre)
                divided.append([group[i] for i in first])
                more += [[group[i] for i in other] for other in others]
            else:
                divided.append(group)
        return divided + more


def mismatch(records: Sequence[Record], weights: Sequence[float]) -> float:
    """Return how many cells of the records are not the most frequent of their variable, weighted."""
    if not records:
        return 0.0
    most = [max(Counter(column).values()) for column in zip(*records, strict=True)]
    return sum(weight * (len(records) - m) for weight, m in zip(weights, most, strict=True))


def total(variables: list[Variable], labels: Sequence[int]) -> float:
    slow = Slow(variables, 1)
    return sum(slow.loss(group) for group in groups_of(labels))


@settings(max_examples=60)
@given(
    n=st.integers(2, 30),
    d=st.integers(1, 4),
    k=st.integers(2, 6),
    levels=st.integers(1, 5),
    missing=st.sampled_from([0.0, 0.2]),
    weights=st.sampled_from([(1.0,), (1.0, 2.0), (0.25, 4.0, 1.0)]),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_those_of_the_slow_version(
    n: int, d: int, k: int, levels: int, missing: float, weights: tuple[float, ...], seed: int
) -> None:
    variables = some_categories(max(n, k), d, seed, levels=levels, missing=missing, weights=weights)
    assert k_modes(variables, k) == Slow(variables, k).labels()


@pytest.mark.parametrize(("levels", "d"), [(2, 4), (6, 3)])
def test_a_file_of_many_groups_has_those_of_the_slow_version(levels: int, d: int) -> None:
    # Over thirty groups: partners for a swap are sought among the thirty nearest only.
    variables = some_categories(90, d, seed=levels, levels=levels)
    assert k_modes(variables, 2) == Slow(variables, 2).labels()


@settings(max_examples=40)
@given(n=st.integers(6, 60), d=st.integers(1, 5), k=st.integers(2, 5), seed=st.integers(0, 10**6))
def test_reassigning_never_raises_the_mismatch_nor_goes_below_k(n: int, d: int, k: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 4, (n, d))
    weights = whole_weights(random.random(d) + 0.1)
    start = random.permutation(np.arange(n) % max(1, n // k))
    end = reassign(codes, weights, start, k)
    assert np.bincount(end).min() >= k
    assert exact_mismatch(codes, weights, end) <= exact_mismatch(codes, weights, start)


def exact_mismatch(codes: Integers, weights: Integers, labels: Integers) -> int:
    lost = 0
    for group in range(labels.max() + 1):
        for column, weight in zip(codes[labels == group].T, weights, strict=True):
            lost += int(weight) * (len(column) - int(np.bincount(column).max()))
    return lost


@settings(max_examples=40)
@given(n=st.integers(4, 40), d=st.integers(1, 4), seed=st.integers(0, 10**6))
def test_the_books_are_right_after_any_moves(n: int, d: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (n, d))
    weights = random.integers(1, 5, d)
    groups = ModeGroups(codes, weights, np.arange(n) % 3)
    for record, group in zip(random.integers(0, n, 15).tolist(), random.integers(0, 3, 15).tolist(), strict=True):
        if groups.label[record] != group and groups.size[group]:
            groups.move(record, group)
    record = int(random.integers(0, n))
    own = int(groups.label[record])
    in_group = [np.flatnonzero(groups.label == g).tolist() for g in range(3)]

    def loss(rows: list[int]) -> float:
        return mismatch([tuple(row) for row in codes[rows].tolist()], weights.tolist())

    assert [groups.loss(g) for g in range(3)] == [loss(rows) for rows in in_group]
    assert groups.gain_of_leaving(record) == loss(in_group[own]) - loss([i for i in in_group[own] if i != record])
    costs = groups.costs_of_joining(record)
    for g in {0, 1, 2} - {own}:
        if in_group[g]:
            assert costs[g] == loss([*in_group[g], record]) - loss(in_group[g])
            stays = [x for x in in_group[own] if x != record]
            swapped = {y: loss([x for x in in_group[g] if x != y] + [record]) + loss([*stays, y]) for y in in_group[g]}
            best = min(swapped, key=lambda y: (swapped[y], y))
            assert groups.best_swap(record, [g]) == (swapped[best] - loss(in_group[g]) - loss(in_group[own]), best)


def test_passes_find_what_forming_has_missed() -> None:
    # Record 2 begins, all others are equally far from it, and the first in the file joins: records 0 and 1, which are
    # alike, come apart. A swap brings them together.
    variables = [Variable(Scale.NOMINAL, [0, 0, 1, None])]
    codes = np.array([[0], [0], [1], [2]])
    assert form(codes, np.array([1]), 2).tolist() == [0, 1, 0, 1]
    assert total(variables, [0, 1, 0, 1]) == 2
    assert total(variables, k_modes(variables, 2)) == 1


def test_records_alike_stay_together_where_there_are_k_or_more_of_each() -> None:
    kinds = [number for number in range(6) for _ in range(3 + number % 3)]
    shuffled = np.random.default_rng(1).permutation(kinds).tolist()
    variables = [Variable(Scale.NOMINAL, [kind % m for kind in shuffled]) for m in (6, 2, 3)]
    labels = k_modes(variables, 3)
    assert sorted(len({shuffled[i] for i in group}) for group in groups_of(labels)) == [1] * 6
    assert total(variables, labels) == 0


def test_the_mismatch_is_near_the_least_possible() -> None:
    lost = least = worst = 0.0
    for seed in range(30):
        variables = some_categories(7, 3, seed)
        every = [total(variables, labels_of(groups)) for groups in all_partitions(7, 2)]
        own = total(variables, k_modes(variables, 2))
        assert own >= min(every)
        lost, least, worst = lost + own, least + min(every), worst + max(every)
    assert lost <= 1.05 * least < 0.6 * worst


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 13, 20, 21, 42])
def test_every_record_is_in_one_group_of_k_to_2k_less_1(n: int, k: int) -> None:
    sizes = np.bincount(k_modes(some_categories(n, 2, seed=n, levels=2), k))
    assert sizes.sum() == n
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_k_of_one_leaves_every_record_alone() -> None:
    assert k_modes(some_categories(9, 2, seed=1), 1) == list(range(9))


@pytest.mark.parametrize("n", [4, 6, 7])
def test_fewer_than_2k_records_are_one_group(n: int) -> None:
    assert k_modes(some_categories(n, 2, seed=1), 4) == [0] * n


def test_records_of_a_single_category_are_grouped_in_file_order() -> None:
    assert k_modes([Variable(Scale.NOMINAL, [0] * 9)], 3) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert k_modes([Variable(Scale.NOMINAL, [None] * 9)], 3) == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_records_without_a_value_are_alike() -> None:
    kinds = [0, None, 1, None, 0, 1]
    assert sorted(groups_of(k_modes([Variable(Scale.NOMINAL, kinds)], 2))) == [[0, 4], [1, 3], [2, 5]]


def test_the_heavier_variable_decides() -> None:
    light = Variable(Scale.NOMINAL, [0, 1, 0, 1])
    heavy, lighter = (Variable(Scale.NOMINAL, [0, 0, 1, 1], weight) for weight in (1.5, 0.5))
    assert sorted(groups_of(k_modes([heavy, light], 2))) == [[0, 1], [2, 3]]
    assert sorted(groups_of(k_modes([lighter, light], 2))) == [[0, 2], [1, 3]]


def test_a_variable_of_weight_zero_decides_nothing() -> None:
    rest = some_categories(50, 3, seed=3)
    assert k_modes([*rest, drawn(Scale.NOMINAL, 50, 1, weight=0.0)], 3) == k_modes(rest, 3)


def test_weights_that_are_equal_but_for_the_last_digit_count_as_equal() -> None:
    rest = some_categories(60, 3, seed=4)
    weights = (1.0, 1.0 + 1e-12, 1.0 - 1e-12)
    nearly = [Variable(v.scale, v.values, weight) for v, weight in zip(rest, weights, strict=True)]
    assert k_modes(nearly, 3) == k_modes(rest, 3)


def test_the_smallest_weight_still_acts() -> None:
    assert whole_weights(np.array([1.0, 1e-12, 0.0])).tolist() == [2**20, 1, 0]
    assert whole_weights(np.zeros(2)).tolist() == [0, 0]


def test_neither_seed_nor_layout_matters_and_the_points_stay_as_they_were() -> None:
    cloud = cloud_of(some_categories(60, 3, seed=8, missing=0.1))
    before = cloud.points.copy()
    expected = KModes().partition(cloud, 3, seed=0).tolist()
    assert KModes().partition(Cloud(np.asfortranarray(cloud.points), cloud.axes), 3, seed=9).tolist() == expected
    assert (cloud.points == before).all()


@pytest.mark.parametrize("scale", [Scale.NUMERIC, Scale.ORDINAL])
def test_variables_with_an_order_are_refused_by_name(scale: Scale) -> None:
    cloud = cloud_of([Variable(Scale.NOMINAL, [0, 1]), Variable(scale, [1, 2])])
    message = rf"k-modes takes no numeric or ordinal variables: V2 is {scale.value} \(use mixed"
    with pytest.raises(UsageError, match=message):
        KModes().partition(cloud, 2, seed=0)


def test_points_without_scales_are_numbers_and_refused() -> None:
    with pytest.raises(UsageError, match=r"k-modes takes no numeric or ordinal variables: all are numeric"):
        KModes().partition(Cloud(np.zeros((4, 2))), 2, seed=0)


def test_weights_of_records_are_refused() -> None:
    cloud = cloud_of(some_categories(4, 1, seed=1))
    with pytest.raises(UsageError, match="takes no weights"):
        KModes().partition(Cloud(cloud.points, cloud.axes, np.ones(4)), 2, seed=0)


def test_too_few_records_are_refused() -> None:
    with pytest.raises(ValueError, match="2 records cannot form a group of 3"):
        KModes().partition(cloud_of([Variable(Scale.NOMINAL, [0, 1])]), 3, seed=0)
