"""Count what `constraint-sdc mask` reads, loads and starts, and time it; beside another checkout, in the same run.

    .venv/bin/python benchmarks/reading.py                             3,000 and 100,000 records
    .venv/bin/python benchmarks/reading.py --before TREE --repeat 3    the same beside the checkout in TREE

The file is made by the census generator, the rules are rules/census.sch, k is 5. Times are those of the fastest of the
repetitions; the checkouts take turns. CPU time includes that of child processes. As after an installation, bytecode is
on disk; machine code is not before the first run of a size ("cold").
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
SEED = 2009
_RUN = "from constraint_sdc.cli import main; main()"


@dataclass(frozen=True)
class Timed:
    """One run from process start to end, in seconds."""

    wall: float
    cpu: float


def mask_arguments(folder: Path, records: int) -> list[str]:
    data, rules, output = folder / f"census-{records}.xml", folder / "census.sch", folder / f"masked-{records}.xml"
    return ["mask", str(data), "--rules", str(rules), "-k", "5", "-o", str(output), "--overwrite"]


def timed(tree: Path, arguments: list[str], kept: Path) -> Timed:
    started = perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _RUN, *arguments],
        env=_environment(tree, kept),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed in {tree}: {' '.join(arguments)}")
    return Timed(perf_counter() - started, usage.ru_utime + usage.ru_stime)


def counted(tree: Path, arguments: list[str], kept: Path) -> dict[str, int]:
    command = [sys.executable, str(Path(__file__).resolve()), "--count", *arguments]
    done = subprocess.run(command, env=_environment(tree, kept), capture_output=True, text=True, check=True)
    figures: dict[str, int] = json.loads(done.stderr.splitlines()[-1])
    return figures


def _environment(tree: Path, kept: Path) -> dict[str, str]:
    """Return an environment in which the checkout keeps bytecode and machine code in a folder of its own."""
    own = {"PYTHONPATH": tree, "PYTHONPYCACHEPREFIX": kept / "bytecode", "NUMBA_CACHE_DIR": _machine_code(kept)}
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return inherited | {name: str(value) for name, value in own.items()}


def _machine_code(kept: Path) -> Path:
    return kept / "machine-code"


def count_here(arguments: list[str]) -> None:
    """Run the command line of whichever checkout is on the path, and print the figures to standard error."""
    sys.path.append(str(HERE.parent))
    sys.path.append(str(HERE.parent / "tests"))
    from reading_count import counting

    from constraint_sdc.cli import main

    _load_package()
    data, rules, output = (Path(arguments[place]) for place in (1, 3, 7))
    sys.argv = ["constraint-sdc", *arguments]
    with counting({"original": data, "rules": rules}, staged_for=output) as count:
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
    print(json.dumps(count.figures()), file=sys.stderr)


def _load_package() -> None:
    """Load what a masking needs: functions are counted in the modules that are there."""
    import importlib

    for name in ("constraint_sdc.commands.mask", "constraint_sdc.pipeline.mask"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            continue


def table(rows: dict[str, dict[str, str]]) -> str:
    """Return a table in Markdown: a line for each figure, a column for each checkout."""
    names = list(dict.fromkeys(name for figures in rows.values() for name in figures))
    lines = [f"| | {' | '.join(rows)} |", f"|---|{'---|' * len(rows)}"]
    lines += [f"| {name} | {' | '.join(figures.get(name, '') for figures in rows.values())} |" for name in names]
    return "\n".join(lines)


def measure(trees: dict[str, Path], sizes: list[int], repeat: int, folder: Path) -> dict[str, dict[str, str]]:
    from constraint_sdc.census import generate_file

    for name in ("census.sch", "constraints.sch"):
        shutil.copy(HERE.parent / "rules" / name, folder / name)
    found: dict[str, dict[str, str]] = {label: {} for label in trees}
    for records in sizes:
        generate_file(folder / f"census-{records}.xml", records, SEED)
        arguments = mask_arguments(folder, records)
        for label, tree in trees.items():
            figures = counted(tree, arguments, folder / label)  # leaves bytecode behind
            if records == sizes[0]:
                found[label] = {name: f"{figure:,}" for name, figure in figures.items()}
            shutil.rmtree(_machine_code(folder / label), ignore_errors=True)
        cold = {label: timed(tree, arguments, folder / label) for label, tree in trees.items()}
        runs: dict[str, list[Timed]] = {label: [] for label in trees}
        for _ in range(repeat):
            for label, tree in trees.items():
                runs[label].append(timed(tree, arguments, folder / label))
        for label, times in runs.items():
            best = Timed(min(run.wall for run in times), min(run.cpu for run in times))
            for name, run in (("cold", cold[label]), ("warm", best)):
                found[label][f"{records:,} records, {name}, wall"] = f"{run.wall:.1f} s"
                found[label][f"{records:,} records, {name}, CPU"] = f"{run.cpu:.1f} s"
    return found


def main() -> None:
    if sys.argv[1:2] == ["--count"]:
        count_here(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--records", type=int, nargs="+", default=[3_000, 100_000])
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    trees = {} if options.before is None else {"before": options.before.resolve()}
    trees["after"] = HERE.parent
    with tempfile.TemporaryDirectory() as name:
        print(table(measure(trees, options.records, options.repeat, Path(name))))


if __name__ == "__main__":
    main()
