"""Compiled MDAV forms the groups of the plain version, label for label: its shortcuts decide nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.methods import mdav_pruned
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.mdav_kernels import arrange
from tests.draws import draws
from tests.partition.drawn import drawn_points
from tests.partition.test_mdav import KINDS

TOP = Path(__file__).resolve().parents[2]


def compiled(points: Points, k: int) -> Labels:
    return Mdav(compiled=True).partition(Cloud(points), k, seed=0)


def plain(points: Points, k: int) -> Labels:
    return Mdav(compiled=False).partition(Cloud(points), k, seed=0)


def standardised(points: Points) -> Points:
    result: Points = (points - points.mean(axis=0)) / points.std(axis=0)
    return result


def grid(side: int, d: int) -> Points:
    axes = np.meshgrid(*[np.arange(side, dtype=float)] * d, indexing="ij")
    return np.stack(axes, axis=-1).reshape(-1, d)


def mirrored(n: int, d: int, seed: int, middle: float = 0.0) -> Points:
    half = np.random.default_rng(seed).normal(size=(n // 2, d))
    return np.vstack((middle + half, middle - half))


def circle(n: int) -> Points:
    turn = 2 * np.pi * np.arange(n) / n
    return np.column_stack((np.cos(turn), np.sin(turn)))


def far_twins(n: int, seed: int) -> Points:
    """Pairs far from the mean, closer to each other than single precision can tell."""
    random = np.random.default_rng(seed)
    places = random.normal(size=(n // 8, 3)) * 1000
    return np.repeat(places, 8, axis=0) + 1e-6 * random.normal(size=(n // 8 * 8, 3))


def scattered(n: int, seed: int) -> Points:
    """A few records a million times as far away as the others."""
    random = np.random.default_rng(seed)
    return random.normal(size=(n, 4)) * np.where(random.random((n, 1)) < 0.02, 1e6, 1.0)


def dust(n: int, size: float) -> Points:
    """A record that can be seen, among others whose squared distances can hardly be told from nothing."""
    random = np.random.default_rng(n)
    return np.vstack((random.normal(size=(n, 2)) * size, [[1.0, 1.0]]))


TIED: dict[str, Callable[[], Points]] = {
    "a grid": lambda: grid(35, 2),
    "a grid, standardised": lambda: standardised(grid(11, 3)),
    "a grid twice": lambda: np.vstack((grid(9, 3), grid(9, 3))),
    "a grid shuffled": lambda: np.random.default_rng(1).permutation(standardised(grid(6, 4))),
    "mirrored": lambda: mirrored(1200, 4, seed=2),
    "mirrored, away from zero": lambda: mirrored(1200, 4, seed=2, middle=1000 / 3),
    "mirrored, one variable": lambda: mirrored(400, 1, seed=3),
    "a circle": lambda: circle(720),
    "answers from 1 to 5": lambda: standardised(np.random.default_rng(4).integers(1, 6, (1500, 9)).astype(float)),
    "yes or no": lambda: standardised(np.random.default_rng(5).integers(0, 2, (1500, 7)).astype(float)),
    "blocks of duplicates": lambda: np.repeat(np.random.default_rng(6).normal(size=(60, 3)), 20, axis=0),
    "duplicates all over": lambda: np.tile(np.random.default_rng(7).normal(size=(300, 5)), (4, 1)),
    "twins": lambda: far_twins(1200, seed=8),
    "far outliers": lambda: scattered(1500, seed=9),
    "dust": lambda: dust(300, 1e-155),
    "finer dust": lambda: dust(300, 1e-161),
    "a hair's breadth": lambda: 1.0 + 1e-15 * np.random.default_rng(10).integers(0, 9, (500, 3)).astype(float),
}


@settings(deadline=None, max_examples=draws(40))
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(2, 400),
    d=st.integers(1, 7),
    k=st.integers(2, 12),
    width=st.sampled_from((2, 5, 16, 64)),
    seed=st.integers(0, 10**6),
)
def test_the_groups_are_those_of_the_plain_version(kind: str, n: int, d: int, k: int, width: int, seed: int) -> None:
    points = drawn_points(kind, max(n, k), d, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mdav_pruned, "_WIDTH", width)
        patch.setattr(mdav_pruned, "_TOO_FEW", 0)
        assert compiled(points, k).tolist() == plain(points, k).tolist()


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_larger_files_have_the_groups_of_the_plain_version(kind: str, k: int) -> None:
    points = drawn_points(kind, 3000, 6, seed=k)
    assert compiled(points, k).tolist() == plain(points, k).tolist()


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("name", TIED)
def test_ties_go_the_way_of_the_plain_version(name: str, k: int) -> None:
    points = TIED[name]()
    assert compiled(points, k).tolist() == plain(points, k).tolist()


@pytest.mark.parametrize(("n", "k"), [(700, 150), (700, 233), (700, 234), (700, 350), (700, 351), (700, 700), (6, 2)])
def test_groups_may_be_larger_than_a_leaf_or_the_whole_file(n: int, k: int) -> None:
    points = drawn_points("normal", n, 3, seed=k)
    assert compiled(points, k).tolist() == plain(points, k).tolist()


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-120, 1e-90, 1e-30, 1e30, 1e90, 1e120, 1e149])
def test_numbers_of_any_size_have_the_groups_of_the_plain_version(size: float) -> None:
    points = drawn_points("normal", 300, 3, seed=1).clip(-5, 5) * size
    assert compiled(points, 3).tolist() == plain(points, 3).tolist()


def test_the_textbooks_centroid_is_asked_for_where_it_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opposite records are equally far from the middle; which is first hangs on how the textbook's mean was rounded."""
    points = mirrored(600, 3, seed=1, middle=1000 / 3)
    settled = 0
    settle = mdav_pruned._Search.settle

    def counted(search: mdav_pruned._Search) -> None:
        nonlocal settled
        settled += 1
        settle(search)

    monkeypatch.setattr(mdav_pruned._Search, "settle", counted)
    assert compiled(points, 3).tolist() == plain(points, 3).tolist()
    assert settled > 50
    settled = 0
    compiled(drawn_points("normal", 600, 3, seed=1), 3)
    assert settled == 0


def test_a_centroid_that_claimed_to_be_exact_would_form_other_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    points = mirrored(600, 3, seed=1, middle=1000 / 3)
    monkeypatch.setattr(mdav_pruned, "_blur", lambda _: 1e-200)
    assert compiled(points, 3).tolist() != plain(points, 3).tolist()


def test_the_points_are_left_as_they_were_and_may_lie_in_any_order_in_memory() -> None:
    points = drawn_points("heavy tails", 500, 5, seed=2)
    before = points.copy()
    labels = compiled(points, 4).tolist()
    assert (points == before).all()
    assert compiled(np.asfortranarray(points), 4).tolist() == labels
    points.setflags(write=False)
    assert compiled(points, 4).tolist() == labels


@pytest.mark.parametrize(("told", "size"), [(False, 1.0), (None, 1e-101), (True, 1e-101), (True, 1e101), (True, 0.0)])
def test_compiled_code_is_left_out_if_asked_and_for_numbers_whose_squares_it_cannot_hold(
    told: bool | None, size: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(mdav_pruned, "first_groups")
    points = np.linspace(0, size, 5_001)[:, None]
    assert Mdav(told).partition(Cloud(points), 2_000, 0).max() == 1


def test_small_files_do_not_load_the_compiler() -> None:
    program = (
        "import sys, numpy as np\n"
        "from constraint_sdc.data.cloud import Cloud\n"
        "from constraint_sdc.partition.methods.mdav import Mdav\n"
        "Mdav().partition(Cloud(np.random.default_rng(1).normal(size=(400, 2))), 3, 0)\n"
        "print('numba' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=TOP, capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize(("n", "expected"), [(5_000, False), (5_001, True)])
def test_files_of_more_than_5000_records_are_searched_by_compiled_code(
    n: int, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[int] = []

    def first_groups(points: Points, k: int) -> tuple[Labels, int]:
        searched.append(k)
        return np.full(len(points), -1), 0

    monkeypatch.setattr(mdav_pruned, "first_groups", first_groups)
    Mdav().partition(Cloud(np.linspace(0, 1, n)[:, None]), 2_000, 0)
    assert searched == ([2_000] if expected else [])


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100, 1000])
@pytest.mark.parametrize("values", [3, 10**6])
def test_leaves_of_one_variable_follow_each_other(n: int, values: int) -> None:
    points = np.random.default_rng(n).integers(0, values, (n, 1)).astype(float)
    order = np.random.default_rng(1).permutation(n)
    arrange(points, order, np.empty(n), np.empty((2, 64), np.int64), 8)
    assert sorted(order.tolist()) == list(range(n))
    leaves = [points[order[start : start + 8], 0] for start in range(0, n, 8)]
    assert all(one.max() <= other.min() for one, other in pairwise(leaves))
