"""Thresholds of distortion: never exceeded, and the dearest swaps are those that go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.maskers.group_anonymity.several import realise
from constraint_sdc.maskers.group_anonymity.signals import quantity
from constraint_sdc.maskers.group_anonymity.swaps import choose_swaps
from constraint_sdc.maskers.group_anonymity.thresholds import cut
from tests.maskers.group_anonymity.drawn import drawn_file
from tests.maskers.group_anonymity.test_several import VALUES, drawn_wishes

seeds, shares = st.integers(0, 10**6), st.floats(0, 1.2)


@settings(max_examples=25)
@given(seeds, shares)
def test_the_dearest_swaps_are_left_out(seed: int, share: float) -> None:
    file = drawn_file(seed, 60, 4)
    whole = choose_swaps(file.codes, file.vital, file.base, file.wished, file.influence)
    threshold = share * whole.total
    found = cut(whole, file.codes, threshold)
    assert found.total <= threshold * (1 + 1e-9)
    assert found.left_out + len(found.vital) == len(whole.vital)
    gone = np.setdiff1d(np.arange(len(whole.vital)), np.flatnonzero(np.isin(whole.vital, found.vital)))
    if len(gone):
        assert found.costs.max(initial=0.0) <= whole.costs[gone].min()
        assert found.total + whole.costs[gone].min() > threshold
    after = file.codes.copy()
    after[found.vital], after[found.others] = file.codes[found.others], file.codes[found.vital]
    assert quantity(after, file.vital, 4).tolist() == found.achieved.tolist()


def test_no_threshold_cuts_nothing() -> None:
    file = drawn_file(3, 60, 4)
    whole = choose_swaps(file.codes, file.vital, file.base, file.wished, file.influence)
    assert cut(whole, file.codes, None) is whole
    assert cut(whole, file.codes, whole.total) is whole


@settings(max_examples=6)
@given(seeds, shares, st.floats(0.1, 5))
def test_the_weighted_total_stays_within_the_threshold(seed: int, share: float, weight: float) -> None:
    wishes, codes = drawn_wishes(seed, ("region", "year"))
    wishes = [replace(wish, weight=weight if place else 1.0) for place, wish in enumerate(wishes)]
    free = realise(wishes, codes)
    threshold = share * sum(w.weight * t.total for w, t in zip(wishes, free.traces, strict=True))
    found = realise(wishes, codes, threshold=threshold)
    assert sum(w.weight * t.total for w, t in zip(wishes, found.traces, strict=True)) <= threshold * (1 + 1e-9)
    for wish, trace in zip(wishes, found.traces, strict=True):
        assert quantity(found.codes[wish.parameter], wish.vital, VALUES).tolist() == trace.achieved.tolist()


def test_a_heavier_goal_gives_up_more() -> None:
    wishes, codes = drawn_wishes(5, ("region", "year"))
    wishes = wishes[:2]
    free = realise(wishes, codes)
    threshold = 0.6 * sum(trace.total for trace in free.traces)
    left_out = []
    for weight in (0.2, 5.0):
        weighed = [wishes[0], replace(wishes[1], weight=weight)]
        left_out.append(realise(weighed, codes, threshold=threshold).traces[1].left_out)
    assert left_out[0] < left_out[1]


def test_a_goal_has_a_threshold_of_its_own() -> None:
    wishes, codes = drawn_wishes(5, ("region", "year"))
    free = realise(wishes, codes).traces
    bound = [replace(wishes[0], threshold=free[0].total / 2), *wishes[1:]]
    found = realise(bound, codes).traces
    assert found[0].total <= free[0].total / 2
    assert found[0].left_out > 0
    assert not found[0].is_exact
    assert sum(trace.left_out for trace in found[1:]) == 0
    assert found[0].missing == pytest.approx(free[0].missing + found[0].left_out)
