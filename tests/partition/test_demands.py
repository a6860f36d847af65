"""Demands agree with their definitions, are monotone, and are held after merging whenever that is possible."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.demands.closeness import ClosenessDemand
from constraint_sdc.partition.demands.demand import GroupDemand, Laid, all_held
from constraint_sdc.partition.demands.diversity import NO_VALUE, DiversityDemand
from constraint_sdc.partition.demands.dominance import DominanceDemand
from constraint_sdc.partition.demands.merging import first_failing, hold_demands
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from tests.draws import draws
from tests.partition import slow_demands
from tests.partition.brute_force import partitions

_NUMBERS = st.lists(st.integers(-40, 40) | st.integers(900, 1100) | st.just(0), min_size=4, max_size=7)
_CODES = st.lists(st.integers(0, 4), min_size=4, max_size=7)


def _dense(codes: list[int]) -> Rows:
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)


def _magnitudes(values: list[int]) -> np.ndarray:
    return np.abs(np.array(values, np.float64))[:, None]


# Each demand with its definition: from drawn values to the demand on all records and the verdict on one group.
_Definition = Callable[[list[int], list[int]], bool]
DEFINED: dict[str, tuple[st.SearchStrategy[list[int]], Callable[[list[int]], GroupDemand], _Definition]] = {
    "p%": (
        _NUMBERS,
        lambda v: DominanceDemand(_magnitudes(v), p=10),
        lambda g, _: slow_demands.p_percent(g, Fraction(10)),
    ),
    "n, share": (
        _NUMBERS,
        lambda v: DominanceDemand(_magnitudes(v), n=2, share=75),
        lambda g, _: slow_demands.n_share(g, 2, Fraction(75)),
    ),
    "distinct": (_CODES, lambda v: DiversityDemand(_dense(v), 3), lambda g, _: slow_demands.distinct(g, 3)),
    "entropy": (
        _CODES,
        lambda v: DiversityDemand(_dense(v), 2, "entropy"),
        lambda g, _: slow_demands.entropy(g, 2),
    ),
    "recursive": (
        _CODES,
        lambda v: DiversityDemand(_dense(v), 2, "recursive", c=2.0),
        lambda g, _: slow_demands.recursive(g, Fraction(2), 2),
    ),
    "ordered": (
        _CODES,
        lambda v: ClosenessDemand(_dense(v), 0.25, is_ordered=True),
        lambda g, file: slow_demands.ordered_distance(g, file) <= Fraction(1, 4),
    ),
    "equal": (
        _CODES,
        lambda v: ClosenessDemand(_dense(v), 0.25, is_ordered=False),
        lambda g, file: slow_demands.equal_distance(g, file) <= Fraction(1, 4),
    ),
}


@pytest.mark.parametrize("name", DEFINED)
@settings(max_examples=draws(12), deadline=None)
@given(data=st.data())
def test_a_demand_is_its_definition_and_can_be_held_exactly_if_all_records_together_hold_it(
    name: str, data: st.DataObject
) -> None:
    drawn, make, definition = DEFINED[name]
    values = data.draw(drawn)
    demand, everyone = make(values), tuple(range(len(values)))
    exists = False
    for groups in partitions(everyone, 2):
        held = demand.held_by(Laid.of(np.array(group) for group in groups))
        assert held.tolist() == [definition([values[i] for i in group], values) for group in groups]
        exists |= bool(held.all())
    assert exists == (first_failing([demand], np.array(everyone)) is None)


@pytest.mark.parametrize("name", DEFINED)
@settings(max_examples=draws(20), deadline=None)
@given(data=st.data())
def test_the_union_of_groups_that_hold_a_demand_holds_it(name: str, data: st.DataObject) -> None:
    drawn, make, definition = DEFINED[name]
    values = data.draw(drawn) + data.draw(drawn)
    half = data.draw(st.integers(2, len(values) - 2))
    parts = [list(range(half)), list(range(half, len(values)))]
    demand = make(values)
    if demand.held_by(Laid.of(map(np.array, parts))).all():
        assert definition(values, values)
        assert first_failing([demand], np.arange(len(values))) is None


@settings(max_examples=draws(25), deadline=None)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), records=st.integers(20, 90))
def test_merged_groups_hold_all_demands_and_have_k_records(seed: int, k: int, records: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.permutation(2 * records)[:records]  # the others are in other strata
    points = random.lognormal(size=(records, 2))
    firms = np.rint(random.lognormal(3, 2, (2 * records, 2)) * (random.random((2 * records, 2)) < 0.7))
    demands: list[GroupDemand] = [
        DominanceDemand(firms, p=10),
        DiversityDemand(random.integers(NO_VALUE, 4, 2 * records), 2),
        ClosenessDemand(_dense(random.integers(0, 9, 2 * records).tolist()), 0.4, is_ordered=True),
    ]
    label = Mdav(compiled=False).partition(Cloud(points), k, seed=0)
    if first_failing(demands, rows) is not None:
        with pytest.raises(ValueError, match="even as one group"):
            hold_demands(points, rows, label, k, demands)
        return
    found = hold_demands(points, rows, label, k, demands)
    groups = [rows[found == number] for number in range(found.max() + 1)]
    assert min(map(len, groups)) >= k
    assert all_held(demands, Laid.of(groups)).all()
    assert (found == hold_demands(points, rows, label, k, demands)).all()


def test_a_group_dominated_by_one_firm_is_enlarged_until_the_others_hide_it() -> None:
    firms = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [100.0], [7.0], [8.0]])
    label = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    demand = DominanceDemand(firms, p=10)
    assert demand.held_by(Laid.of(np.arange(9).reshape(3, 3))).tolist() == [True, True, False]
    found = hold_demands(firms, np.arange(9), label, 3, [demand])
    assert found.tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]


def test_groups_that_hold_are_left_as_they_are() -> None:
    firms = np.array([[5.0], [5.0], [6.0], [7.0], [8.0], [9.0]])
    label = np.array([0, 0, 0, 1, 1, 1])
    assert hold_demands(firms, np.arange(6), label, 3, [DominanceDemand(firms, p=10)]) is label


def test_a_merged_group_is_split_where_both_sides_hold() -> None:
    """Five zeros and one firm beside thirty similar ones: the merged group gives most of them back."""
    firms = np.concatenate((np.zeros(5), [50.0], np.linspace(40, 60, 30)))[:, None]
    label = np.repeat(np.arange(2), (6, 30))
    found = hold_demands(firms, np.arange(36), label, 3, [DominanceDemand(firms, p=10)])
    assert found.max() >= 5
    assert sse(Cloud(firms), found) < sse(Cloud(firms), np.zeros(36, np.int64)) / 10


def test_a_missing_value_is_no_value_of_a_diverse_group() -> None:
    codes = np.array([0, NO_VALUE, NO_VALUE, 0, 1, NO_VALUE])
    held = DiversityDemand(codes, 2).held_by(Laid.of(np.arange(6).reshape(2, 3)))
    assert held.tolist() == [False, True]
    for kind in ("distinct", "entropy", "recursive"):
        assert not DiversityDemand(np.full(3, NO_VALUE), 1, kind).held_by(Laid.of([np.arange(3)])).any()


def test_equal_frequencies_reach_the_entropy_of_their_number() -> None:
    for l in range(1, 40):  # noqa: E741
        for times in (1, 3, 7):
            codes = np.repeat(np.arange(l), times)
            assert DiversityDemand(codes, l, "entropy").held_by(Laid.of([np.arange(len(codes))])).all()
            assert not DiversityDemand(codes, l + 0.001, "entropy").held_by(Laid.of([np.arange(len(codes))])).any()


def test_fractions_hold_the_rule_only_beyond_rounding() -> None:
    """0.1 + 0.2 is more than 0.3 in double: a margin makes sure that the rule holds in any order of adding."""
    values, group = np.array([[3.0], [1.0], [0.1], [0.2]]), Laid.of([np.arange(4)])
    assert not DominanceDemand(values, p=10).held_by(group).any()
    assert DominanceDemand(values, p=9.999).held_by(group).all()
    assert DominanceDemand(10 * values, p=10).held_by(group).all()
