"""Time `constraint-sdc check` against its baselines, process start to verdict, all in one run.

    .venv/bin/python benchmarks/check_speed.py            all sizes; writes docs/benchmarks.md
    .venv/bin/python benchmarks/check_speed.py --quick    10,000 and 100,000 records; prints only

16 variables, the five census rules, 1% of the records breaking each rule. Compare ratios, not seconds.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from constraint_sdc.census import generate_file

HERE = Path(__file__).resolve().parent
BASE = HERE / "baseline"
RULES = HERE.parent / "rules" / "census.sch"
DOCS = HERE.parent / "docs" / "benchmarks.md"
SEED = 2009


@dataclass(frozen=True)
class Run:
    """One measured process: the best wall time of its repetitions, and its (and its children's) peak memory."""

    seconds: float
    megabytes: float
    printed: str


def measure(command: list[str], repeat: int) -> Run:
    runs = [_once(command) for _ in range(repeat)]
    return min(runs, key=lambda run: run.seconds)


def _once(command: list[str]) -> Run:
    start = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"failed: {' '.join(command)}")
    return Run(seconds, usage.ru_maxrss / 1024, printed)


def prepare(folder: Path, records: int) -> tuple[Path, Path]:
    folder.mkdir(parents=True, exist_ok=True)
    data, original = folder / f"census-{records}.xml", folder / f"original-{records}.xml"
    if not data.exists():
        generate_file(data, records, SEED, break_share=0.01)
    if not original.exists():
        generate_file(original, records, SEED)
    return data, original


def check_command(data: Path, original: Path) -> list[str]:
    program = Path(sys.executable).with_name("constraint-sdc")
    return [str(program), "check", str(data), "--rules", str(RULES), "--original", str(original), "--format", "json"]


def measure_size(folder: Path, records: int, repeat: int) -> dict[str, Run]:
    data, original = prepare(folder, records)
    python = sys.executable
    runs = {
        "constraint-sdc check": measure(check_command(data, original), repeat),
        "Saxon, usual transpilation": measure([python, str(BASE / "saxon_usual.py"), str(data), str(original)], 1),
        "lxml tree parse only": measure([python, str(BASE / "lxml_tree.py"), str(data)], repeat),
        "plain read": measure([python, str(BASE / "plain_read.py"), str(data)], repeat),
    }
    if records <= 10_000:
        runs["lxml isoschematron (4 rules)"] = measure([python, str(BASE / "isoschematron.py"), str(data)], 1)
    same_verdicts(runs)
    print(f"{records:>9,} records measured", file=sys.stderr)
    return runs


def same_verdicts(runs: dict[str, Run]) -> None:
    """Refuse to compare engines that do not find the same violations."""
    found = sum(rule["failed"] for rule in json.loads(runs["constraint-sdc check"].printed)["results"])
    expected = int(runs["Saxon, usual transpilation"].printed)
    if found != expected:
        raise SystemExit(f"verdicts differ: {found} violations by check, {expected} by the Saxon baseline")


def table(results: dict[int, dict[str, Run]], sizes: dict[int, float]) -> str:
    lines = ["| records | process | seconds | times `check` | MB/s | peak MB |", "|---:|---|---:|---:|---:|---:|"]
    for records, runs in results.items():
        ours = runs["constraint-sdc check"].seconds
        for name, run in runs.items():
            speed = sizes[records] / run.seconds
            cells = (f"{records:,}", name, f"{run.seconds:.2f}", f"{run.seconds / ours:.1f}", f"{speed:.0f}")
            lines.append(f"| {' | '.join(cells)} | {run.megabytes:.0f} |")
    return "\n".join(lines)


def bars(results: dict[int, dict[str, Run]]) -> str:
    """Compare with the bars that the project set itself."""
    lines = ["| bar | measured |", "|---|---|"]

    def ratio(records: int, name: str) -> float:
        return results[records][name].seconds / results[records]["constraint-sdc check"].seconds

    small, middle, large = 10_000, 100_000, 1_000_000
    lines.append(f"| {small:,} records in under 1 s | {results[small]['constraint-sdc check'].seconds:.2f} s |")
    lines.append(f"| {middle:,}: 5 times faster than Saxon | {ratio(middle, 'Saxon, usual transpilation'):.1f} times |")
    iso = results[small]["lxml isoschematron (4 rules)"].seconds * middle / small
    ours = results[middle]["constraint-sdc check"].seconds
    lines.append(
        f"| {middle:,}: 30 times faster than isoschematron scaled up from {small:,} | {iso / ours:.0f} times |"
    )
    if large in results:
        saxon, tree = ratio(large, "Saxon, usual transpilation"), ratio(large, "lxml tree parse only")
        ours_twice = [results[n]["constraint-sdc check"] for n in (middle, large)]
        memory = ours_twice[1].megabytes / ours_twice[0].megabytes
        time = ours_twice[1].seconds / ours_twice[0].seconds
        lines.append(f"| {large:,}: 10 times faster than Saxon | {saxon:.1f} times |")
        lines.append(f"| {large:,}: faster than lxml's bare tree parse | {tree:.1f} times |")
        lines.append(f"| peak memory at {large:,} at most 1.3 times that at {middle:,} | {memory:.2f} times |")
        lines.append(f"| time linear in records: 10 times the records | {time:.1f} times the time |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out 1,000,000 records; write nothing")
    parser.add_argument("--folder", type=Path, default=HERE.parent / "build" / "bench")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    # As installed from a wheel: byte code is there before the first run.
    compileall.compile_dir(HERE.parent / "constraint_sdc", quiet=1)
    counts = (10_000, 100_000) if options.quick else (10_000, 100_000, 1_000_000)
    results = {n: measure_size(options.folder, n, options.repeat) for n in counts}
    sizes = {n: (options.folder / f"census-{n}.xml").stat().st_size / 1e6 for n in counts}
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    text = f"""# How fast is `check`?

Written by `make bench` (`benchmarks/check_speed.py`). The data are census-like records of 16 variables, with the five
census rules and 1% of the records breaking each rule. Times are those of whole processes from start to verdict, best of
{options.repeat} (Saxon and isoschematron: one run). The verdicts of `check` and of the Saxon baseline are compared
before anything is printed. Seconds depend on the machine ({machine}); compare the ratios.

"Saxon, usual transpilation" is `benchmarks/baseline/census_usual.xsl`, improved in two ways: fast locations, and a key
for the value domain. isoschematron runs four rules only, because XPath 1.0 cannot express the fifth. `check` and Saxon
read two files, the data and the original; MB/s counts the data only.

{table(results, sizes)}

{bars(results)}
"""
    print(text)
    if not options.quick:
        # The page's other half is written by masking_price.py.
        _, heading, masking = DOCS.read_text("utf-8").partition("\n# What does the guarantee cost?")
        DOCS.write_text(text.rstrip("\n") + "\n" + heading + masking, encoding="utf-8")


if __name__ == "__main__":
    main()
