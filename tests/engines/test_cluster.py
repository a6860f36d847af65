"""A Dask scheduler that runs already: by TCP on the loopback interface, by TLS, and one that goes away.

Scheduler and workers are processes of their own, as in an office.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from constraint_sdc.cli import main
from constraint_sdc.engines import dask_cluster
from constraint_sdc.engines.engine import IN_FLIGHT, Engine, EngineSettings, Tls
from constraint_sdc.engines.registry import start_engine
from constraint_sdc.engines.running import engine_of, map_pieces
from constraint_sdc.errors import EngineError
from constraint_sdc.exam.engines import ExamPiece, drawn_late, dying, turned_round
from tests.census_folder import fill_census_folder
from tests.in_process import run_in_process
from tests.waiting import PATIENCE, awaited


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no scheduler that is only slow to answer be taken for one that is not there, however busy the machine is."""
    monkeypatch.setattr(dask_cluster, "_CONNECTING", f"{PATIENCE:.0f}s")


@contextmanager
def program(*words: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program of Dask; it is killed at the end."""
    command = [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=folder, stdout=quiet, stderr=quiet)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def cluster(folder: Path, *tls: str, workers: int = 1) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler and workers; yield its address and its process."""
    found = folder / "scheduler.json"
    place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(found), *tls)
    with ExitStack() as stack:
        scheduler = stack.enter_context(program("dask_scheduler", *place, folder=folder))
        awaited(found.exists, "no scheduler")
        awaited(lambda: found.read_text().strip().endswith("}"), "the scheduler does not say where it is")
        for _ in range(workers):
            alive = ("--death-timeout", str(int(PATIENCE)))
            words = ("--scheduler-file", str(found), "--nthreads", "1", "--no-dashboard", *alive, *tls)
            stack.enter_context(program("dask_worker", *words, folder=folder))
        yield json.loads(found.read_text())["address"], scheduler


def own_certificate(folder: Path) -> Tls:
    """Write a key and a certificate that is its own authority, for scheduler, workers and client alike."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "office")])
    now = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=36500))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form, bare = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, bare))
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return Tls(folder / "cert.pem", folder / "cert.pem", folder / "key.pem")


def test_a_check_by_tls_has_the_verdict_of_one_process(tmp_path: Path) -> None:
    fill_census_folder(tmp_path)
    tls = own_certificate(tmp_path)
    files = ("--tls-ca-file", str(tls.ca), "--tls-cert", str(tls.cert), "--tls-key", str(tls.key))
    check = ["check", "damaged.xml", "--rules", "census.sch", "--original", "census.xml", "--format", "json"]
    with cluster(tmp_path, "--protocol", "tls", *files) as (address, _):
        assert address.startswith("tls://127.0.0.1:")
        awaited(lambda: with_workers(address, tls), "no worker comes").close()
        there = ["--tls-ca", "cert.pem", "--tls-cert", "cert.pem", "--tls-key", "key.pem"]
        words = ["constraint-sdc", *check, "--engine", "dask", "--scheduler", address, *there]
        by_cluster = run_in_process(main, words, tmp_path)
    assert by_cluster[0] == 1, by_cluster
    assert by_cluster == run_in_process(main, ["constraint-sdc", *check, "--engine", "serial"], tmp_path)


def test_a_scheduler_that_goes_away_is_an_error(tmp_path: Path) -> None:
    with cluster(tmp_path) as (address, scheduler):
        assert address.startswith("tcp://127.0.0.1:")
        engine = awaited(lambda: with_workers(address), "no worker comes")
        results = engine.map(drawn_late, (ExamPiece(n, seconds=0.5) for n in range(50)), work=100)
        assert next(results)[0] == 0
        scheduler.kill()
        with pytest.raises(EngineError, match=f"the scheduler at {address} went away"):
            list(results)
        with pytest.raises(EngineError, match="went away"):
            list(engine.map(drawn_late, [ExamPiece(1)], work=100))
        engine.close()


def with_workers(address: str, tls: Tls | None = None) -> Engine | None:
    """Return an engine there, None as long as no worker has come."""
    try:
        return start_engine(EngineSettings("dask", scheduler=address, tls=tls))
    except EngineError as problem:
        if "has no workers" not in str(problem):
            raise
        return None


def listening_on(parent: int) -> set[str]:
    """Return the addresses on which a process and its children wait for connections."""
    family = [psutil.Process(parent), *psutil.Process(parent).children(recursive=True)]
    found = [one for process in family for one in process.net_connections("tcp")]
    return {one.laddr.ip for one in found if one.status == psutil.CONN_LISTEN}


def test_a_killed_worker_of_an_own_cluster_loses_nothing_of_a_slow_one(tmp_path: Path) -> None:
    """One piece is slow, another kills its worker at the first attempt."""
    engine = start_engine(EngineSettings("dask", workers=2, scratch=tmp_path))
    try:
        pieces = [ExamPiece(n, marker=tmp_path / "marker") for n in range(5)]
        assert list(engine.map(dying, pieces, work=100)) == [0, 1, 2, 3, 4]
        assert listening_on(os.getpid()) == {"127.0.0.1"}
        slow = [ExamPiece(n, seed=n, seconds=0.5 * (n == 0)) for n in range(4)]
        assert [number for number, _ in engine.map(drawn_late, slow, work=100)] == [0, 1, 2, 3]
    finally:
        engine.close()


def test_an_own_cluster_starts_with_the_first_work_that_is_worth_it(tmp_path: Path) -> None:
    engine = start_engine(EngineSettings("dask", workers=1, scratch=tmp_path))
    try:
        assert not engine.takes(1.0)
        assert [number for number, _ in engine.map(drawn_late, [ExamPiece(3, seed=3)], work=1.0)] == [3]
        assert list(tmp_path.iterdir()) == []
        before = dict(os.environ)
        assert [number for number, _ in engine.map(drawn_late, [ExamPiece(3, seed=3)], work=100)] == [3]
        assert dict(os.environ) == before  # Dask sets in it what is meant for workers
        assert len(list(tmp_path.iterdir())) == 1
    finally:
        engine.close()
    assert list(tmp_path.iterdir()) == []


def test_large_parcels_of_an_own_cluster_go_by_files_that_are_removed(tmp_path: Path) -> None:
    values = np.arange(100_000.0)
    with engine_of(EngineSettings("dask", workers=2, scratch=tmp_path)):
        pieces = (ExamPiece(number, values=(values + number,)) for number in range(6))
        seen = []
        for found in map_pieces(turned_round, pieces, work=100):
            seen.append(found[0][::-1].tolist())
            parcels = list(tmp_path.glob("constraint-sdc-scratch-*/*.array"))
            assert 0 < len(parcels) <= IN_FLIGHT * 2
        assert seen == [(values + number).tolist() for number in range(6)]
        assert list(tmp_path.glob("constraint-sdc-scratch-*/*.array")) == []
    assert list(tmp_path.iterdir()) == []
