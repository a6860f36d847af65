"""After the step, every centre in use has k records, and only records of dissolved centres have moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.arrays import Points
from constraint_sdc.maskers.fuzzy.memberships import draw, ensure_k
from tests.maskers.fuzzy.textbook import FUZZINESS, clouds


@given(
    points=clouds(40),
    share=st.floats(0, 1),
    m2=st.sampled_from(FUZZINESS),
    k=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_every_centre_in_use_has_k_records(points: Points, share: float, m2: float, k: int, seed: int) -> None:
    centres = points[: max(1, round(share * len(points)))] * 0.95
    labels = draw(points, centres, m2, seed)
    if len(points) < k:
        with pytest.raises(ValueError, match="cannot form a group"):
            ensure_k(labels, points, centres, m2, k, seed)
        return
    before = labels.copy()
    found = ensure_k(labels, points, centres, m2, k, seed)
    sizes = np.bincount(found.labels, minlength=len(centres))
    assert sizes[sizes > 0].min() >= k
    assert (labels == before).all()
    changed = found.labels != labels
    assert np.count_nonzero(changed) <= found.moved
    gone = np.flatnonzero((sizes == 0) & (np.bincount(labels, minlength=len(centres)) > 0))
    assert len(gone) == found.dissolved
    assert np.isin(labels[changed], gone).all()
    assert set(found.labels.tolist()) <= set(labels.tolist())
    again = ensure_k(labels, points, centres, m2, k, seed)
    assert (again.labels == found.labels).all()


def test_large_enough_groups_stay_as_they_were_drawn() -> None:
    points = np.arange(12.0)[:, None]
    labels = np.arange(12) // 3
    found = ensure_k(labels, points, points[1::3], 1.2, 3, seed=1)
    assert found.labels.tolist() == labels.tolist()
    assert (found.moved, found.dissolved) == (0, 0)


def test_the_smallest_group_goes_first_and_may_save_the_next() -> None:
    points = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [6.0]])
    centres = np.array([[0.1], [5.0], [6.0]])
    found = ensure_k(np.array([0, 0, 0, 1, 1, 2]), points, centres, 1.0, 3, seed=1)
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert (found.moved, found.dissolved) == (1, 1)
