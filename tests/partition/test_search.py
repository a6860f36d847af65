"""The parts of the search: a partition that changes keeps its books, and every change costs what it said."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraint_sdc.arrays import AnyIntegers, Labels
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.search import annealing
from constraint_sdc.partition.search.annealing import anneal
from constraint_sdc.partition.search.compiled_exchange import CompiledExchange
from constraint_sdc.partition.search.exchange import draw, exchange, propose, undisputed
from constraint_sdc.partition.search.grouping import Grouping
from constraint_sdc.partition.search.neighbours import nearest
from constraint_sdc.partition.search.regroup import create, dissolve, split


def some_cloud(seed: int, n: int = 60, d: int = 3, *, weighted: bool = False) -> Cloud:
    random = np.random.default_rng(seed)
    kinds = (random.normal(size=(n, d)), np.round(random.standard_cauchy(size=(n, d))), random.integers(0, 3, (n, d)))
    return Cloud(kinds[seed % 3].astype(float), weights=random.integers(1, 5, n) / 2 if weighted else None)


def in_order(n: int, k: int) -> Labels:
    return np.minimum(np.arange(n) // k, n // k - 1).astype(np.int64)


def lists_of(cloud: Cloud, count: int = 9) -> AnyIntegers:
    return nearest(cloud.points, count, 0).astype(np.int64)


def books_are_right(grouping: Grouping) -> None:
    """Compare all that is kept in step with what the labels alone say."""
    for group, size in enumerate(grouping.size.tolist()):
        rows = np.flatnonzero(grouping.label == group)
        assert len(rows) == size
        assert sorted(grouping.members[group, :size].tolist()) == rows.tolist()
        assert (grouping.members[group, size:] == grouping.nobody).all()
        assert (grouping.members[group, grouping.place[rows]] == rows).all()
        total = grouping.points[:, rows].sum(axis=1)
        assert grouping.sums[:, group] == pytest.approx(total, abs=1e-9)
        assert grouping.mass[group] == pytest.approx(grouping.weight[rows].sum(), abs=1e-9)
        assert grouping.norm[group] == pytest.approx(total @ total, abs=1e-8)


def loss(cloud: Cloud, grouping: Grouping) -> float:
    return sse(cloud, grouping.labels())


@given(seed=st.integers(0, 10**6), k=st.integers(2, 6), weighted=st.booleans())
def test_the_books_stay_right_whatever_happens(seed: int, k: int, weighted: bool) -> None:
    cloud = some_cloud(seed, weighted=weighted)
    lists = lists_of(cloud)
    grouping = Grouping(cloud, in_order(60, k), k)
    random = np.random.default_rng(seed)
    patient = np.full(60, 10.0)
    for step in range(12):
        exchange(grouping, propose(grouping, lists, draw(random, 60), patient * random.random(60)), random)
        dissolve(grouping, lists, 4, patient * (step % 3), random)
        create(grouping, lists, 20, patient * (step % 2), random)
        books_are_right(grouping)
        used = grouping.size[grouping.size > 0]
        assert used.min() >= k
        assert used.max() <= 2 * k - 1


@given(seed=st.integers(0, 10**6), k=st.integers(2, 5), weighted=st.booleans())
def test_without_patience_the_loss_never_rises(seed: int, k: int, weighted: bool) -> None:
    cloud = some_cloud(seed, weighted=weighted)
    lists = lists_of(cloud)
    grouping = Grouping(cloud, in_order(60, k), k)
    random = np.random.default_rng(seed)
    nothing = np.zeros(60)
    before = loss(cloud, grouping)
    for _ in range(8):
        exchange(grouping, propose(grouping, lists, draw(random, 60), nothing), random)
        dissolve(grouping, lists, 5, nothing, random)
        create(grouping, lists, 20, nothing, random)
        now = loss(cloud, grouping)
        assert now <= before + 1e-7 * (1 + before)
        before = now


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
def test_an_exchange_costs_what_the_loss_says(seed: int, weighted: bool) -> None:
    """Every limit is put just above and just below the true change; only the first lets the exchange happen."""
    cloud = some_cloud(seed, 24, weighted=weighted)
    lists = lists_of(cloud)
    random = np.random.default_rng(seed)
    grouping = Grouping(cloud, in_order(24, 3), 3)
    draws = replace(draw(random, 24), patience=np.ones(24))
    offered = propose(grouping, lists, draws, np.full(24, np.inf))
    for i, x in enumerate(offered.x.tolist()):
        changed = grouping.label.copy()
        changed[x] = offered.groups[1, i]
        if offered.z[i] != grouping.nobody:
            changed[offered.z[i]] = offered.groups[0, i]
        change = sse(cloud, changed) - sse(cloud, grouping.label)
        slack = 1e-8 * (1 + sse(cloud, changed))
        for limit, happens in ((change + slack, True), (change - slack, False)):
            accepted = propose(grouping, lists, draws, np.full(24, limit))
            assert (x in accepted.x.tolist()) == happens


def test_records_that_are_all_alike_are_annealed_too() -> None:
    cloud = Cloud(np.zeros((12, 2)))
    lists = np.array([[(i + 1) % 12, (i + 2) % 12] for i in range(12)])
    found = anneal(cloud, np.arange(12) // 3, 3, lists, 5, seed=1)
    assert np.bincount(found).min() >= 3


@pytest.mark.parametrize("seed", range(12))
def test_the_compiled_search_does_the_same_digit_for_digit(seed: int) -> None:
    """Sums, norms and masses too: they decide about every later exchange."""
    random = np.random.default_rng(seed)
    n, k, columns = int(random.integers(40, 200)), int(random.integers(2, 9)), int(random.integers(1, 20))
    cloud = Cloud(np.exp(random.normal(size=(n, columns))), weights=random.random(n) + 0.1 if seed % 2 else None)
    lists = lists_of(cloud)
    slow, fast = (Grouping(cloud, in_order(n, k), k, by_record=by_record) for by_record in (False, True))
    one, other = (np.random.default_rng(seed) for _ in range(2))
    patience = 0.1 * random.random(n)
    compiled = CompiledExchange(fast, lists)
    for number in range(40):
        wanted = propose(slow, lists, draw(one, n), patience), compiled.propose(draw(other, n), patience)
        for name in ("x", "z", "groups"):
            assert getattr(wanted[0], name).tolist() == getattr(wanted[1], name).tolist()
        exchange(slow, wanted[0], one)
        compiled.exchange(wanted[1], other)
        if number % 5 == 0:
            for grouping, generator in ((slow, one), (fast, other)):
                dissolve(grouping, lists, 5, patience, generator)
                create(grouping, lists, 9, patience, generator)
        for name in ("label", "size", "members", "place", "table"):
            assert np.array_equal(getattr(slow, name), getattr(fast, name)), name


@pytest.mark.parametrize("limit", ["COMPILED_ABOVE", "COMPILED_WORK"])
def test_compiled_and_plain_annealing_end_alike(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = some_cloud(3, 400)
    lists = lists_of(cloud)
    monkeypatch.setattr(annealing, "_is_loaded", lambda: False)
    plain = anneal(cloud, in_order(400, 3), 3, lists, 150, seed=5)
    monkeypatch.setattr(annealing, limit, 10)
    monkeypatch.setattr(annealing, "propose", None)
    assert anneal(cloud, in_order(400, 3), 3, lists, 150, seed=5).tolist() == plain.tolist()


def test_a_short_search_takes_compiled_code_that_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = some_cloud(3, 60)
    lists = lists_of(cloud)
    with monkeypatch.context() as patch:
        patch.setattr(annealing, "_is_loaded", lambda: False)
        plain = anneal(cloud, in_order(60, 3), 3, lists, 20, seed=5)
        patch.setattr(annealing, "COMPILED_WORK", 10)
        anneal(cloud, in_order(60, 3), 3, lists, 20, seed=5)
    monkeypatch.setattr(annealing, "propose", None)
    assert anneal(cloud, in_order(60, 3), 3, lists, 20, seed=5).tolist() == plain.tolist()


def test_compiled_code_pays_sooner_where_other_compiled_code_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "constraint_sdc.partition.compiled"
    importlib.import_module(name)
    monkeypatch.setattr(annealing, "_is_loaded", lambda: False)
    monkeypatch.setattr(f"{name}.is_kept", lambda _: True)
    assert annealing.runs_compiled(400, 1_000)
    assert not annealing.runs_compiled(400, 20)
    monkeypatch.delitem(sys.modules, name)
    assert not annealing.runs_compiled(400, 1_000)


@pytest.mark.parametrize("k", [4, 60])
def test_compiled_code_sends_records_as_numpy_does(k: int) -> None:
    """Also where a group has room for more members than compiled code adds in NumPy's order."""
    cloud = some_cloud(6, 400, weighted=True)
    random = np.random.default_rng(1)
    slow, fast = (Grouping(cloud, in_order(400, k), k, by_record=by_record) for by_record in (False, True))
    groups = len(slow.size)
    for _ in range(5):
        x, into = random.choice(400, 12, replace=False), random.choice(groups, 12, replace=groups < 12)
        for grouping in (slow, fast):
            grouping.send(x, into)
        for name in ("label", "size", "members", "place", "table"):
            assert np.array_equal(getattr(slow, name), getattr(fast, name)), name
        books_are_right(fast)


def test_a_small_file_is_not_compiled_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    cloud = some_cloud(3, 400)
    monkeypatch.setattr(annealing, "COMPILED_WORK", 10)
    monkeypatch.setattr(annealing, "_compiled_sweep", None)
    monkeypatch.setattr("constraint_sdc.partition.compiled.is_kept", lambda _: False)
    assert len(anneal(cloud, in_order(400, 3), 3, lists_of(cloud), 20, seed=5)) == 400


def test_a_short_search_loads_no_compiler() -> None:
    program = (
        "import sys, numpy as np\n"
        "from constraint_sdc.data.cloud import Cloud\n"
        "from constraint_sdc.partition.methods.auto import Auto\n"
        "Auto().partition(Cloud(np.random.default_rng(1).normal(size=(300, 3))), 5, 0)\n"
        "print(sorted({'numba', 'scipy', 'highspy'} & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_kept_machine_code_is_loaded_without_the_compiler_and_another_kernel_can_still_be_compiled(
    tmp_path: Path,
) -> None:
    (tmp_path / "kernels.py").write_text(
        "import sys, numpy as np\n"
        "from constraint_sdc.partition.compiled import compiled\n"
        "@compiled\n"
        "def total(numbers):\n"
        "    held = np.empty(len(numbers))\n"
        "    for i in range(len(numbers)):\n"
        "        held[i] = numbers[i]\n"
        "    total = 0.0\n"
        "    for number in held:\n"
        "        total += number\n"
        "    return total\n"
        "print(total(np.ones(3)), 'numba.np.arraymath' in sys.modules)\n"
        "if len(sys.argv) > 1:\n"
        "    print(total(np.ones(3, np.int32)))\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}

    def ran(*arguments: str) -> str:
        command = [sys.executable, "kernels.py", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert ran() == "3.0 True\n"
    assert ran() == "3.0 False\n"
    assert ran("another") == "3.0 False\n3.0\n"


@given(seed=st.integers(0, 10**6))
def test_no_group_is_claimed_twice(seed: int) -> None:
    random = np.random.default_rng(seed)
    proposal = np.repeat(np.arange(20), random.integers(1, 4, 20))
    group = random.integers(0, 15, len(proposal))
    kept = undisputed(proposal, group, 15, random)
    claimed = [set(group[proposal == p].tolist()) for p in kept.tolist()]
    assert sum(map(len, claimed)) == len(set().union(*claimed))
    assert len(kept) or not len(proposal)


def test_somebody_always_gets_what_two_want() -> None:
    kept = undisputed(np.array([0, 1]), np.array([4, 4]), 5, np.random.default_rng(0))
    assert len(kept) == 1


@pytest.mark.parametrize("size", [6, 7, 11, 14])
def test_a_large_group_is_split_where_it_gains(size: int) -> None:
    random = np.random.default_rng(size)
    cloud = Cloud(np.vstack((random.normal(size=(3, 2)), random.normal(size=(size - 3, 2)) + 50)))
    grouping = Grouping(cloud, np.zeros(size, np.int64), 3)
    split(grouping, 0)
    books_are_right(grouping)
    assert grouping.size[grouping.size > 0].max() <= 5
    assert len(np.unique(grouping.label[:3])) == 1
    assert grouping.label[0] not in grouping.label[3:]


def test_a_group_across_two_clusters_is_dissolved() -> None:
    """Two clusters of five, k = 3, and a group of two and two in between: better without it."""
    points = np.array([0, 1, 2, 3, 4, 100, 101, 102, 103, 104], float).reshape(-1, 1)
    cloud = Cloud(points)
    labels = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 2])
    grouping = Grouping(cloud, labels, 3)
    random = np.random.default_rng(0)
    for _ in range(20):
        dissolve(grouping, lists_of(cloud, 4), 3, np.zeros(10), random)
    assert sorted(map(len, Groups(grouping.labels()).each())) == [5, 5]


def test_a_new_group_forms_from_what_others_can_spare() -> None:
    """Two groups of five that each hold records of a third place."""
    points = np.array([0, 0, 0, 50, 50, 100, 100, 100, 50, 50], float).reshape(-1, 1)
    cloud = Cloud(points)
    grouping = Grouping(cloud, np.repeat([0, 1], 5), 3)
    grouping.label.tolist()
    random = np.random.default_rng(0)
    for _ in range(10):
        create(grouping, lists_of(cloud, 9), 10, np.zeros(10), random)
    assert len(Groups(grouping.labels())) == 3
    assert sse(cloud, grouping.labels()) < sse(cloud, np.repeat([0, 1], 5))


def test_near_neighbours_are_met_more_often() -> None:
    """Of four neighbours in a list the first is drawn half the time: the square of the draw is below a quarter."""
    n = 10_000
    record = np.arange(n)
    lists = (record[:, None] + np.array([2, 4, 6, 8])) % n
    grouping = Grouping(Cloud(np.random.default_rng(0).normal(size=(n, 2))), record // 2, 2)
    offered = propose(grouping, lists, draw(np.random.default_rng(0), n), np.full(n, np.inf))
    step = (offered.groups[1] - offered.groups[0]) % (n // 2)
    assert np.bincount(step, minlength=5)[1:5] / n == pytest.approx(np.diff(np.sqrt(np.arange(5) / 4)), abs=0.03)
