"""How property tests draw: the same cases every time, so that a red suite means a change; `make explore` draws anew.

And in which order tests run: those of whole programs first, which are the longest. And Saxon's processes where a test
looks at them.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from constraint_sdc.commands.masking import settings as masking_settings
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.judge.worker import bench
from constraint_sdc.judge.worker.process import Worker
from constraint_sdc.partition.partitioner import cores
from constraint_sdc.partition.search import annealing
from constraint_sdc.partition.search.neighbours import nearest

# No deadlines: a busy machine is no defect. Nor are slow draws. 50 cases take 998 in 1,000 of the branches that 100
# take; the others are those of readers of random texts, whose tests say how many they draw.
CALM: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, max_examples=50, **CALM)
settings.register_profile("explore", derandomize=False, print_blob=True, max_examples=250, **CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with the tests of this very folder: the demo, the sessions and the wheel.

    At the end of a run they would keep one core busy while the others wait; and two processes that share the tests of
    one of these files would both have to make what its tests stand on.
    """
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)


_ABOUT_DECISIONS = ("gate", "matrix", "tests")
"""The rooms whose tests run with what users get: a file in which nobody decided on something is refused."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let tests of other things guess about their generated variables, as `--undecided guess` does.

    Sessions of the documentation, examples, programs in processes of their own and the tests of decisions do not.
    """
    if item.path.parent.name in _ABOUT_DECISIONS or isinstance(item, pytest.DoctestItem):
        return (yield)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masking_settings, "DEFAULT_UNDECIDED", "guess")
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Take one process for each core: one more takes longer, because each loads the package and its own Saxon."""
    return cores()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without the garbage collector, which would find nothing: a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Keep the garbage collector from walking thousands of collected tests again and again: a seventh of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def hurried_disk() -> Iterator[None]:
    """Let no test wait until its files are on the disk: that helps against a loss of power, which no test causes.

    That published files and directories are flushed, and before what, is asked in tests/files.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def loaded_kernels() -> None:
    """Load the compiled search, so that the tests which mask small files take it: the groups are the same."""
    points = np.random.default_rng(1).normal(size=(40, 2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annealing, "COMPILED_WORK", 0)
        annealing.anneal(Cloud(points), np.arange(40) // 4, 4, nearest(points, 8, 1).astype(np.int64), 20, seed=1)


@pytest.fixture
def own_saxon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every judge of a test start and end processes of its own, as it does outside the tests."""
    monkeypatch.setattr(bench, "Worker", Worker)
