"""What is done for many cells or candidates at once is what one after the other gives."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.calendar import DateNotation
from constraint_sdc.data.series import Grid
from constraint_sdc.data.table import State, column_of
from constraint_sdc.exact.candidates import Candidates
from constraint_sdc.exact.settlement import Settlement
from constraint_sdc.partition.demands import dominance
from constraint_sdc.partition.demands.demand import Laid
from constraint_sdc.plan.plan import ExactStep

GRIDS = (Grid(0), Grid(2), Grid(2, pads=True), Grid(2, pads=True, plain_whole=True), Grid(None))


@given(grid=st.sampled_from(GRIDS), numbers=st.lists(st.integers(-(2**62), 2**62) | st.sampled_from((0, -5, 10))))
def test_many_texts_are_the_texts_of_each_number(grid: Grid, numbers: list[int]) -> None:
    mantissas = np.array([float(number) for number in numbers] + [-0.0])
    assert grid.texts(mantissas) == [grid.text(mantissa) for mantissa in mantissas.tolist()]


def test_many_dates_are_dates() -> None:
    assert Grid(0, notation=DateNotation.ISO_DAY).texts(np.array([0.0, 59.0])) == ["1970-01-01", "1970-03-01"]


@given(st.lists(st.none() | st.sampled_from(("", "7", "-12.50", "Zürich", "日本", "a\0b"))))
def test_a_column_has_the_texts_it_was_made_from(texts: list[str | None]) -> None:
    column = column_of("V1", texts)
    assert column.texts() == texts
    assert [column.text(place) for place in range(len(texts))] == texts
    assert (column.state == State.ABSENT).tolist() == [text is None for text in texts]


@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=9), min_size=1, max_size=12), st.sampled_from((0, 4)))
def test_values_are_ranked_alike_in_a_table_and_in_one_list(groups: list[list[int]], padded: int) -> None:
    values, ends = np.array([float(v) for group in groups for v in group]), np.cumsum([len(group) for group in groups])
    laid = Laid(np.arange(len(values)), ends - [len(group) for group in groups])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dominance, "_PADDED", padded)
        ordered, rank = dominance._ranked(values, laid)
    assert ordered.tolist() == [v for group in groups for v in sorted(map(float, group), reverse=True)]
    assert rank.tolist() == [place for group in groups for place in range(len(group))]


@given(st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12), max_size=4))
def test_the_cheapest_proposal_of_a_group_waits_and_the_first_of_equals(
    batches: list[list[tuple[int, int]]],
) -> None:
    """A batch has pairs of a group and a cost; the text of a candidate tells when it was proposed."""
    waiting: dict[int, Any] = {}
    expected: dict[int, tuple[int, str]] = {}
    for number, batch in enumerate(batches):
        candidates = _candidates([group for group, _ in batch], [f"{number}.{i}" for i in range(len(batch))])
        costs = np.array([float(cost) for _, cost in batch])
        Settlement._remember(waiting, costs, candidates, np.arange(len(batch)), ExactStep.NUDGED)
        for i, (group, cost) in enumerate(batch):
            if group not in expected or cost < expected[group][0]:
                expected[group] = cost, f"{number}.{i}"
    found = {group: (one.cost, one.candidate().texts[0, 0]) for group, one in waiting.items()}
    assert found == expected
    assert all(one.candidate().group.tolist() == [group] for group, one in waiting.items())


def _candidates(groups: list[int], texts: list[str]) -> Candidates:
    candidates = Candidates.blank(cast(Any, [SimpleNamespace(name="V1")]), np.array(groups, np.int64))
    candidates.texts[:, 0] = texts
    return candidates
