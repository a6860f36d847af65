"""`refine` is never worse than its start, the same on every machine, and near the optimum where that is known."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

import highspy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraint_sdc.arrays import Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.errors import UsageError
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.optimal_univariate import OptimalUnivariate
from constraint_sdc.partition.methods.random_groups import RandomGroups
from constraint_sdc.partition.search import chains as chains_module
from constraint_sdc.partition.search import recombine as recombine_module
from constraint_sdc.partition.search.recombine import recombine
from constraint_sdc.partition.search.refine import (
    BEST,
    DEFAULT,
    FAST,
    HIGH,
    Effort,
    _sweeps,
    effort_of,
    refine,
    sweeps_of,
)
from tests.partition.brute_force import least_loss
from tests.waiting import PATIENCE, awaited

T = TypeVar("T")
SHORT = Effort("short", 0.02)


def hard_cloud(kind: str, n: int = 90) -> Cloud:
    random = np.random.default_rng(5)
    match kind:
        case "high dimension":
            return Cloud(random.normal(size=(n, 40)))
        case "heavy tails":
            return Cloud(random.standard_cauchy(size=(n, 4)) ** 3)
        case "constant columns":
            return Cloud(np.hstack((np.full((n, 3), 7.0), random.normal(size=(n, 2)))))
        case "ties":
            return Cloud(random.integers(0, 2, (n, 3)).astype(float))
        case "all alike":
            return Cloud(np.ones((n, 3)))
        case "one far away":
            return Cloud(np.vstack((random.normal(size=(n - 1, 2)), [[1e9, -1e9]])))
        case "far offset":
            return Cloud(1e9 + random.normal(size=(n, 3)))
        case "a sum among the columns":
            points = random.normal(size=(n, 3))
            return Cloud(np.hstack((points, points.sum(axis=1, keepdims=True))))
        case "weighted":
            return Cloud(random.normal(size=(n, 3)), weights=np.exp(random.normal(size=n) * 3))
    raise AssertionError(kind)


KINDS = (
    "high dimension", "heavy tails", "constant columns", "ties", "all alike", "one far away", "far offset",
    "a sum among the columns", "weighted",
)  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [2, 3, 10, 40])
def test_it_is_never_worse_than_the_start(kind: str, k: int) -> None:
    cloud = hard_cloud(kind)
    for start in (Mdav(), RandomGroups()):
        labels = start.partition(Cloud(cloud.points), k, 1)
        refined = refine(cloud, labels, k, 1, SHORT)
        assert sse(cloud, refined) <= sse(cloud, labels)
        sizes = np.bincount(refined)
        assert sizes.min() >= k
        assert sizes.sum() == len(cloud)


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), k=st.integers(2, 3), n=st.integers(4, 8))
def test_on_tiny_files_it_finds_the_optimum(seed: int, k: int, n: int) -> None:
    cloud = Cloud(np.random.default_rng(seed).normal(size=(n, 2)))
    refined = refine(cloud, RandomGroups().partition(cloud, k, 0), k, 0, SHORT)
    assert sse(cloud, refined) == pytest.approx(least_loss(cloud.points, k))


def test_on_one_variable_it_comes_close_to_the_optimum() -> None:
    cloud = Cloud(np.random.default_rng(2).lognormal(size=(300, 1)))
    best = sse(cloud, OptimalUnivariate().partition(cloud, 3, 0))
    refined = sse(cloud, refine(cloud, Mdav().partition(cloud, 3, 0), 3, 0, Effort("some", 0.4)))
    assert best - 1e-9 <= refined <= 1.05 * best


def test_copies_of_few_records_end_with_their_like() -> None:
    """Twelve different records, ten copies of each, k = 7: groups of ten lose nothing, groups of seven would."""
    points = np.repeat(np.random.default_rng(1).normal(size=(12, 3)), 10, axis=0)
    cloud = Cloud(points[np.random.default_rng(2).permutation(120)])
    start = Mdav().partition(cloud, 7, 0)
    assert sse(cloud, start) > 1.0
    assert sse(cloud, refine(cloud, start, 7, 0, Effort("some", 0.3))) == pytest.approx(0.0, abs=1e-9)


def test_more_effort_loses_less_on_the_average() -> None:
    clouds = [Cloud(np.random.default_rng(seed).normal(size=(200, 3))) for seed in range(4)]
    losses = {
        effort.seconds: sum(sse(c, refine(c, Mdav().partition(c, 3, 0), 3, 0, effort)) for c in clouds)
        for effort in (Effort("a", 0.01), Effort("b", 0.5))
    }
    assert losses[0.5] < losses[0.01]


def test_the_same_seed_gives_the_same_groups_and_another_others() -> None:
    cloud = Cloud(np.random.default_rng(3).normal(size=(150, 3)))
    start = Mdav().partition(cloud, 3, 0)
    one = refine(cloud, start, 3, 4, SHORT).tolist()
    assert one == refine(cloud, start, 3, 4, SHORT).tolist()
    assert one != refine(cloud, start, 3, 5, SHORT).tolist()


def test_processes_and_cores_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = Cloud(np.random.default_rng(3).normal(size=(150, 3)), weights=np.arange(1.0, 151.0))
    start = Mdav().partition(Cloud(cloud.points), 3, 0)
    effort = Effort("several", 0.05, chains=3, rounds=1)
    alone = refine(cloud, start, 3, 4, effort)
    monkeypatch.setattr(chains_module, "_WORTH_A_PROCESS", 0)
    started: list[int] = []
    real = chains_module._packed
    monkeypatch.setattr(chains_module, "_packed", lambda *a: (started.append(1), real(*a))[1])
    monkeypatch.setattr(chains_module, "_run", lambda *_: pytest.fail("not in a process of its own"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2}, raising=False)
    assert refine(cloud, start, 3, 4, effort).tolist() == alone.tolist()
    assert started, "no process was started"


def test_where_no_process_can_be_had_the_run_is_made_here(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = Cloud(np.random.default_rng(3).normal(size=(60, 2)))
    start = Mdav().partition(cloud, 3, 0)
    effort = Effort("several", 0.02, chains=2)
    alone = refine(cloud, start, 3, 4, effort)
    monkeypatch.setattr(chains_module, "_WORTH_A_PROCESS", 0)
    monkeypatch.setattr(chains_module, "_START", "raise SystemExit(1)")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert refine(cloud, start, 3, 4, effort).tolist() == alone.tolist()


INTERRUPTED = """
import sys
import numpy as np
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.search.refine import Effort
from constraint_sdc.partition.methods.auto import Auto

print("begun", flush=True)
Auto(Effort("long", 60.0, chains=4)).partition(Cloud(np.random.default_rng(0).normal(size=(3000, 8))), 3, 0)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_an_interrupted_search_ends_at_once_and_leaves_no_process(how: signal.Signals) -> None:
    command = [
        sys.executable,
        "-c",
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)" + INTERRUPTED,
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        children = awaited(lambda: children_of(process.pid), "the search never started its processes")
        process.send_signal(how)
        process.wait(PATIENCE)
        awaited(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "a process outlived the search")
    finally:
        process.kill()
        process.communicate()


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split() or [
        child
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text("utf-8").split()
    ]


@pytest.mark.parametrize("exponent", [-500, -30, 35, 300])
def test_the_unit_of_measurement_makes_no_difference(exponent: int) -> None:
    """Powers of two change no digit, however large or small: nor may they change a group, in any part of the search."""
    points = np.random.default_rng(8).normal(size=(120, 3))
    effort = Effort("several", 0.03, chains=3, rounds=1)
    start = Mdav().partition(Cloud(points), 3, 0)
    expected = refine(Cloud(points), start, 3, 0, effort).tolist()
    assert refine(Cloud(np.ldexp(points, exponent)), start, 3, 0, effort).tolist() == expected


def test_columns_of_very_different_scale_are_no_trouble() -> None:
    points = np.random.default_rng(8).normal(size=(90, 3)) * [1e-9, 1.0, 1e12]
    cloud = Cloud(points)
    start = Mdav().partition(cloud, 3, 0)
    refined = refine(cloud, start, 3, 0, Effort("several", 0.03, chains=3))
    assert sse(cloud, refined) <= sse(cloud, start)


def test_weighted_records_that_are_all_alike_stay_where_they_are() -> None:
    for seed in range(20):
        weights = np.random.default_rng(seed).random(30) + 0.1
        cloud = Cloud(np.full((30, 2), 88.3), weights=weights)
        start = np.repeat(np.arange(10), 3)
        assert refine(cloud, start, 3, 0, SHORT).tolist() == start.tolist()


def drawn_runs(cloud: Cloud, k: int, count: int) -> list[Labels]:
    return [RandomGroups().partition(cloud, k, seed) for seed in range(count)]


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_recombining_finds_the_best_choice_of_groups(seed: int) -> None:
    """The oracle tries every choice of the groups that occur."""
    cloud = Cloud(np.random.default_rng(seed).normal(size=(9, 2)))
    runs = [refine(cloud, run, 3, seed, Effort("tiny", 0.0001)) for run in drawn_runs(cloud, 3, 4)]
    groups = {frozenset(np.flatnonzero(run == g).tolist()) for run in runs for g in range(int(run.max()) + 1)}

    def cheapest(left: frozenset[int]) -> float:
        if not left:
            return 0.0
        first = min(left)
        fitting = [group for group in groups if first in group and group <= left]
        return min((lost(group) + cheapest(left - group) for group in fitting), default=np.inf)

    def lost(group: frozenset[int]) -> float:
        return sse(Cloud(cloud.points[sorted(group)]), np.zeros(len(group), np.int64))

    best = recombine(cloud, runs, 3)
    assert sse(cloud, best) == pytest.approx(cheapest(frozenset(range(9))))
    assert np.bincount(best).min() >= 3


def test_recombining_parts_that_two_runs_found_gives_both() -> None:
    random = np.random.default_rng(0)
    left, right = random.normal(size=(6, 2)), random.normal(size=(6, 2)) + 100
    cloud = Cloud(np.vstack((left, right)))
    half = [Mdav().partition(Cloud(part), 3, 0) for part in (left, right)]
    poor = np.array([0, 1, 0, 1, 0, 1])
    one, other = np.append(half[0], poor + 2), np.append(poor, half[1] + 2)
    assert sse(cloud, recombine(cloud, [one, other], 3)) == pytest.approx(sse(cloud, np.append(half[0], half[1] + 2)))


@pytest.mark.parametrize("pairs", [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
def test_where_all_choices_cost_the_same_the_groups_of_the_best_run_stay(pairs: list[int]) -> None:
    alike = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])  # any two are equally far apart
    line = np.array([[0, 0, 0], [1, 0, 0], [5, 0, 0], [6, 0, 0]])
    cloud = Cloud(np.vstack((alike, 100 + 2 * line, 200 + line)).astype(float))
    good, poor = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    best = np.concatenate((pairs, 2 + good, 4 + poor))
    others = [np.concatenate((each, 2 + poor, 4 + good)) for each in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0])]
    found = recombine(cloud, [best, *others], 2)
    assert sse(cloud, found) < sse(cloud, best)
    assert (found[:4] == found[0]).tolist() == (np.array(pairs) == pairs[0]).tolist()


def test_a_large_island_is_not_searched_beyond_its_first_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is whole and no worse than the best run, as with all nodes."""
    asked: list[object] = []

    class Watched(highspy.Highs):
        def setOptionValue(self, name: str, value: object) -> object:  # noqa: N802
            asked.extend([value] if name == "mip_max_nodes" else [])
            return super().setOptionValue(name, value)

    monkeypatch.setattr(highspy, "Highs", Watched)
    cloud = Cloud(np.random.default_rng(4).normal(size=(60, 2)))
    runs = drawn_runs(cloud, 3, 4)
    for largest, nodes in ((10**6, 100), (1, 1)):
        monkeypatch.setattr(recombine_module, "_LARGE_ISLAND", largest)
        asked.clear()
        best = recombine(cloud, runs, 3)
        assert set(asked) == {nodes}
        assert np.bincount(best).min() >= 3
        assert sse(cloud, best) <= min(sse(cloud, run) for run in runs)


def test_efforts_grow() -> None:
    work = [effort.seconds * effort.chains for effort in (FAST, DEFAULT, HIGH, BEST)]
    assert work == sorted(work)
    cloud = Cloud(np.zeros((1000, 10)))
    sweeps = [sweeps_of(cloud, effort.seconds) for effort in (FAST, DEFAULT, HIGH)]
    assert sweeps == sorted(set(sweeps))


def test_by_default_a_thousand_records_settle_and_from_three_thousand_on_the_time_decides() -> None:
    planned = {n: _sweeps(Cloud(np.zeros((n, 5))), 3, DEFAULT) for n in (50, 1_100, 3_000)}
    in_time = {n: sweeps_of(Cloud(np.zeros((n, 5))), DEFAULT.seconds) for n in planned}
    assert planned[1_100] == 18 * 1_100 > in_time[1_100]
    assert (planned[50], planned[3_000]) == (in_time[50], in_time[3_000])


@pytest.mark.parametrize(("name", "chains"), [("1s", 1), ("10s", 2), ("60s", 12), ("2.5s", 1)])
def test_seconds_are_an_effort(name: str, chains: int) -> None:
    effort = effort_of(name)
    assert (effort.name, effort.chains) == (name, chains)
    assert effort.seconds <= float(name[:-1])


@pytest.mark.parametrize("name", ["", "quick", "0s", "-1s", "nans", "infs", "10", "1e9s"])
def test_what_is_no_effort_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="unknown effort"):
        effort_of(name)
