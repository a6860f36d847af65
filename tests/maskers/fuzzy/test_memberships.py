"""Memberships are those of the formula, and draws follow them, whatever the chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.arrays import Floats, Points
from constraint_sdc.maskers.fuzzy.memberships import draw, drawn, memberships
from constraint_sdc.maskers.fuzzy.nearness import CELLS, Regions, chunks
from tests.maskers.fuzzy.textbook import FUZZINESS, clouds, membership


def all_memberships(points: Points, centres: Points, m2: float, cells: int = CELLS) -> Floats:
    return np.concatenate([shares for _, shares in memberships(points, centres, m2, cells)])


def test_a_chunk_is_a_megabyte_of_pairs_whatever_the_number_of_centres() -> None:
    assert next(chunks(1_000_000, 128)) == slice(0, 1024)
    assert next(chunks(1_000_000, 1024)) == slice(0, 128)
    assert next(chunks(1_000_000, 1_000_000)) == slice(0, 1)


@pytest.mark.parametrize("m2", [1.05, 1.3, 2.0, 5.0, 20.0, 1e4])
def test_memberships_are_those_of_the_formula(m2: float) -> None:
    random = np.random.default_rng(1)
    points, centres = random.standard_normal((20, 3)), random.standard_normal((7, 3))
    centres[3] = centres[5] = points[4]
    expected = [membership(x, centres.tolist(), m2) for x in points.tolist()]
    np.testing.assert_allclose(all_memberships(points, centres, m2), expected, rtol=1e-9, atol=1e-15)


@given(points=clouds(), share=st.floats(0, 1), m2=st.sampled_from(FUZZINESS), cells=st.sampled_from([1, 9, 50, 999]))
def test_rows_add_up_to_one_and_chunks_change_no_digit(points: Points, share: float, m2: float, cells: int) -> None:
    centres = points[: max(1, round(share * len(points)))] * 0.95
    shares = all_memberships(points, centres, m2)
    assert (shares >= 0.0).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    assert (all_memberships(points, centres, m2, cells) == shares).all()
    labels = draw(points, centres, m2, seed=5)
    assert (draw(points, centres, m2, seed=5, cells=cells) == labels).all()
    assert (shares[np.arange(len(points)), labels] > 0.0).all()


def test_a_record_at_centres_is_shared_among_these() -> None:
    centres = np.array([[0.0], [1.0], [0.0]])
    for m2 in FUZZINESS[1:]:
        assert all_memberships(np.array([[0.0]]), centres, m2).tolist() == [[0.5, 0.0, 0.5]]
    assert all_memberships(np.array([[0.0]]), centres, 1.0).tolist() == [[1.0, 0.0, 0.0]]


@given(c=st.integers(1, 6), seed=st.integers(0, 999), number=st.sampled_from([0.0, 0.3, 1.0 - 2.0**-53]))
def test_what_has_no_share_is_never_drawn(c: int, seed: int, number: float) -> None:
    random = np.random.default_rng(seed)
    shares = np.where(random.random((4, c)) < 0.5, 0.0, random.random((4, c)))
    shares[:, random.integers(c)] += 0.1
    found = drawn(shares, np.full(4, number))
    assert (shares[np.arange(4), found] > 0.0).all()


def test_draws_are_as_frequent_as_the_memberships() -> None:
    points = np.tile([[0.3, -0.2]], (40_000, 1))
    centres = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 1.0]])
    expected = membership([0.3, -0.2], centres.tolist(), 1.8)
    counts = np.bincount(draw(points, centres, 1.8, seed=2), minlength=3)
    np.testing.assert_allclose(counts / 40_000, expected, atol=0.015)  # six standard errors


def test_within_regions_a_record_draws_among_its_own_centres() -> None:
    points = np.random.default_rng(1).standard_normal((50, 2))
    regions = Regions(np.arange(50) % 2, np.array([0, 0, 1, 1, 1]))
    labels = draw(points, points[:5], 50.0, seed=1, regions=regions)
    assert set(labels[0::2].tolist()) == {0, 1}
    assert set(labels[1::2].tolist()) == {2, 3, 4}
