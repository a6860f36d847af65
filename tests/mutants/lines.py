"""Which tests execute which line: measured once over the whole suite, kept in build/mutants, read for every fault."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path

import coverage

TOP = Path(__file__).parents[2]
BUILD = TOP / "build" / "mutants"
DATA = BUILD / "lines"
SECONDS = BUILD / "seconds.json"
SOURCES = BUILD / "measured"
NEW_SECONDS = 0.5  # taken for a test that was not there when the lines were measured

_SETTINGS = """\
[run]
source = {top}/constraint_sdc
data_file = {data}
context = ${{CONSTRAINT_SDC_TEST-}}
parallel = true
sigterm = true
disable_warnings = no-data-collected, module-not-imported, couldnt-parse
"""


def measure_lines(arguments: list[str]) -> int:
    """Run the tests and note which of them executes which line; return pytest's exit code."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for old in BUILD.glob("lines*"):
        old.unlink()
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.copytree(TOP / "constraint_sdc", SOURCES / "constraint_sdc", ignore=shutil.ignore_patterns("__pycache__"))
    settings = BUILD / "coverage.ini"
    settings.write_text(_SETTINGS.format(top=TOP, data=DATA), encoding="utf-8")
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings), "CONSTRAINT_SDC_SECONDS": str(SECONDS)}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.witness", "-n", "auto", "--dist", "worksteal"]
    done = subprocess.run([*command, *arguments], cwd=TOP, env=environment, check=False)
    together = coverage.Coverage(config_file=str(settings))
    together.combine([str(BUILD)])
    together.save()
    return done.returncode


class Witnesses:
    """The tests that passed, the lines that each of them executes, and their seconds: one object for a whole run.

    Code and tests may have changed since the lines were measured. A line is looked up where it was then; a test that is
    newer is taken to execute every line.
    """

    def __init__(self) -> None:
        if not DATA.exists() or not SECONDS.exists():
            raise SystemExit("no lines are measured yet; run: python -m tests.mutants lines")
        self._data = coverage.CoverageData(str(DATA))
        self._data.read()
        passed = json.loads(SECONDS.read_text(encoding="utf-8"))
        today = collected_tests()
        self.newer = [test for test in today if test not in passed]
        self.seconds: dict[str, float] = {test: passed.get(test, NEW_SECONDS) for test in today}

    def of(self, path: str, line: int) -> list[str]:
        """The tests that execute a line, the quickest first; of a line that no test is seen in, those of its file.

        A compiled kernel executes lines that no measurement sees: its tests are those that import it too.
        """
        by_line = self._of_file(path)
        tests = by_line.get(self._line_then(path).get(line, 0))
        if not tests:
            tests = set().union(*by_line.values(), self._users_of_kernels(path))
        return self.newer + sorted(tests, key=lambda test: (self.seconds[test], test))

    @lru_cache(maxsize=64)  # noqa: B019
    def _of_file(self, path: str) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for measured in self._data.measured_files():
            if measured.endswith(f"/{path}"):
                for line, tests in self._data.contexts_by_lineno(measured).items():
                    found[line] = {test for test in tests if test in self.seconds}
        return found

    @lru_cache(maxsize=64)  # noqa: B019
    def _users_of_kernels(self, path: str) -> set[str]:
        """The tests that import a file of kernels, or execute code that does; none for any other file."""
        tests: set[str] = set()
        if "@compiled" not in (TOP / path).read_text(encoding="utf-8"):
            return tests
        for source in sorted(SOURCES.rglob("*.py")):
            for line in import_lines(path, source.read_text(encoding="utf-8")):
                by_line = self._of_file(source.relative_to(SOURCES).as_posix())
                tests |= by_line.get(line, set()) if line else set().union(*by_line.values())
        for source in sorted((TOP / "tests").rglob("test_*.py")):
            if import_lines(path, source.read_text(encoding="utf-8")):
                own = f"{source.relative_to(TOP).as_posix()}::"
                tests |= {test for test in self.seconds if test.startswith(own)}
        return tests

    @lru_cache(maxsize=64)  # noqa: B019
    def _line_then(self, path: str) -> dict[int, int]:
        """The number that each line had when the lines were measured, for those that have not changed."""
        if not (SOURCES / path).exists():
            return {}
        then, now = ((top / path).read_text(encoding="utf-8").splitlines() for top in (SOURCES, TOP))
        same = SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks()
        return {new + i + 1: old + i + 1 for old, new, length in same for i in range(length)}


def import_lines(path: str, text: str) -> list[int]:
    """The lines of a source file that import another file within a function; 0 for an import by the whole module.

    >>> import_lines("a/b.py", "from a.b import c\\ndef f():\\n    from a import b\\n    from a.bc import d")
    [0, 3]
    """
    package, _, name = path.removesuffix(".py").replace("/", ".").rpartition(".")
    written = re.compile(rf"( *)from {re.escape(package)}(?:\.{name} import| import (?:.*\W)?{name}\b)")
    found = ((number, written.match(line)) for number, line in enumerate(text.splitlines(), start=1))
    return [number if match[1] else 0 for number, match in found if match]


def collected_tests() -> list[str]:
    """Every test of the suite as it is now."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q"]
    told = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=True).stdout
    return [line for line in told.splitlines() if "::" in line and not line.startswith("tests/mutants")]


def shares_by_room() -> dict[str, tuple[int, int]]:
    """Statements of every room, and how many of them the tests execute."""
    measured = coverage.Coverage(data_file=str(DATA), config_file=False)
    measured.load()
    rooms: dict[str, tuple[int, int]] = {}
    for path in sorted((TOP / "constraint_sdc").rglob("*.py")):
        parts = path.relative_to(TOP).parts
        room = parts[1] if len(parts) > 2 else "top"
        _, statements, _, missing, _ = measured.analysis2(str(path))
        before = rooms.get(room, (0, 0))
        rooms[room] = before[0] + len(statements), before[1] + len(statements) - len(missing)
    return rooms
