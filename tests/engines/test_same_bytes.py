"""`mask` publishes the same bytes on every engine, also when a worker is killed in every stage that has workers."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import constraint_sdc as cs
from constraint_sdc.engines import dask_cluster, processes
from constraint_sdc.engines.dask_cluster import DaskEngine
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.parcel import unpacked
from constraint_sdc.engines.running import engine_of
from constraint_sdc.engines.worker import WorkerProcess
from constraint_sdc.errors import EngineError

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3">
<pattern><rule context="R"><assert id="sum" test="number(A) + number(B) = number(C)">C</assert></rule></pattern>
</schema>"""
RECORDS = 5_200  # more than are divided in one go


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("same")
    rng = random.Random(5)
    rows = ((rng.randint(0, 9_999), rng.randint(0, 9_999)) for _ in range(RECORDS))
    text = "".join(f"<R><A>{a}</A><B>{b}</B><C>{a + b}</C></R>\n" for a, b in rows)
    (place / "data.xml").write_text(f"<D>\n{text}</D>\n")
    (place / "rules.sch").write_text(RULES)
    return place


def masked(folder: Path, settings: EngineSettings) -> bytes:
    """Return what is published; nothing else is left in the output's folder, which is that of the scratch files too."""
    with TemporaryDirectory() as name:
        place, files = Path(name), ("masked.xml", "masked.xml.certificate.json")
        try:
            with engine_of(replace(settings, scratch=place)):
                cs.mask_file(folder / "data.xml", folder / "rules.sch", place / files[0], k=5, effort="fast")
            return (place / files[0]).read_bytes()
        except EngineError:
            files = ()
            raise
        finally:
            assert sorted(path.name for path in place.iterdir()) == [*files]


@pytest.fixture(scope="module")
def expected(folder: Path) -> bytes:
    return masked(folder, EngineSettings("serial"))


@pytest.fixture(autouse=True)
def _little_work_is_worth_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "WORTH_WORKERS", 0.0)


def killing_once(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Kill the worker that gets the first piece of each function; return the names of the functions."""
    killed: set[str] = set()
    run = WorkerProcess.run

    def run_or_die(self: WorkerProcess, task: list[Any]) -> Any:
        name = unpacked(b"".join(task))[0]
        if name not in killed:
            killed.add(name)
            os.kill(self.pid, signal.SIGKILL)
        return run(self, task)

    monkeypatch.setattr(WorkerProcess, "run", run_or_die)
    return killed


def test_processes_publish_the_same_bytes(folder: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = killing_once(monkeypatch)
    assert masked(folder, EngineSettings("processes", workers=3)) == expected
    assert "constraint_sdc.partition.regions.region:divide_region" in killed
    assert "constraint_sdc.maskers.microaggregation.settle_block:settle_piece" in killed


def test_dask_publishes_the_same_bytes(folder: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    killed: set[str] = set()
    submit: Callable[..., Any] = DaskEngine._submit

    def submit_and_kill(self: DaskEngine, name: str, piece: Any) -> Any:
        workers = {} if name in killed else self._client.run(os.getpid)
        future = submit(self, name, piece)
        if workers:
            killed.add(name)
            os.kill(next(iter(workers.values())), signal.SIGKILL)
        return future

    monkeypatch.setattr(DaskEngine, "_submit", submit_and_kill)
    assert masked(folder, EngineSettings("dask", workers=2)) == expected
    assert killed


def test_workers_that_always_die_publish_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = WorkerProcess.run

    def run_and_die(self: WorkerProcess, task: list[Any]) -> Any:
        os.kill(self.pid, signal.SIGKILL)
        return run(self, task)

    monkeypatch.setattr(WorkerProcess, "run", run_and_die)
    with pytest.raises(EngineError, match=r"a worker that ran divide_region ended .* 3 times"):
        masked(folder, EngineSettings("processes", workers=2))


def test_another_version_on_the_cluster_is_refused() -> None:
    with pytest.raises(EngineError, match=r"a worker of the cluster has constraint_sdc .*, this is 9\.9"):
        dask_cluster.run_task("9.9", "constraint_sdc.engines.task:name_of", b"")
