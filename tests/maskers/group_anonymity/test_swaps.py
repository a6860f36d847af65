"""Swaps reach the wished counts exactly, at the least cost if pairs are few, near it if they are many."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Flags, Rows
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Influence, Nominal, Ordinal, Quotas
from constraint_sdc.maskers.group_anonymity.optimal_swaps import proposals_for_dearest
from constraint_sdc.maskers.group_anonymity.signals import quantity
from constraint_sdc.maskers.group_anonymity.swaps import SwapTrace, choose_swaps, embed, swapped
from tests.draws import draws
from tests.maskers.group_anonymity.drawn import File, drawn_file

EXACT, HEURISTIC = 10**9, -1
sizes = st.tuples(st.integers(0, 10**6), st.integers(8, 120), st.integers(2, 6), st.booleans(), st.booleans())


def swaps_of(file: File, exact_up_to: int, allowed: Allowed | None = None) -> SwapTrace:
    return choose_swaps(
        file.codes, file.vital, file.base, file.wished, file.influence, allowed, exact_up_to=exact_up_to
    )


def drawn(size: tuple[int, int, int, bool, bool]) -> File:
    seed, n, values, blanks, alike = size
    return drawn_file(seed, n, values, blanks=blanks, alike=alike)


def some_pairs(share: float) -> Allowed:
    """Forbid pairs by a number made of the two rows."""

    def allowed(rows: Rows, others: Rows) -> Flags:
        return ((rows * 7919 + others * 104729) % 1009) < share * 1009

    return allowed


def require_promises(file: File, trace: SwapTrace) -> None:
    values = len(file.wished)
    after = swapped(file.codes, trace)
    used = np.concatenate([trace.vital, trace.others])
    assert len(np.unique(used)) == len(used)
    assert file.vital[trace.vital].all()
    assert (file.base & ~file.vital)[trace.others].all()
    assert np.array_equal(np.sort(after), np.sort(file.codes))
    assert np.array_equal(quantity(after, file.base, values), quantity(file.codes, file.base, values))
    assert np.array_equal(quantity(after, file.vital, values), trace.achieved)
    assert trace.is_reached == np.array_equal(trace.achieved, file.wished)
    assert len(trace.vital) + trace.missing == np.maximum(trace.before - file.wished, 0).sum()
    assert np.array_equal(trace.costs, file.influence.cost(trace.vital, trace.others))


def cheapest_by_brute_force(file: File, allowed: Allowed) -> tuple[int, float]:
    """Return the largest number of swaps towards the wish and their least cost, by trying every choice."""
    surplus = quantity(file.codes, file.vital, len(file.wished)) - file.wished
    giving = [r for r in np.flatnonzero(file.vital & (file.codes >= 0)) if surplus[file.codes[r]] > 0]
    taking = [r for r in np.flatnonzero(file.base & ~file.vital & (file.codes >= 0)) if surplus[file.codes[r]] < 0]
    best = (0, 0.0)
    for number in range(1, int(np.maximum(surplus, 0).sum()) + 1):
        for rows in combinations(giving, number):
            if np.any(np.bincount(file.codes[list(rows)], minlength=len(surplus)) > np.maximum(surplus, 0)):
                continue
            for others in permutations(taking, number):
                if np.any(np.bincount(file.codes[list(others)], minlength=len(surplus)) > np.maximum(-surplus, 0)):
                    continue
                pair = np.array(rows), np.array(others)
                if allowed(*pair).all():
                    best = min(best, (-number, float(file.influence.cost(*pair).sum())))
    return -best[0], best[1]


@given(st.integers(0, 10**6), st.sampled_from([1.0, 0.6, 0.2]))
@settings(max_examples=draws(30))
def test_the_exact_method_finds_what_brute_force_finds(seed: int, share: float) -> None:
    file = drawn_file(seed, 10, 3)
    trace = swaps_of(file, EXACT, some_pairs(share))
    number, cost = cheapest_by_brute_force(file, some_pairs(share))
    assert len(trace.vital) == number
    assert trace.total == pytest.approx(cost, abs=1e-9)


@given(sizes)
def test_every_promise_holds_and_the_wish_is_reached(size: tuple[int, int, int, bool, bool]) -> None:
    file = drawn(size)
    for method in (EXACT, HEURISTIC):
        trace = swaps_of(file, method)
        require_promises(file, trace)
        assert trace.is_reached
        assert trace.is_exact == (method == EXACT)


@given(sizes, st.sampled_from([0.5, 0.1, 0.0]))
def test_forbidden_pairs_are_never_swapped_and_what_is_missing_is_told(
    size: tuple[int, int, int, bool, bool], share: float
) -> None:
    file, allowed = drawn(size), some_pairs(share)
    exact, near = swaps_of(file, EXACT, allowed), swaps_of(file, HEURISTIC, allowed)
    for trace in (exact, near):
        require_promises(file, trace)
        assert allowed(trace.vital, trace.others).all()
    assert exact.is_exhausted
    assert near.missing == exact.missing


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_heuristic_is_near_the_optimum(share: float) -> None:
    found = []
    for seed in range(36):
        file = drawn_file(seed, 40 + 8 * seed, 2 + seed % 6, blanks=seed % 3 == 0, alike=seed % 4 == 1)
        exact, near = (swaps_of(file, method, some_pairs(share)) for method in (EXACT, HEURISTIC))
        assert near.total >= exact.total - 1e-7
        found.append((near.total, exact.total))
    near_totals, optima = np.array(found).T
    assert near_totals.sum() < 1.01 * optima.sum()
    assert np.all(near_totals < 1.2 * optima + 1e-6)


def test_the_same_file_gives_the_same_swaps() -> None:
    file = drawn_file(5, 400, 6, alike=True)
    for method in (EXACT, HEURISTIC):
        one, other = swaps_of(file, method), swaps_of(file, method)
        assert np.array_equal(one.vital, other.vital)
        assert np.array_equal(one.others, other.others)


def test_pairs_beyond_one_block_are_improved_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    file = drawn_file(3, 600, 5)
    whole = swaps_of(file, HEURISTIC)
    monkeypatch.setattr("constraint_sdc.maskers.group_anonymity.optimal_swaps._BLOCK", 7)
    parts = swaps_of(file, HEURISTIC)
    monkeypatch.setattr("constraint_sdc.maskers.group_anonymity.swaps.improved", lambda *given: given[-2:])
    greedy = swaps_of(file, HEURISTIC)
    require_promises(file, parts)
    assert parts.is_reached
    assert whole.total <= parts.total < greedy.total


def test_one_swap_goes_to_the_closest_record() -> None:
    codes = np.array([0, 0, 1, 1, 1])
    vital = np.array([True, True, False, False, False])
    influence = Influence((Ordinal(np.array([10.0, 50.0, 49.0, 90.0, 11.0])), Nominal(np.array([0, 1, 1, 0, 1]))))
    trace = choose_swaps(codes, vital, np.ones(5, np.bool_), np.array([1, 1]), influence)
    assert (trace.vital.tolist(), trace.others.tolist()) == ([1], [2])
    assert swapped(codes, trace).tolist() == [0, 1, 0, 1, 1]


@pytest.mark.parametrize(
    ("wished", "base", "words"),
    [
        ([3, 0], [True] * 4, "wished counts add up to 3, but the group has 2"),
        ([-1, 3], [True] * 4, "wished count at value 0 is -1"),
        ([0, 2], [True, True, True, False], "wished count at value 1 is 2; it must be from 0 to 1"),
        ([1, 1], [False, True, True, True], "outside the base"),
    ],
)
def test_impossible_wishes_are_refused(wished: list[int], base: list[bool], words: str) -> None:
    codes, vital = np.array([0, 0, 1, 1]), np.array([True, True, False, False])
    with pytest.raises(ValueError, match=words):
        choose_swaps(codes, vital, np.array(base), np.array(wished), Influence(()))


@pytest.mark.parametrize("exact_up_to", [EXACT, HEURISTIC])
@pytest.mark.parametrize("weight", [None, 0.0, 1e-308])
def test_swaps_that_cost_nothing_are_chosen_all_the_same(weight: float | None, exact_up_to: int) -> None:
    codes = np.arange(40) % 4
    vital = np.arange(40) < 12
    numbers = (np.arange(40) % 7).astype(np.float64)
    influence = Influence(() if weight is None else (Ordinal(numbers, weight),))
    wished = np.array([9, 1, 1, 1])
    trace = choose_swaps(codes, vital, np.ones(40, np.bool_), wished, influence, exact_up_to=exact_up_to)
    assert trace.is_reached
    assert trace.total < 1e-300


def test_the_records_of_the_most_expensive_pair_are_compared_with_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraint_sdc.maskers.group_anonymity.optimal_swaps._COMPARED", 2)
    influence = Influence((Ordinal(np.array([100.0, 105.0, 110.0, 900.0])),))
    vital, others = np.array([0, 1]), np.array([2, 3])
    quotas = Quotas(vital, others, np.array([0, 0, 1, 1]), np.array([2, 0]), np.array([0, 2]))
    rows, partners = proposals_for_dearest(influence, quotas, vital, others, neighbours=1)
    assert list(zip(rows.tolist(), partners.tolist(), strict=True)) == [(1, 2), (1, 3)]


def test_of_pairs_that_cost_the_same_the_first_records_are_proposed_on_every_processor() -> None:
    """A partial sort takes others of the same cost where it has wider vector units."""
    records = np.arange(600)
    influence = Influence((Ordinal(np.where(records < 100, 1.0, 2.0)),))
    vital, others = records[:100], records[100:]
    quotas = Quotas(vital, others, (records >= 100).astype(int), np.array([100, 0]), np.array([0, 100]))
    rows, partners = proposals_for_dearest(influence, quotas, vital[:1], others[:1], neighbours=8)
    assert partners[rows == 0][:8].tolist() == others[:8].tolist()


def test_the_distance_of_two_categories_is_what_a_swap_across_them_costs_more_than_one_within() -> None:
    influence = Influence((Nominal(np.array([0, 1]), weight=2.0, same=0.5, different=1.5),))
    first, second = embed(influence, np.arange(2))
    across, within = influence.cost(np.array([0, 0]), np.array([1, 0]))
    assert np.sum((first - second) ** 2) == pytest.approx(across - within, rel=1e-6)
