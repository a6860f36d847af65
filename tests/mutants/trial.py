"""Plant a fault in a copy of the project and run the tests that execute its line."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from tests.mutants.faults import Fault
from tests.mutants.lines import TOP

# Two rounds: a few quick tests of different functions notice most faults; the others face all that this allows.
FIRST_TESTS, FIRST_SECONDS = 15, 6.0
ALL_TESTS, ALL_SECONDS = 120, 30.0
MOST_BYTES = 6_000_000_000
PATIENCE = 60.0
_NOT_FOUND = 4  # pytest's exit code for a test that is not there: nothing ran, so nothing was noticed


@dataclass(frozen=True)
class Finding:
    """What became of a fault: the test that noticed it, or nothing after so many tests."""

    name: str
    line: int
    noticed_by: str | None
    tests: int
    left_out: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """The finding as one line of results."""
        return asdict(self)


def copy_project(folder: Path) -> Path:
    """Copy every file of the project that is under version control or could be, and compile it."""
    shutil.rmtree(folder, ignore_errors=True)
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    for name in subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout.splitlines():
        if (TOP / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TOP / name, folder / name)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "constraint_sdc", "tests"], cwd=folder, check=True)
    return folder


class Plot:
    """A copy of a project in which one fault at a time is planted."""

    # Tests that pass without a fault, and those that do not: what one copy finds holds for all.
    _sound: ClassVar[set[str]] = set()
    _unsound: ClassVar[set[str]] = set()

    def __init__(self, folder: Path, patience: int = 1) -> None:
        self.folder = folder
        self._patience = patience
        self._clock = 0

    def try_fault(self, fault: Fault, tests: list[str], seconds: dict[str, float]) -> Finding:
        """Plant a fault and run its tests. A test that fails counts only if it passes without the fault."""
        while True:
            usable = [test for test in tests if test not in self._unsound]
            first, rest, left_out = choose_rounds(usable, seconds, self._patience, own=f"tests/{fault.room}/")
            started = time.monotonic()
            noticed_by = self._with_fault(fault, [first, rest], seconds)
            if noticed_by is None or self._is_sound(noticed_by):
                spent = round(time.monotonic() - started, 1)
                return Finding(fault.name, fault.line, noticed_by, len(first) + len(rest), left_out, spent)

    def _with_fault(self, fault: Fault, rounds: list[list[str]], seconds: dict[str, float]) -> str | None:
        """The first test that fails while the fault is in its file."""
        path = self.folder / fault.path
        source, status = path.read_bytes(), path.stat()
        self._clock += 1
        try:
            path.write_bytes(fault.planted(source))
            # Compiled files are told by size and whole second: every fault gets a second of its own.
            os.utime(path, (status.st_mtime + self._clock, status.st_mtime + self._clock))
            for tests in rounds:
                noticed_by = self.first_failure(tests, sum(seconds[test] for test in tests)) if tests else None
                if noticed_by is not None:
                    return noticed_by
            return None
        finally:
            path.write_bytes(source)
            os.utime(path, (status.st_mtime, status.st_mtime))

    def _is_sound(self, failed: str) -> bool:
        """Whether a test passes without a fault; a file of tests that cannot be loaded, or a run that ends, is none."""
        if "::" not in failed or failed in self._sound:
            return True
        is_sound = self.first_failure([failed], PATIENCE) is None
        (self._sound if is_sound else self._unsound).add(failed)
        return is_sound

    def first_failure(self, tests: list[str], expected: float) -> str | None:
        """Run tests until one fails; return its name, or None if all pass."""
        listed = self.folder / "chosen-tests.txt"
        listed.write_text("\n".join(tests), encoding="utf-8")
        temporary = self.folder / "tmp"
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir()
        environment = {name: text for name, text in os.environ.items() if name != "COVERAGE_PROCESS_START"}
        environment |= {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1", "CONSTRAINT_SDC_TESTS": str(listed)}
        environment["PYTHONPATH"] = os.pathsep.join((str(self.folder), str(TOP)))
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "--tb=no",
            "-rfE",
            "-p",
            "tests.mutants.order",
            f"@{listed}",
        ]
        code, printed = _run_guarded(command, self.folder, environment, PATIENCE + 6 * expected)
        plain = [test for test in tests if test.startswith("tests/")]
        if code == _NOT_FOUND and plain != tests:
            # Doctests of the package can keep pytest from finding tests of the same module: run without them.
            return self.first_failure(plain, expected) if plain else None
        if code in (0, _NOT_FOUND):
            return None
        if code is None:
            return printed
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - |$)", printed, re.MULTILINE)
        return failed.group(1) if failed else f"pytest ended with {code}"


def choose_rounds(
    tests: list[str], seconds: dict[str, float], patience: int = 1, own: str = "tests/"
) -> tuple[list[str], list[str], int]:
    """The quickest test of each of many functions, then the others; and how many there is no time for.

    All tests in the `own` folder come before any other: that of the fault's room is the likeliest to notice it.
    """
    first: list[str] = []
    functions: set[str] = set()
    spent = 0.0
    for test in tests:
        function = test.partition("[")[0]
        if function not in functions and len(first) < FIRST_TESTS and spent + seconds[test] < FIRST_SECONDS:
            first.append(test)
            functions.add(function)
            spent += seconds[test]
    rest: list[str] = []
    left = [test for test in tests if test not in first]
    for test in sorted(left, key=lambda test: (not test.startswith(own), test.partition("[")[0] in functions)):
        is_one_more = len(first) + len(rest) < patience * ALL_TESTS and spent + seconds[test] < patience * ALL_SECONDS
        if is_one_more or not first + rest:
            rest.append(test)
            spent += seconds[test]
    return first, rest, len(tests) - len(first) - len(rest)


def _run_guarded(command: list[str], folder: Path, environment: dict[str, str], limit: float) -> tuple[int | None, str]:
    """Run a command that a fault may keep from ending or from stopping to take memory: end it, and say which."""
    printed = folder / "printed.txt"
    with printed.open("wb") as stream:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT, start_new_session=True
        )
    deadline = time.monotonic() + limit
    ended = ""
    while not ended:
        try:
            process.wait(0.5)
            break
        except subprocess.TimeoutExpired:
            too_large = sum(size for _, size in _members(process.pid)) > MOST_BYTES
            ended = "did not end" if time.monotonic() > deadline else "took too much memory" if too_large else ""
    for number, _ in _members(process.pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    process.wait()
    return (None, ended) if ended else (process.returncode, printed.read_text(encoding="utf-8", errors="replace"))


def _members(session: int) -> Iterator[tuple[int, int]]:
    """The processes of a session with their bytes in memory: the tests, and what they started."""
    page = os.sysconf("SC_PAGE_SIZE")
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(stat.parent.name), int(fields[21]) * page
