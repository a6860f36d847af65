"""Measure `assess` by stage and `partition` of a CSV file, beside plain readers of the same files in the same run.

    .venv/bin/python benchmarks/assess_speed.py                     10,000 and 100,000 records
    .venv/bin/python benchmarks/assess_speed.py --records 1000000   one size
    .venv/bin/python benchmarks/assess_speed.py --before TREE       beside another checkout, in the same run
    .venv/bin/python benchmarks/assess_speed.py --docs              writes its section of docs/measures/benchmarks.md

Census-like files, the five census rules, masked with k = 5 as `mask` does by default. CPU seconds are those of all
threads and processes; memory is the largest RSS of the command, with the parts of mapped files that are in memory.
The baseline of `assess` is `lxml.iterparse` of both files, that of `partition` is `pandas.read_csv`. Every run is done
three times and the median is printed; the first, which may compile, is thrown away. Compare ratios, not seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sections import MEASURES, write_section

from constraint_sdc.census import generate_file

TOP = Path(__file__).resolve().parents[1]
RULES = TOP / "rules" / "census.sch"
HEADING = "Assess by stage"
SIZES = (10_000, 100_000)
SEED = 2009
TIMES = 3

READ_XML = """
import sys
from lxml import etree
for name in sys.argv[1:]:
    for _, element in etree.iterparse(open(name, "rb")):
        element.clear()
"""
READ_CSV = "import sys, pandas; pandas.read_csv(sys.argv[1])"

STAGES = """
import json, sys
from pathlib import Path
from time import process_time
from constraint_sdc.commands import assess
from constraint_sdc.commands.measuring import compared_files
from constraint_sdc.measures.assessment import AssessOptions

spent = {}
def timed(name, work):
    def run(*arguments):
        started = process_time()
        found = work(*arguments)
        spent[name] = spent.get(name, 0.0) + process_time() - started
        return found
    return run
for name, stage in (("read", "read_records"), ("pair", "pair_tables"), ("judge", "_judge")):
    setattr(compared_files, stage, timed(name, getattr(compared_files, stage)))
def measured(measures, pair, given):
    return tuple(assess.noted(timed(m.name, m.measure)(pair), given.get(m.name, {})) for m in measures)
assess._run = measured
original, masked, rules = map(Path, sys.argv[1:])
assess.assess_files(original, masked, AssessOptions(rules=rules))
print(json.dumps(spent))
"""


@dataclass(frozen=True)
class Run:
    """CPU seconds of a command, its largest RSS in megabytes, and what it printed."""

    cpu: float
    memory: float
    said: str


def run(words: Sequence[object], tree: Path = TOP) -> Run:
    """Run a command once, with the package of `tree`."""
    with tempfile.TemporaryFile("w+") as told:
        environment = {**os.environ, "PYTHONPATH": str(tree)}
        started = subprocess.Popen(list(map(str, words)), stdout=told, stderr=subprocess.DEVNULL, env=environment)
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        if started.returncode not in (0, 1):
            sys.exit(f"{words} ended with {started.returncode}")
        told.seek(0)
        return Run(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, told.read())


def usual(words: Sequence[object], tree: Path = TOP, times: int = TIMES) -> Run:
    """Return the run with the median of CPU seconds, after one that does not count."""
    run(words, tree)
    runs = sorted((run(words, tree) for _ in range(times)), key=lambda one: one.cpu)
    return runs[len(runs) // 2]


def program(tree: Path) -> tuple[object, ...]:
    """Return how the command line of a checkout is started."""
    start = f"import sys; sys.path.insert(0, {str(tree)!r}); from constraint_sdc.cli import main; main()"
    return sys.executable, "-c", start


def stages_of(original: Path, masked: Path, times: int) -> dict[str, float]:
    """Return the CPU seconds of every stage, the median of each."""
    words = (sys.executable, "-c", STAGES, original, masked, RULES)
    runs = [json.loads(run(words).said) for _ in range(times)]
    return {name: median(one[name] for one in runs) for name in runs[0]}


def measured(folder: Path, records: int, trees: Sequence[Path], times: int) -> tuple[list[str], dict[str, float]]:
    """Return a row of the table for each checkout and command, and the stages of `assess`."""
    original, masked, table = folder / "data.xml", folder / "masked.xml", folder / "data.csv"
    generate_file(original, records, SEED)
    run((*program(TOP), "mask", original, "--rules", RULES, "-k", 5, "-o", masked, "--overwrite"))
    run((*program(TOP), "convert", original, table, "--overwrite"))
    rows = []
    for name, words, reader, files in (
        ("assess", ("assess", original, masked, "--rules", RULES, "--json"), READ_XML, (original, masked)),
        ("partition", ("partition", table, "-k", 3, "--partition", "mdav"), READ_CSV, (table,)),
    ):
        plain = usual((sys.executable, "-c", reader, *files), times=times)
        for tree in trees:
            one = usual((*program(tree), *words), tree, times)
            shown = name if tree == TOP else f"{name}, {tree.name}"
            rows.append(
                f"| `{shown}` | {records:,} | {one.cpu:.2f} | {plain.cpu:.2f} | {one.cpu / plain.cpu:.1f} "
                f"| {one.memory:.0f} |"
            )
    return rows, stages_of(original, masked, times)


def stage_table(sizes: Sequence[int], found: Sequence[dict[str, float]]) -> list[str]:
    """Return the stages that take at least a hundredth of the largest file, with the exponent between the sizes."""
    least = sum(found[-1].values()) / 100
    names = sorted((name for name, spent in found[-1].items() if spent >= least), key=lambda name: -found[-1][name])
    rows = [f"| stage | {' | '.join(f'{size:,}' for size in sizes)} | exponent |", f"|---|{'---:|' * (len(sizes) + 1)}"]
    for name in [*names, "all"]:
        spent = [sum(each.values()) if name == "all" else each[name] for each in found]
        rate = "" if len(sizes) < 2 else f"{math.log(spent[-1] / spent[-2]) / math.log(sizes[-1] / sizes[-2]):.2f}"
        rows.append(f"| {name} | {' | '.join(f'{one:.2f}' for one in spent)} | {rate} |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, action="append", help="size of a generated file (repeatable)")
    parser.add_argument("--before", type=Path, help="another checkout, measured in the same run")
    parser.add_argument("--times", type=int, default=TIMES, help="runs of which the median is printed")
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/measures/benchmarks.md")
    options = parser.parse_args()
    sizes = tuple(options.records or SIZES)
    trees = [TOP] if options.before is None else [TOP, options.before.resolve()]
    rows, stages = [], []
    for records in sizes:
        with tempfile.TemporaryDirectory() as folder:
            found, spent = measured(Path(folder), records, trees, options.times)
        rows += found
        stages.append(spent)
    body = "\n".join(
        (
            "`python benchmarks/assess_speed.py --docs`: generated census-like files, five rules, `mask -k 5`. CPU",
            "seconds of all threads and processes, the median of several runs. The baseline of `assess` is",
            "`lxml.iterparse` of both files, that of `partition` (a CSV file, k = 3, MDAV) is `pandas.read_csv`.",
            "",
            "| command | records | CPU seconds | baseline | times | largest RSS, MB |",
            "|---|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "CPU seconds of the stages of `assess`, of which each takes at least a hundredth of the time:",
            "",
            *stage_table(sizes, stages),
        )
    )
    print(body)
    if options.docs:
        write_section(MEASURES, HEADING, body)


if __name__ == "__main__":
    main()
