"""Killed at any moment: the old file or the complete new one is under the final name, and never anything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.maskers.extract import Extract, columns, extract
from tests.waiting import PATIENCE

FINAL = ("masked.xml", "masked.xml.certificate.json")
LEAST = 12
"""Two files, and for each: rights, content, content on the disk, name, directory on the disk, staged name gone."""

# The run counts the operations that change files, from the first staged file on, and kills itself before a given one.
# That is a moment which does not depend on the speed of the machine, and every moment at which files differ is among
# them. Before the first operation the old files must be there as they were.
COUNTING = """
import os, signal, sys
from constraint_sdc.cli import main
from constraint_sdc.files import atomic
CHANGES = {"chmod", "copy_file_range", "fsync", "ftruncate", "link", "remove", "rename", "replace", "sendfile",
           "truncate", "unlink", "write", "writelines"}
last, done, stage = int(sys.argv.pop(1)), 0, atomic._stage
def changes_a_file(function):
    owner = getattr(function, "__self__", None)
    is_file = isinstance(getattr(owner, "name", None), str) and owner not in (sys.stdout, sys.stderr)
    return function.__name__ in CHANGES and (is_file or owner is sys.modules[os.name])
def count(frame, event, function):
    global done
    if event == "c_call" and changes_a_file(function):
        done += 1
        if done == last:
            os.kill(os.getpid(), signal.SIGKILL)
def counted_stage(*given):
    sys.setprofile(count)
    return stage(*given)
atomic._stage = counted_stage
try:
    main()
finally:
    sys.setprofile(None)
    print(done)
"""


def run(given: Extract, k: int, last: int = 0) -> subprocess.CompletedProcess[str]:
    """Mask in a process that dies before its `last`-th operation on files, or comes to its end if that is 0."""
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


def publish(given: Extract, k: int) -> tuple[dict[str, bytes], int]:
    """Mask to the end; return the published files and the number of operations."""
    process = run(given, k)
    assert process.returncode == 0, process.stderr
    return read(given), int(process.stdout.split()[-1])


def read(given: Extract) -> dict[str, bytes]:
    return {name: (given.folder / name).read_bytes() for name in FINAL}


def staged_files(given: Extract) -> list[str]:
    return [path.name for path in given.folder.iterdir() if path.name.startswith(".") and "masked.xml" in path.name]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="the operations are those of this system's module")
def test_killed_at_any_moment_the_old_file_or_the_new_one_is_there(tmp_path: Path) -> None:
    amounts = np.random.default_rng(4).integers(0, 900, (2, 60)).tolist()
    totals = [a + b for a, b in zip(*amounts, strict=True)]
    rules = {"total": "number(A) + number(B) = number(C)"}
    given = extract(tmp_path, columns(A=amounts[0], B=amounts[1], C=totals), rules)
    old, _ = publish(given, 3)
    new, operations = publish(given, 7)
    assert old != new
    assert operations >= LEAST
    seen = {"old": 0, "new": 0, "certificate first": 0}
    for moment in range(1, operations + 1):
        for name, content in old.items():
            (given.folder / name).write_bytes(content)
        for name in staged_files(given):
            (given.folder / name).unlink()
        assert run(given, 7, moment).returncode == -signal.SIGKILL
        found = read(given)
        assert found["masked.xml"] in (old["masked.xml"], new["masked.xml"])
        assert found[FINAL[1]] in (old[FINAL[1]], new[FINAL[1]])
        if found["masked.xml"] == new["masked.xml"]:
            assert found[FINAL[1]] == new[FINAL[1]], "a new file is never without its certificate"
        seen["new" if found["masked.xml"] == new["masked.xml"] else "old"] += 1
        seen["certificate first"] += found != new and found != old
        assert not set(staged_files(given)) & set(FINAL)
    assert all(seen.values()), seen
    assert publish(given, 7)[0] == new, "what a killed run leaves behind does not disturb the next"
