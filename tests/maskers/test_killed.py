"""Killed at any moment: the old file or the complete new one is under the final name, and never anything else."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.maskers.extract import Extract, columns, extract

KILLS = 25
PATIENCE = 60.0
FINAL = ("masked.xml", "masked.xml.certificate.json")


def start(given: Extract, k: int) -> subprocess.Popen[bytes]:
    command = ("mask", "data.xml", "--rules", "rules.sch", "-k", str(k), "--partition", "mdav", "-o", "masked.xml")
    code = "from constraint_sdc.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *command, "--overwrite"],
        cwd=given.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def publish(given: Extract, k: int) -> tuple[dict[str, bytes], float]:
    """Mask to the end; return the published files and how long it took."""
    began = time.monotonic()
    process = start(given, k)
    assert process.wait(timeout=PATIENCE) == 0
    return read(given), time.monotonic() - began


def read(given: Extract) -> dict[str, bytes]:
    return {name: (given.folder / name).read_bytes() for name in FINAL}


def staged(given: Extract) -> list[str]:
    return [path.name for path in given.folder.iterdir() if path.name.startswith(".") and "masked.xml" in path.name]


def wait_until_staged(given: Extract, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None and not staged(given):
        time.sleep(0.001)


@pytest.mark.slow
def test_killed_at_any_moment_the_old_file_or_the_new_one_is_there(tmp_path: Path) -> None:
    amounts = np.random.default_rng(4).integers(0, 900, (2, 60)).tolist()
    totals = [a + b for a, b in zip(*amounts, strict=True)]
    rules = {"total": "number(A) + number(B) = number(C)"}
    given = extract(tmp_path, columns(A=amounts[0], B=amounts[1], C=totals), rules)
    new, duration = publish(given, 7)
    old, _ = publish(given, 3)
    assert old != new
    rng = random.Random(2)
    moments = np.linspace(0.02, 1.05, KILLS // 2)
    inside = np.linspace(0.0, 0.6, KILLS - len(moments))
    seen = {"old": 0, "new": 0, "died": 0}
    for number in range(KILLS):
        for name, content in old.items():
            (given.folder / name).write_bytes(content)
        for name in staged(given):
            (given.folder / name).unlink()
        process = start(given, 7)
        if number < len(moments):
            time.sleep(float(moments[number]) * duration)
        else:
            # Most of a run is preparation; these kills fall while the staged file is written, judged and named.
            wait_until_staged(given, process)
            time.sleep(float(inside[number - len(moments)]) * duration * rng.uniform(0.5, 1.0))
        process.kill()
        seen["died"] += process.wait(timeout=PATIENCE) == -signal.SIGKILL
        found = read(given)
        assert found["masked.xml"] in (old["masked.xml"], new["masked.xml"])
        assert found[FINAL[1]] in (old[FINAL[1]], new[FINAL[1]])
        if found["masked.xml"] == new["masked.xml"]:
            assert found[FINAL[1]] == new[FINAL[1]], "a new file is never without its certificate"
        seen["new" if found["masked.xml"] == new["masked.xml"] else "old"] += 1
        assert not set(staged(given)) & set(FINAL)
    assert seen["died"] >= KILLS // 2, seen
    assert seen["old"], seen
    assert publish(given, 7)[0] == new, "what a killed run leaves behind is in nobody's way"
