"""Killed at any moment: the old file or the complete new one is under the final name, and never anything else."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.maskers.extract import Extract, columns, extract
from tests.waiting import PATIENCE

KILLS = 25
FINAL = ("masked.xml", "masked.xml.certificate.json")

# The run counts its own function calls, of Python and of C, and kills itself at a given one. That is a moment of the
# run which does not depend on the speed of the machine; between any two operations on files there are calls.
COUNTING = """
import os, signal, sys
from constraint_sdc.cli import main
from constraint_sdc.files import atomic
last, calls, staged = int(sys.argv.pop(1)), 0, 0
def count(frame, event, argument):
    global calls, staged
    if event in ("call", "c_call"):
        calls += 1
        if calls == last:
            os.kill(os.getpid(), signal.SIGKILL)
        if not staged and frame.f_code.co_filename == atomic.__file__:
            staged = calls
sys.setprofile(count)
try:
    main()
finally:
    sys.setprofile(None)
    print(staged, calls)
"""


def run(given: Extract, k: int, last: int = 0) -> subprocess.CompletedProcess[str]:
    """Mask in a process that dies at its `last`-th call, or comes to its end if that is 0."""
    command = ("mask", "data.xml", "--rules", "rules.sch", "-k", str(k), "--partition", "mdav", "-o", "masked.xml")
    return subprocess.run(
        [sys.executable, "-c", COUNTING, str(last), *command, "--overwrite"],
        cwd=given.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def publish(given: Extract, k: int) -> tuple[dict[str, bytes], int, int]:
    """Mask to the end; return the published files, the call at which staging began, and the number of calls."""
    process = run(given, k)
    assert process.returncode == 0, process.stderr
    staged, calls = map(int, process.stdout.split()[-2:])
    return read(given), staged, calls


def read(given: Extract) -> dict[str, bytes]:
    return {name: (given.folder / name).read_bytes() for name in FINAL}


def staged_files(given: Extract) -> list[str]:
    return [path.name for path in given.folder.iterdir() if path.name.startswith(".") and "masked.xml" in path.name]


@pytest.mark.slow
def test_killed_at_any_moment_the_old_file_or_the_new_one_is_there(tmp_path: Path) -> None:
    amounts = np.random.default_rng(4).integers(0, 900, (2, 60)).tolist()
    totals = [a + b for a, b in zip(*amounts, strict=True)]
    rules = {"total": "number(A) + number(B) = number(C)"}
    given = extract(tmp_path, columns(A=amounts[0], B=amounts[1], C=totals), rules)
    new, staging, calls = publish(given, 7)
    old, _, _ = publish(given, 3)
    assert old != new
    # Most of a run is preparation: most kills fall while the files are staged, judged and named.
    early = np.linspace(1, staging, KILLS // 5, endpoint=False)
    moments = [*early.astype(int), *np.linspace(staging, calls * 0.999, KILLS - len(early)).astype(int)]
    seen = {"old": 0, "new": 0, "died": 0}
    for moment in moments:
        for name, content in old.items():
            (given.folder / name).write_bytes(content)
        for name in staged_files(given):
            (given.folder / name).unlink()
        seen["died"] += run(given, 7, int(moment)).returncode == -signal.SIGKILL
        found = read(given)
        assert found["masked.xml"] in (old["masked.xml"], new["masked.xml"])
        assert found[FINAL[1]] in (old[FINAL[1]], new[FINAL[1]])
        if found["masked.xml"] == new["masked.xml"]:
            assert found[FINAL[1]] == new[FINAL[1]], "a new file is never without its certificate"
        seen["new" if found["masked.xml"] == new["masked.xml"] else "old"] += 1
        assert not set(staged_files(given)) & set(FINAL)
    assert seen["died"] >= KILLS - 2, seen
    assert seen["old"], seen
    assert publish(given, 7)[0] == new, "what a killed run leaves behind is in nobody's way"
