"""A sweep that is stopped from outside leaves no process behind, and goes on from where it was."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from constraint_sdc.census import generate_file
from tests.waiting import PATIENCE, awaited, hear_signals

PROGRAM = Path(sys.executable).with_name("constraint-sdc")


def children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            if f"PPid:\t{parent}\n" in status.read_text("utf-8"):
                found.append(int(status.parent.name))
    return found


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")


def points(journal: Path) -> list[str]:
    return journal.read_text("utf-8").splitlines() if journal.exists() else []


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_sweep_and_what_is_done_is_kept(tmp_path: Path, signum: int) -> None:
    generate_file(tmp_path / "extract.xml", 400, 4)
    command = [PROGRAM, "sweep", "extract.xml", "--k", "2..150", "--partitions", "mdav", "--jobs", "2", "-o", "out"]
    sweep = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_signals,
    )
    journal = tmp_path / "out" / "journal.jsonl"
    awaited(lambda: len(points(journal)) > 2, "the sweep never finished three points")
    workers = children(sweep.pid)
    sweep.send_signal(signum)
    _, said = sweep.communicate(timeout=PATIENCE)
    assert len(workers) == 2
    awaited(lambda: not any(map(is_alive, workers)), "a worker outlived the sweep")
    assert "Traceback" not in said
    assert len(points(journal)) > 2
