"""`mask` publishes the same bytes on every engine, also when a worker is killed in every stage that has workers."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import constraint_sdc as cs
from constraint_sdc.commands import check
from constraint_sdc.engines import dask_cluster, own_cluster, processes
from constraint_sdc.engines.dask_cluster import DaskEngine
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.parcel import unpacked
from constraint_sdc.engines.running import engine_of
from constraint_sdc.engines.worker import WorkerProcess
from constraint_sdc.errors import EngineError
from constraint_sdc.files.microdata.microdata import open_microdata
from constraint_sdc.judge import value_domains
from constraint_sdc.stages import StageProgress, listening

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt3">
<pattern><rule context="R"><assert id="sum" test="number(A) + number(B) = number(C)">C</assert></rule></pattern>
</schema>"""
RECORDS = 5_200  # more than are divided in one go


class StoppedError(BaseException):
    """The machine restarts."""


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
    monkeypatch.setattr(own_cluster, "WORTH_CLUSTER", 0.0)


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


def killing_once_of_dask(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Kill the worker that has the first piece of each function; return the names of the functions."""
    killed: set[str] = set()
    submit: Callable[..., Any] = DaskEngine._submit

    def submit_and_kill(self: DaskEngine, name: str, parcel: Any) -> Any:
        workers = {} if name in killed else self._client.run(os.getpid)
        future = submit(self, name, parcel)
        if workers:
            killed.add(name)
            os.kill(workers[holder(self._client, future) or next(iter(workers))], signal.SIGKILL)
        return future

    monkeypatch.setattr(DaskEngine, "_submit", submit_and_kill)
    return killed


def holder(client: Any, future: Any) -> str | None:
    """Return the address of the worker that has a task, None if it was done before anybody looked."""
    while not future.done():
        for address, keys in client.processing().items():
            if future.key in keys:
                return str(address)
    return None


def test_dask_publishes_the_same_bytes(folder: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = killing_once_of_dask(monkeypatch)
    assert masked(folder, EngineSettings("dask", workers=2)) == expected
    assert killed == {
        "constraint_sdc.partition.regions.region:divide_region",
        "constraint_sdc.maskers.microaggregation.settle_block:settle_piece",
    }


def test_dask_resumes_with_the_same_bytes(
    folder: Path, expected: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run on a cluster is stopped when its file is masked, and resumed on one whose workers die."""

    def stop(now: StageProgress) -> None:
        if now.name == "writing and reading back":
            raise StoppedError

    def run() -> bytes:
        with engine_of(EngineSettings("dask", workers=2, scratch=tmp_path, resume=True)):
            cs.mask_file(folder / "data.xml", folder / "rules.sch", tmp_path / "masked.xml", k=5, effort="fast")
        return (tmp_path / "masked.xml").read_bytes()

    with pytest.raises(StoppedError), listening(stop):
        run()
    stored = sorted((tmp_path / "constraint-sdc-resume").iterdir())
    assert len(stored) > 1
    stored[0].unlink()  # as if the run had been stopped before that was done
    killed = killing_once_of_dask(monkeypatch)
    assert run() == expected
    assert killed


def test_a_check_on_dask_has_the_verdict_of_one_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is killed while it judges, and one while it reads the file in which rules look values up."""
    looking = RULES.replace("</rule>", "<assert id='old' test='A = $original//A'>A</assert></rule>").replace(
        "<pattern>", "<let name='original' value=\"doc('data.xml')\"/><pattern>"
    )
    (folder / "looking.sch").write_text(looking)
    monkeypatch.setattr(own_cluster, "WORTH_CLUSTER", 0.0)
    for module in (check, value_domains):
        monkeypatch.setattr(module, "open_microdata", partial(open_microdata, chunk_bytes=20_000))
    found = []
    killed: set[str] = set()
    for settings in (EngineSettings("serial"), EngineSettings("dask", workers=2)):
        if settings.name == "dask":
            killed = killing_once_of_dask(monkeypatch)
        with engine_of(settings):
            result = cs.check_file(folder / "data.xml", folder / "looking.sch", original=folder / "data.xml")
        found.append(cs.render(result, "json"))
    assert found[0] == found[1]
    assert {name.rpartition(":")[2] for name in killed} == {"judge_run", "domains_of_run"}


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
