"""Worker processes: none for a little work, none left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.processes import ProcessesEngine
from constraint_sdc.engines.running import engine_of, engine_settings, map_pieces, workers
from constraint_sdc.errors import no_command
from constraint_sdc.exam.engines import ExamPiece, drawn_late
from tests.waiting import awaited


def children(parent: int) -> set[int]:
    found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    return {int(line) for line in found.stdout.split()}


def test_a_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessesEngine, "_started", lambda _: pytest.fail("a worker is started"))
    with engine_of(EngineSettings("processes", workers=2)):
        assert workers() == 2
        assert list(map_pieces(no_command, ["a", "b"], work=0.5)) == ["a", "b"]


def test_workers_end_with_the_engine() -> None:
    before = children(os.getpid())
    with engine_of(EngineSettings("processes", workers=2)):
        results = map_pieces(drawn_late, (ExamPiece(n, seconds=60 * (n == 1)) for n in range(3)), work=100)
        assert next(results)[0] == 0
        assert len(children(os.getpid()) - before) == 2
    assert children(os.getpid()) <= before


def test_outside_of_a_command_work_is_serial() -> None:
    assert engine_settings().chosen == "serial"
    assert workers() == 1


PROGRAM = """
from constraint_sdc.engines.engine import EngineSettings
from constraint_sdc.engines.running import engine_of, map_pieces
from constraint_sdc.exam.engines import ExamPiece, drawn_late
with engine_of(EngineSettings("processes", workers=2)):
    for number, _ in map_pieces(drawn_late, (ExamPiece(n, seconds=600 * (n > 0)) for n in range(9)), work=100):
        print(number, flush=True)
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, cwd=tmp_path) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"0\n"
        started = children(program.pid)
        assert len(started) == 2
        program.send_signal(signal.SIGKILL)
    awaited(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), "workers outlive their parent")
