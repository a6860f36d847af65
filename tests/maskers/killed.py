"""A program that masks again and again, each time in a process that is killed before the next operation on files.

    python -m tests.maskers.killed FOLDER

FOLDER has data, rules and a published pair in `old/`. Prints one JSON object for every kill: which files were found
after it, and what `check --certificate`, the next command, says and finds. All checks run in one process, which has no
lock and no staged file of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from constraint_sdc.cli import check_command, main, mask_command
from constraint_sdc.commands import check, mask
from constraint_sdc.commands.certificate import verify
from constraint_sdc.exam.guarantee.judging import pooled_saxon
from constraint_sdc.judge.worker import bench
from constraint_sdc.judge.worker.process import Worker
from constraint_sdc.reports.check import render
from tests.files.publication.faulty_disk import FaultyDisk, installed

LOADED = (check, check_command, mask, mask_command, render, verify)  # once, for all forks of this process
NAMES = ("masked.xml", "masked.xml.certificate.json")
MASK = "mask data.xml --rules rules.sch -k 7 --partition mdav -o masked.xml --overwrite --undecided guess"
CHECK = "check masked.xml --rules rules.sch --certificate masked.xml.certificate.json"


def killed(_operation: Callable[[], Any], _name: str) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def run(words: str, faulty: FaultyDisk) -> tuple[int, str]:
    """Run a command; return its exit code and what it printed."""
    sys.argv = ["constraint-sdc", *words.split()]
    printed, code = io.StringIO(), 0
    with installed(faulty), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return code, printed.getvalue()


def run_apart(words: str, faulty: FaultyDisk) -> tuple[int, str]:
    """Run a command in a process of its own, with a Saxon of its own; return its exit code and what it printed."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        bench.Worker = Worker
        code, text = run(words, faulty)
        os.write(writing, text.encode())
        os._exit(code)
    os.close(writing)
    with open(reading, encoding="utf-8") as stream:  # noqa: PTH123  (a descriptor)
        text = stream.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text


def publish_and_die(moment: int) -> tuple[int, str]:
    for name in os.listdir("."):  # noqa: PTH208
        if "masked.xml" in name:
            Path(name).unlink()
    for name in NAMES:
        shutil.copyfile(Path("old", name), name)
    return run_apart(MASK, FaultyDisk(moment, killed))


def state() -> dict[str, object]:
    masked, certificate = (Path(name).read_bytes() for name in NAMES)
    return {
        "files": [hashlib.sha256(content).hexdigest() for content in (masked, certificate)],
        "agrees": json.loads(certificate)["output"]["sha256"] == hashlib.sha256(masked).hexdigest(),
        "staged": [oct(path.stat().st_mode & 0o777) for path in Path().glob(".constraint-sdc.*.staged.*")],
        "hidden": sorted(path.name for path in Path().glob(".constraint-sdc.*")),
    }


def kill_at_every_moment() -> None:
    """Publish and die before the first operation on files, before the second and so on, and check after each death."""
    moment, code, text = 1, *publish_and_die(1)
    while code == -signal.SIGKILL:
        found = state()
        code, text = run(CHECK, FaultyDisk())
        print(json.dumps({"found": found, "code": code, "text": text, "then": state()}), flush=True)
        moment += 1
        code, text = publish_and_die(moment)
    assert code == 0, f"{moment}: {text}"


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    with pooled_saxon():  # for all checks
        kill_at_every_moment()
