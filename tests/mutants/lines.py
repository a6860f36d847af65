"""Which tests execute which line: measured once over the whole suite, kept in build/mutants, read for every fault."""

from __future__ import annotations

import ast
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
NEW_SECONDS = 0.5  # taken for a test whose lines were not measured

_SETTINGS = """\
[run]
source = {top}/constraint_sdc
data_file = {data}
context = ${{CONSTRAINT_SDC_TEST-}}
parallel = true
sigterm = true
disable_warnings = no-data-collected, module-not-imported, couldnt-parse
"""


def measurements() -> list[Path]:
    """The folders of all measurements: the first of the whole suite, the others of tests that were newer."""
    return sorted(BUILD.glob("lines-*"))


def measure_lines(only_newer: bool = False) -> int:
    """Run the tests, or those that no measurement knows, and note which lines each executes; return pytest's code."""
    arguments: list[str] = []
    if only_newer:
        newer = Witnesses().newer
        if not newer:
            return 0
        (BUILD / "newer.txt").write_text("\n".join(newer), encoding="utf-8")
        arguments = [f"@{BUILD / 'newer.txt'}"]
    else:
        for old in measurements():
            shutil.rmtree(old)
    folder = BUILD / f"lines-{len(measurements()) + 1}"
    shutil.copytree(TOP / "constraint_sdc", folder / "constraint_sdc", ignore=shutil.ignore_patterns("__pycache__"))
    settings = folder / "coverage.ini"
    settings.write_text(_SETTINGS.format(top=TOP, data=folder / "data"), encoding="utf-8")
    environment = os.environ | {"COVERAGE_PROCESS_START": str(settings)}
    environment["CONSTRAINT_SDC_SECONDS"] = str(folder / "seconds.json")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutants.witness", "-n", "auto", "--dist", "worksteal"]
    done = subprocess.run([*command, *arguments], cwd=TOP, env=environment, check=False)
    together = coverage.Coverage(config_file=str(settings))
    together.combine([str(folder)])
    together.save()
    return done.returncode


class Measurement:
    """The lines that each of some tests executed, in the code as it was then."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = json.loads((folder / "seconds.json").read_text(encoding="utf-8"))
        self._data = coverage.CoverageData(str(folder / "data"))
        self._data.read()

    def at(self, path: str, line: int) -> set[str]:
        """The tests that executed a line of today where it was then; none if the line is newer."""
        return self.by_line(path).get(self._line_then(path).get(line, 0), set())

    @lru_cache(maxsize=64)  # noqa: B019
    def by_line(self, path: str) -> dict[int, set[str]]:
        """The tests that executed each line of a file, as the lines were numbered then."""
        found: dict[int, set[str]] = {}
        for measured in self._data.measured_files():
            if measured.endswith(f"/{path}"):
                for line, tests in self._data.contexts_by_lineno(measured).items():
                    found[line] = {test for test in tests if test in self.seconds}
        return found

    @lru_cache(maxsize=64)  # noqa: B019
    def _line_then(self, path: str) -> dict[int, int]:
        """The number that each line had then, for those that have not changed."""
        if not (self.folder / path).exists():
            return {}
        then, now = ((top / path).read_text(encoding="utf-8").splitlines() for top in (self.folder, TOP))
        same = SequenceMatcher(None, then, now, autojunk=False).get_matching_blocks()
        return {new + i + 1: old + i + 1 for old, new, length in same for i in range(length)}


class Witnesses:
    """The tests that passed, the lines that each of them executes, and their seconds: one object for a whole run.

    Code and tests may have changed since the lines were measured. A line is looked up where it was then; a test that is
    newer is taken to execute every line.
    """

    def __init__(self) -> None:
        self._measured = [Measurement(folder) for folder in measurements()]
        if not self._measured:
            raise SystemExit("no lines are measured yet; run: python -m tests.mutants lines")
        passed = {test: spent for measured in self._measured for test, spent in measured.seconds.items()}
        today = collected_tests()
        self.newer = [test for test in today if test not in passed]
        self.seconds: dict[str, float] = {test: passed.get(test, NEW_SECONDS) for test in today}

    def of(self, path: str, line: int) -> list[str]:
        """The tests that execute a line, those of its room first, the quickest first; else those that execute its file.

        A line that runs at import is measured only for the first test of a process: its tests are those of its file. A
        compiled kernel executes lines that no measurement sees: its tests are those that import it too.
        """
        tests = set().union(*(measured.at(path, line) for measured in self._measured))
        if not tests or runs_at_import((TOP / path).read_text(encoding="utf-8"), line):
            of_file = (tests for measured in self._measured for tests in measured.by_line(path).values())
            tests = set().union(*of_file, self._users_of_kernels(path))
        own = f"tests/{path.split('/')[1]}/"
        known = tests & self.seconds.keys()
        return self.newer + sorted(known, key=lambda test: (not test.startswith(own), self.seconds[test], test))

    @lru_cache(maxsize=64)  # noqa: B019
    def _users_of_kernels(self, path: str) -> set[str]:
        """The tests that import a file of kernels, or execute code that does; none for any other file."""
        tests: set[str] = set()
        if "@compiled" not in (TOP / path).read_text(encoding="utf-8"):
            return tests
        for measured in self._measured:
            for source in sorted(measured.folder.rglob("*.py")):
                by_line = measured.by_line(source.relative_to(measured.folder).as_posix())
                for line in import_lines(path, source.read_text(encoding="utf-8")):
                    tests |= by_line.get(line, set()) if line else set().union(*by_line.values())
        for source in sorted((TOP / "tests").rglob("test_*.py")):
            if import_lines(path, source.read_text(encoding="utf-8")):
                own = f"{source.relative_to(TOP).as_posix()}::"
                tests |= {test for test in self.seconds if test.startswith(own)}
        return tests


def runs_at_import(text: str, line: int) -> bool:
    """Whether a line of a source file is outside the bodies of its functions.

    >>> [runs_at_import("LIMIT = 3 + 4\\ndef f(x):\\n    return x < LIMIT", line) for line in (1, 3)]
    [True, False]
    """
    functions = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return not any(node.body[0].lineno <= line <= (node.end_lineno or line) for node in functions)


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
    """Statements of every room, and how many of them the tests executed when the lines were measured."""
    folder = measurements()[0]
    measured = coverage.Coverage(data_file=str(folder / "data"), config_file=False)
    measured.load()
    rooms: dict[str, tuple[int, int]] = {}
    executed = {name.partition("/constraint_sdc/")[2]: name for name in measured.get_data().measured_files()}
    for path in sorted((folder / "constraint_sdc").rglob("*.py")):
        inside = path.relative_to(folder / "constraint_sdc")
        room = inside.parts[0] if len(inside.parts) > 1 else "top"
        statements = set(measured.analysis2(str(path))[1])
        seen = set(measured.get_data().lines(executed.get(inside.as_posix(), "")) or ())
        before = rooms.get(room, (0, 0))
        rooms[room] = before[0] + len(statements), before[1] + len(statements & seen)
    return rooms
