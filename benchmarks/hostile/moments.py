"""`mask` is killed, or a file operation of it fails or is its last: what is there afterwards must be one whole pair.

`make crash` kills 1,000 runs; here there are fewer, by the command line alone, so that any checkout can be asked. Only
processes that were forked here are killed.
"""

from __future__ import annotations

import errno
import hashlib
import io
import itertools
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hostile.attempt import TRUE, Tally, rows, schema
from hostile.running import ran, spelled

MASKED, CERTIFICATE = "masked.xml", "masked.xml.certificate.json"
PAIR = (MASKED, CERTIFICATE)
GIVEN = {"data.xml": rows(60), "rules.sch": schema(TRUE)}
KILLS = 30
NEXT = ("check", MASKED, "--rules", "rules.sch", "--certificate", CERTIFICATE)
OPERATIONS = ("replace", "rename", "link", "unlink", "remove", "fsync", "chmod", "open")


class Bench:
    """A folder with an old pair, and the digests of the old and of the new one."""

    def __init__(self, ground: Path) -> None:
        self.ground = ground
        for name, content in GIVEN.items():
            (ground / name).write_bytes(content)
        for words in (mask_words(7, is_over_old=True), NEXT):
            ran(words, ground)  # what a run loads is there before processes are forked
        self.new = self._whole(7)
        self.old = self._whole(3)
        self.kept = {name: (ground / name).read_bytes() for name in PAIR}
        began = time.monotonic()
        self._whole(7)
        self.seconds = time.monotonic() - began

    def _whole(self, k: int) -> list[str | None]:
        if code := ended(started(mask_words(k, is_over_old=True), self.ground)):
            raise SystemExit(f"mask ended with {code}")
        return self.digests()

    def digests(self) -> list[str | None]:
        paths = [self.ground / name for name in PAIR]
        return [hashlib.sha256(p.read_bytes()).hexdigest() if p.exists() else None for p in paths]

    def set_up(self, *, is_over_old: bool) -> None:
        for path in self.ground.iterdir():
            if path.name in GIVEN:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in self.kept.items() if is_over_old else ():
            (self.ground / name).write_bytes(content)

    def strange(self) -> list[Path]:
        return [path for path in self.ground.iterdir() if path.name not in GIVEN and path.name not in PAIR]

    def is_whole(self, *, is_over_old: bool) -> bool:
        return self.digests() in (self.new, self.old if is_over_old else [None, None])

    def found(self, what: str, tally: Tally, *, is_over_old: bool) -> None:
        """Look at what is there, let the next command run, and look again."""
        tally.attempts += 1
        # A copy of the old pair was public before; everything else that is not yet published must be private.
        known = set(self.kept.values())
        others = [path for path in self.strange() if path.is_file() and path.read_bytes() not in known]
        readable = [path for path in others if path.stat().st_mode & 0o077]
        ended(started(NEXT, self.ground))
        if not self.is_whole(is_over_old=is_over_old):
            tally.faults.append(f"{what}: masked file and certificate do not belong together")
        elif readable and any(MASKED in path.name for path in readable):
            tally.faults.append(f"{what}: {readable[0].name} can be read by others")
        elif left := self.strange():
            tally.faults.append(f"{what}: {left[0].name} is left")


def mask_words(k: int, *, is_over_old: bool) -> tuple[str, ...]:
    over = ("--overwrite",) if is_over_old else ()
    return ("mask", "data.xml", "--rules", "rules.sch", "-k", str(k), "-o", MASKED, *over)


def started(words: tuple[str, ...], folder: Path, prepare: Callable[[], None] = lambda: None) -> int:
    """Run the command line in a process of its own, without output, and return its id."""
    from constraint_sdc.cli import main

    process = os.fork()
    if process:
        return process
    code: Any = 2
    try:
        os.chdir(folder)
        silence = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(silence, descriptor)
        sys.argv = ["constraint-sdc", *spelled(words)]
        prepare()
        main()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        code = 99
    finally:
        os._exit(code)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def run_kills(draw: random.Random, ground: Path) -> Tally:
    """Kill runs with SIGKILL: a third at any moment, the others soon after a file beside the data is seen."""
    bench, tally = Bench(ground), Tally()
    number = 0
    while tally.attempts < KILLS:
        number += 1
        is_over_old = bool(number % 2)
        bench.set_up(is_over_old=is_over_old)
        process = started(mask_words(7, is_over_old=is_over_old), ground)
        if number % 3 == 0:
            time.sleep(draw.uniform(0, bench.seconds))
        else:
            deadline = time.monotonic() + 20
            while not bench.strange() and time.monotonic() < deadline and not _is_over(process):
                time.sleep(0.0005)
            time.sleep(draw.uniform(0, 0.4 * bench.seconds))
        os.kill(process, signal.SIGKILL)
        if ended(process) == -signal.SIGKILL:
            bench.found(f"kill {number}", tally, is_over_old=is_over_old)
    return tally


def _is_over(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def run_injected(_: random.Random, ground: Path) -> Tally:
    """Let each file operation of a run over an old pair fail once, and be the last one once."""
    bench, tally = Bench(ground), Tally()
    mark = ground.parent / "reached"
    for how in ("fails", "is the last"):
        for number in itertools.count(1):
            bench.set_up(is_over_old=True)
            mark.unlink(missing_ok=True)
            code = ended(started(mask_words(7, is_over_old=True), ground, _injection(ground, number, how, mark)))
            if not mark.exists():
                break
            what = f"operation {number} {how}"
            tally.refused += code not in (0, 77)
            if code == 99:
                tally.attempts += 1
                tally.faults.append(f"{what}: traceback")
            else:
                bench.found(what, tally, is_over_old=True)
    return tally


def _injection(ground: Path, number: int, how: str, mark: Path) -> Callable[[], None]:
    """Return what makes the operation of this number on a file of the folder fail, or be the last."""

    def prepare() -> None:
        count = [0]

        def hooked(real: Callable[..., Any]) -> Callable[..., Any]:
            def operation(*given: Any, **named: Any) -> Any:
                if not _concerns(given, named, ground):
                    return real(*given, **named)
                count[0] += 1
                if count[0] != number:
                    return real(*given, **named)
                os.close(descriptor(str(mark), os.O_CREAT | os.O_WRONLY))
                if how == "fails":
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                real(*given, **named)
                os._exit(77)

            return operation

        descriptor = os.open
        for name in OPERATIONS:
            setattr(os, name, hooked(getattr(os, name)))
        io.open = hooked(io.open)  # type: ignore[assignment]

    return prepare


def _concerns(given: tuple[Any, ...], named: dict[str, Any], ground: Path) -> bool:
    """Tell whether an operation concerns a file that the run writes: by its name, or by its descriptor."""
    if not given:
        return False
    if isinstance(given[0], int):
        return given[0] > 2
    how = given[1] if len(given) > 1 else named.get("mode", "w")
    if (isinstance(how, int) and not how & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)) or how in ("r", "rb"):
        return False  # opened for reading
    name = os.fsdecode(os.fspath(given[0])) if isinstance(given[0], str | bytes | os.PathLike) else ""
    path = (Path.cwd() / name).parent
    return bool(name) and path == ground and Path(name).name not in GIVEN
