"""Several groups: each reaches its wish if pairs allow, and none moves the signal of another."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.arrays import Codes, Flags, Rows
from constraint_sdc.maskers.group_anonymity.influence import Allowed, Influence
from constraint_sdc.maskers.group_anonymity.several import Wish, realise
from constraint_sdc.maskers.group_anonymity.signals import quantity
from tests.maskers.group_anonymity.drawn import drawn_influence

N, VALUES = 90, 4


def drawn_wishes(seed: int, parameters: tuple[str, ...]) -> tuple[list[Wish], dict[str, Codes]]:
    random = np.random.default_rng(seed)
    codes = {name: random.integers(0, VALUES, N) for name in parameters}
    influence = drawn_influence(random, N)
    wishes = []
    for number, name in enumerate(parameters * 2):
        base = random.random(N) < 0.9
        vital = base & (random.random(N) < 0.3)
        reference = (random.random(N) < 0.2, np.ones(N, np.bool_)) if number == 0 else None
        before = quantity(codes[name], vital, VALUES)
        wish = np.minimum(random.permutation(before), quantity(codes[name], base, VALUES))
        wish = before if wish.sum() != before.sum() else wish
        wishes.append(Wish(f"g{number}", name, vital, base, wish, influence, frozenset({"age"}), reference))
    return wishes, codes


@given(st.integers(0, 10**6), st.sampled_from([("region",), ("region", "year")]), st.sampled_from([-1, 10**9]))
def test_every_group_ends_where_its_own_trace_says(seed: int, parameters: tuple[str, ...], exact_up_to: int) -> None:
    wishes, codes = drawn_wishes(seed, parameters)
    result = realise(wishes, codes, exact_up_to=exact_up_to)
    for wish, trace in zip(wishes, result.traces, strict=True):
        before, after = codes[wish.parameter], result.codes[wish.parameter]
        assert quantity(after, wish.vital, VALUES).tolist() == trace.achieved.tolist()
        assert quantity(after, wish.base, VALUES).tolist() == quantity(before, wish.base, VALUES).tolist()
        for kept in wish.reference or ():
            assert quantity(after, kept, VALUES).tolist() == quantity(before, kept, VALUES).tolist()


def test_rules_see_the_parameters_as_they_are_by_then_and_only_alike_pairs() -> None:
    wishes, codes = drawn_wishes(2, ("region",))
    seen = []

    def rules_of(parameter: str, now: Mapping[str, Rows]) -> Allowed:
        seen.append((parameter, now[parameter].copy()))

        def allowed(rows: Rows, others: Rows) -> Flags:
            other_group = wishes[1 if len(seen) == 1 else 0]
            assert np.array_equal(other_group.vital[rows], other_group.vital[others])
            return np.ones(len(rows), np.bool_)

        return allowed

    result = realise(wishes, codes, rules_of)
    assert len(result.traces[0].vital) > 0
    assert np.array_equal(seen[0][1], np.arange(N))
    assert not np.array_equal(seen[1][1], np.arange(N))
    assert np.array_equal(codes["region"][result.sources["region"]], result.codes["region"])


def test_a_group_that_reads_a_swapped_parameter_is_refused_in_words() -> None:
    everyone, none = np.ones(2, np.bool_), np.zeros(2, np.bool_)
    counts, codes = np.array([0, 0]), {"region": np.array([0, 1]), "year": np.array([0, 1])}
    first = Wish("officers", "region", none, everyone, counts, Influence(()), frozenset({"year"}))
    second = Wish("students", "year", none, everyone, counts, Influence(()))
    with pytest.raises(ValueError, match="group 'officers' depends on 'year', which is swapped for group 'students'"):
        realise([first, second], codes)
    itself = Wish("officers", "region", none, everyone, counts, Influence(()), frozenset({"region"}))
    with pytest.raises(ValueError, match="swapped for the group itself"):
        realise([itself], codes)
    assert realise([first], codes).traces[0].is_reached
