"""Shuffling: the values of a cluster stay in it, every one of them, in other hands."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.data.groups import Groups
from constraint_sdc.maskers.microhybrid.draws import shuffled_at_random, shuffled_by_rank

Drawn = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.floats(-9, 9)), min_size=1, max_size=20)


@given(drawn=Drawn, seed=st.integers(0, 99))
def test_every_cluster_keeps_exactly_its_values(drawn: list[tuple[int, int, float]], seed: int) -> None:
    labels, values, synthetic = (np.array(column) for column in zip(*drawn, strict=True))
    groups = Groups(np.unique(labels, return_inverse=True)[1].astype(np.int64))
    by_rank = shuffled_by_rank(values.astype(float), synthetic, groups)
    by_lot = shuffled_at_random(groups, np.random.default_rng(seed))
    for source in (by_rank, by_lot):
        assert sorted(source.tolist()) == list(range(len(values)))
        assert (groups.label[source] == groups.label).all()


@given(drawn=Drawn)
def test_within_a_cluster_larger_synthetic_values_get_no_smaller_values(drawn: list[tuple[int, int, float]]) -> None:
    labels, values, synthetic = (np.array(column) for column in zip(*drawn, strict=True))
    groups = Groups(np.unique(labels, return_inverse=True)[1].astype(np.int64))
    got = values[shuffled_by_rank(values.astype(float), synthetic, groups)]
    for rows in groups.each():
        order = rows[np.argsort(synthetic[rows], kind="stable")]
        assert (np.diff(got[order]) >= 0).all()
