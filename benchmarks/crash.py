"""Kill `constraint-sdc mask` at random moments, and see what the next command finds.

    .venv/bin/python benchmarks/crash.py                      1,000 kills, two at a time
    .venv/bin/python benchmarks/crash.py --kills 50 --seed 3

Each run is a process of its own, forked from one that has loaded the program, and is ended by SIGKILL. Half of the runs
overwrite a published pair, half create one. A third of the kills comes at any moment of the run; the others come soon
after the staged file or the lock of the certificate is seen, because the exchange of files takes milliseconds of a run.
Then the next command runs: `check --certificate` after some kills, else the recovery that all commands start with.
Exit code 1 if a pair is ever mixed after that, if a staged file is readable by others, or if anything is left behind.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from constraint_sdc.census import generate_file
from constraint_sdc.cli import check_command, main, mask_command
from constraint_sdc.commands import check, mask
from constraint_sdc.commands.certificate import verify
from constraint_sdc.files.publication.recovery import settle_publication
from constraint_sdc.reports.check import render

LOADED = (check, check_command, mask, mask_command, render, verify)  # once, for all runs
MASKED, CERTIFICATE = "masked.xml", "masked.xml.certificate.json"
STAGES = ("before the staged file", "staged, judged", "files are exchanged", "removing temporary files")
CHECKED = 5  # after every so many kills over an old pair the next command is `check`, and after all of a new pair
DATA = "data.xml --rules rules.sch --original data.xml"
RECORDS = 60
RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><pattern><rule context="Record">
<assert id="sum" test="number(V9) + number(V10) = number(V14)">sum</assert></rule></pattern></schema>
"""


@dataclass(frozen=True)
class Kill:
    """What one kill left, and what was there after the next command."""

    is_over_old: bool
    stage: str
    found: str
    swept: int
    readable: int
    then: str
    left: int


class Workshop:
    """A folder with data, rules, an old pair and the digests of the old and the new one."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.random = random.Random(seed)
        folder.mkdir()
        os.chdir(folder)
        generate_file(folder / "data.xml", RECORDS, 7)
        (folder / "rules.sch").write_text(RULES, encoding="utf-8")
        self.new, self.seconds = self._mask_to_the_end(7)
        self.old, _ = self._mask_to_the_end(3)
        (folder / "old").mkdir()
        for name in (MASKED, CERTIFICATE):
            (folder / name).rename(folder / "old" / name)

    def _mask_to_the_end(self, k: int) -> tuple[list[str | None], float]:
        started = time.monotonic()
        code = ended(started_run(masking(k, is_over_old=True)))
        if code:
            raise SystemExit(f"mask ended with {code}")
        return self.digests(), time.monotonic() - started

    def digests(self) -> list[str | None]:
        paths = (self.folder / MASKED, self.folder / CERTIFICATE)
        return [hashlib.sha256(p.read_bytes()).hexdigest() if p.exists() else None for p in paths]

    def set_up(self, is_over_old: bool) -> None:
        for path in self.folder.iterdir():
            if "masked.xml" in path.name:
                path.unlink()
        if is_over_old:
            for name in (MASKED, CERTIFICATE):
                shutil.copyfile(self.folder / "old" / name, self.folder / name)

    def hidden(self, pattern: str = "*") -> list[Path]:
        return list(self.folder.glob(f".constraint-sdc.{pattern}"))

    def state(self, is_over_old: bool) -> str:
        found = self.digests()
        return "new" if found == self.new else "old" if found == (self.old if is_over_old else [None, None]) else "mix"

    def wait_for_moment(self, is_running: Callable[[], bool]) -> None:
        """Wait until a random moment of the run."""
        sight = self.random.choice((None, "*.staged.masked.xml", f"lock.{CERTIFICATE}"))
        if sight is None:
            time.sleep(self.random.uniform(0, self.seconds))
            return
        while is_running() and not self.hidden(sight):
            time.sleep(0.0005)
        time.sleep(self.random.uniform(0, 0.3 * self.seconds if sight.startswith("*") else 0.03))

    def wait_for_locks(self) -> None:
        """Wait until nobody has a lock of the killed run.

        A run that is killed while it starts Saxon leaves a child, which has the open files until it runs its program.
        """
        for path in self.hidden("lock.*"):
            with path.open("rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)

    def stage(self, found: str) -> str:
        """Tell from what is there how far the run was."""
        if self.hidden("journal.*"):
            return STAGES[2]
        if found == "new":
            return STAGES[3]
        return STAGES[1] if self.hidden("*.staged.*") else STAGES[0]

    def kill_once(self, number: int) -> Kill | None:
        """Start a run and kill it; None if it had ended before."""
        is_over_old = bool(number % 2)
        self.set_up(is_over_old)
        process = started_run(masking(7, is_over_old))
        alive = True

        def is_running() -> bool:
            nonlocal alive
            alive = alive and os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
            return alive

        self.wait_for_moment(is_running)
        os.kill(process, signal.SIGKILL)
        if ended(process) != -signal.SIGKILL:
            return None
        self.wait_for_locks()
        found, before = self.state(is_over_old), len(self.hidden())
        stage = self.stage(found)
        readable = sum(path.stat().st_mode & 0o077 != 0 for path in self.hidden("*.staged.*"))
        self.next_command(number, found, is_over_old)
        left = len(self.hidden())
        return Kill(is_over_old, stage, found, before - left, readable, self.state(is_over_old), left)

    def next_command(self, number: int, found: str, is_over_old: bool) -> None:
        if found == "new" or (is_over_old and number // 2 % CHECKED == 0):
            code = ended(started_run(lambda: command(f"check {MASKED} --rules rules.sch --certificate {CERTIFICATE}")))
        else:
            code = ended(started_run(lambda: settle_publication(self.folder / MASKED)))
        if code:
            raise SystemExit(f"the next command ended with {code}")


def masking(k: int, is_over_old: bool) -> Callable[[], None]:
    overwrite = "--overwrite" if is_over_old else ""
    return lambda: command(f"mask {DATA} -k {k} --partition mdav -o {MASKED} {overwrite}")


def command(words: str) -> None:
    sys.argv = ["constraint-sdc", *words.split()]
    main()


def started_run(work: Callable[[], None]) -> int:
    """Do the work in a process of its own, without output."""
    process = os.fork()
    if process:
        return process
    code = 2
    try:
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(silence, descriptor)
        work()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        os._exit(code)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def kills(top: Path, count: int, jobs: int, seed: int) -> Iterator[Kill]:
    """Yield the kills of several workshops, each a process with one run at a time."""
    reading, writing = os.pipe()
    workers = []
    for job in range(jobs):
        share = count // jobs + (job < count % jobs)
        workers.append(os.fork())
        if not workers[-1]:
            os.close(reading)
            work_alone(Workshop(top / str(job), seed + job), share, writing)
    os.close(writing)
    with open(reading, encoding="ascii") as stream:  # noqa: PTH123  (a descriptor)
        for line in stream:
            yield Kill(**json.loads(line))
    codes = [ended(worker) for worker in workers]
    if any(codes):
        raise SystemExit("a worker failed")


def work_alone(workshop: Workshop, share: int, writing: int) -> None:
    code = 1
    try:
        number = done = 0
        while done < share:
            number += 1
            if kill := workshop.kill_once(number):
                os.write(writing, (json.dumps(asdict(kill)) + "\n").encode("ascii"))
                done += 1
        code = 0
    except SystemExit as stop:
        sys.stderr.write(f"{stop}\n")
    finally:
        os._exit(code)


def report(found: list[Kill], seconds: float, arguments: argparse.Namespace) -> str:
    over = sum(kill.is_over_old for kill in found)
    lines = [
        f"{len(found):,} kills in {seconds:,.0f} s, {arguments.jobs} at a time, seed {arguments.seed}: "
        f"{over:,} over an old pair, {len(found) - over:,} new pairs",
        "",
        f"{'killed while':<26}{'kills':>8}{'old':>8}{'new':>8}{'mixed':>8}    then {'old':>5}{'new':>8}{'mixed':>8}",
    ]
    for stage in (*STAGES, "all"):
        some = [kill for kill in found if stage in (kill.stage, "all")]
        first, then = Counter(kill.found for kill in some), Counter(kill.then for kill in some)
        counts = "".join(f"{n:>8,}" for n in (len(some), first["old"], first["new"], first["mix"]))
        lines.append(f"{stage:<26}{counts}    then {then['old']:>5,}{then['new']:>8,}{then['mix']:>8,}")
    lines += [
        "",
        f"hidden files swept by the next command   {sum(kill.swept for kill in found):,}",
        f"hidden files left after it               {sum(kill.left for kill in found):,}",
        f"staged files readable by others          {sum(kill.readable for kill in found):,}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as top:
        results = list(kills(Path(os.path.realpath(top)), given.kills, given.jobs, given.seed))
    print(report(results, time.monotonic() - began, given))
    sys.exit(any(kill.then == "mix" or kill.left or kill.readable for kill in results))
