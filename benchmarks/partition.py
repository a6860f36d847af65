"""How good and how fast the partitions are.

    .venv/bin/python benchmarks/partition.py                          speed and loss on normal data
    .venv/bin/python benchmarks/partition.py census.csv               loss on a file as well: V1..V13, z-scored
    .venv/bin/python benchmarks/partition.py FILE.csv --columns A,B   any numeric columns of any CSV
    .venv/bin/python benchmarks/partition.py census.csv --docs        all of it; rewrites docs/partition/benchmarks.md

`--only loss`, `speed`, `regions` or `compile` runs one part; `--efforts fast,default,high` leaves out the minutes of
`best`; `--largest 100000` leaves out the million, `--largest 10000000` takes ten millions; `--sizes 3000,100000` are
the files on which regions are compared with the undivided search. Prints Markdown tables. Ratios are against the
textbook MDAV in NumPy in `benchmarks/baseline`, measured in the same run.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.census import BLOCK, draw_block
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.methods.mdav import Mdav
from constraint_sdc.partition.methods.rim import list_neighbours, rim_groups
from constraint_sdc.partition.partitioner import COMPILED_ABOVE
from constraint_sdc.partition.registry import METHODS, partitioner
from constraint_sdc.partition.search.refine import DEFAULT, EFFORTS, refine

sys.path.insert(0, str(Path(__file__).parent / "baseline"))
from mdav_textbook import textbook_mdav

TOP = Path(__file__).resolve().parents[1]
DOCS = TOP / "docs" / "partition" / "benchmarks.md"
SIZES = (3, 5, 10)
COLUMNS = tuple(f"V{i}" for i in range(1, 14))
FOR_NUMBERS = tuple(m for m in METHODS if m not in ("auto", "optimal-univariate", "individual-ranking", "k-modes"))
DIMENSIONS = 10
BASELINE = 10_000
EXACT = (10_000, 20_000, 50_000, 100_000)
AUTO = (10_000, 100_000, 1_000_000)
TEXTBOOK, SMALL_MDAV, FAST_MDAV = "MDAV, textbook in NumPy", "MDAV, ours for small files", "MDAV, exact"
TRIED_COLD = (("mdav", 3_000), ("auto", 3_000), ("mdav", 6_000), ("auto", 6_000), ("auto", 60_000), ("tree", 6_000))


@dataclass(frozen=True)
class Run:
    """One partition: what it is called, how many records, its information loss, and the seconds it took."""

    name: str
    records: int
    loss: float
    seconds: float


def information_loss(cloud: Cloud, labels: Labels) -> float:
    return 100.0 * sse(cloud, labels) / sse(cloud, np.zeros(len(cloud), np.int64))


def measured(name: str, cloud: Cloud, divide: Callable[[], Labels], repeat: int = 1) -> Run:
    """Divide and take the time, the best of several."""
    best = math.inf
    for _ in range(repeat):
        start = time.perf_counter()
        labels = divide()
        best = min(best, time.perf_counter() - start)
    print(f"  {name}, {len(cloud):,} records: {best:.2f} s", file=sys.stderr)
    return Run(name, len(cloud), information_loss(cloud, labels), best)


def standardised(path: Path, columns: tuple[str, ...]) -> Points:
    values = pd.read_csv(path)[list(columns)].to_numpy(float)
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)


def loss_lines(path: Path, columns: tuple[str, ...], efforts: tuple[str, ...]) -> Iterator[str]:
    """Yield the loss of every method, and of the search at every effort, for each k."""
    cloud = Cloud(standardised(path, columns))
    yield f"| {path.name}: {len(cloud):,} x {len(columns)}, k = | " + " | ".join(map(str, SIZES)) + " | seconds |"
    yield "|---|" + "---:|" * (len(SIZES) + 1)
    names = [(name, None) for name in FOR_NUMBERS] + [("auto", effort) for effort in efforts]
    for name, effort in names:
        method = partitioner(name, effort)
        title = name if effort is None else f"{name}, effort {effort}"
        runs = [measured(f"{title}, k = {k}", cloud, partial(method.partition, cloud, k, 0)) for k in SIZES]
        seconds = " / ".join(f"{run.seconds:.1f}" for run in runs)
        yield f"| {title} | " + " | ".join(f"{run.loss:.4f}" for run in runs) + f" | {seconds} |"


def normals(n: int) -> Cloud:
    return Cloud(np.random.default_rng(n).normal(size=(n, DIMENSIONS)))


def speed_lines(largest: int, k: int = 3) -> Iterator[str]:
    """Yield times and losses on normal data, with ratios and exponents."""
    for name in ("mdav", "auto"):  # compiles, or loads what an earlier process compiled
        partitioner(name).partition(Cloud(normals(BASELINE).points[:6_000]), k, 0)
    small = normals(BASELINE)
    runs = [
        measured(TEXTBOOK, small, partial(textbook_mdav, small.points, k)),
        measured(SMALL_MDAV, small, partial(Mdav(compiled=False).partition, small, k, 0)),
    ]
    same = Mdav().partition(small, k, 0).tolist()
    assert same == textbook_mdav(small.points, k).tolist(), "not the groups of the textbook"
    for title, name, sizes in ((FAST_MDAV, "mdav", EXACT), ("auto", "auto", AUTO)):
        for n in (n for n in sizes if n <= largest):
            cloud = normals(n)
            repeat = 3 if n <= 20_000 else 1
            runs.append(measured(title, cloud, partial(partitioner(name).partition, cloud, k, 0), repeat))
    yield f"| n x {DIMENSIONS} normals, k = {k} | records | seconds | times the textbook's speed | loss | exponent |"
    yield "|---|---:|---:|---:|---:|---:|"
    for before, run in zip([None, *runs], runs, strict=False):
        ratio = f"{runs[0].seconds / run.seconds:.1f}" if run.records == BASELINE else ""
        growth = exponent(before, run) if before is not None and before.name == run.name else ""
        yield f"| {run.name} | {run.records:,} | {run.seconds:.3f} | {ratio} | {run.loss:.4f} | {growth} |"
    yield ""
    yield from bars(runs)


def exponent(before: Run, after: Run) -> str:
    return f"{math.log(after.seconds / before.seconds) / math.log(after.records / before.records):.2f}"


def bars(runs: list[Run]) -> Iterator[str]:
    found = {(run.name, run.records): run for run in runs}
    faster = runs[0].seconds / found[FAST_MDAV, BASELINE].seconds
    yield "| bar | measured |"
    yield "|---|---|"
    yield f"| exact MDAV at {BASELINE:,} at least 20 times faster than the textbook in NumPy | {faster:.1f} times |"
    exact, auto = found.get((FAST_MDAV, 100_000)), found.get(("auto", 100_000))
    if exact and auto:
        yield f"| auto at 100,000: lower loss than exact MDAV | {auto.loss:.4f} against {exact.loss:.4f} |"
        yield f"| auto at 100,000: in a quarter of its time | {auto.seconds / exact.seconds:.2f} of its time |"
    if exact and auto and auto.seconds > exact.seconds / 4:
        yield from ("", *MISSED.splitlines())


# Regions against the undivided search, on data of several kinds.

KINDS = ("Census-like, 4", "Census-like, 3", "Tarragona-like, 13", "lognormal, 3", "lognormal, 10", "normal, 10")
FLAT = (100_000, 1_000_000, 10_000_000)


def drawn(kind: str, n: int) -> Cloud:
    """Return n records of a kind, z-scored. The number after the comma is that of the variables."""
    random, d = np.random.default_rng(n), int(kind.rpartition(" ")[2])
    match kind.partition(",")[0]:
        case "Census-like":
            names = ("V1", "V3", "V7", "V11") if d == 4 else ("V9", "V10", "V14")
            blocks = [draw_block(2009, block) for block in range(-(-n // BLOCK))]
            values = np.column_stack([np.concatenate([block[name] for block in blocks])[:n] for name in names])
        case "Tarragona-like":  # sizes of firms: one common factor, and tails that are heavier than exponential
            values = np.exp(random.normal(size=(n, 1)) * 1.5 + random.normal(size=(n, d)))
        case "lognormal":
            values = random.lognormal(size=(n, d))
        case _:
            values = random.normal(size=(n, d))
    return Cloud((values - values.mean(axis=0)) / values.std(axis=0, ddof=1))


def undivided(cloud: Cloud, k: int) -> Labels:
    """Divide without regions: one start, one list of neighbours, one search of at least 60 sweeps."""
    if len(cloud) <= COMPILED_ABOVE:
        return refine(cloud, Mdav().partition(cloud, k, 0), k, 0, DEFAULT)
    lists = list_neighbours(cloud, k, 0)
    return refine(cloud, rim_groups(cloud, k, 0, lists), k, 0, DEFAULT, lists)


def cpu_of(name: str, cloud: Cloud, divide: Callable[[], Labels]) -> Run:
    """Divide and take the CPU time of all threads and child processes."""
    before = os.times()
    labels = divide()
    seconds = sum(os.times()[:4]) - sum(before[:4])
    print(f"  {name}, {len(cloud):,} records: {seconds:.2f} s", file=sys.stderr)
    return Run(name, len(cloud), information_loss(cloud, labels), seconds)


def region_lines(sizes: tuple[int, ...]) -> Iterator[str]:
    """Yield losses and CPU times of the search in regions beside the undivided search."""
    for n in (3_000, 6_000):  # compiles, or loads what an earlier process compiled
        for divide in (undivided, auto):
            divide(drawn("normal, 10", n), 3)
    yield "| data, variables | records | k | undivided: loss | µs a record | auto: loss | µs a record | difference |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|"
    for kind, n, k in itertools.product(KINDS, sizes, SIZES):
        cloud = drawn(kind, n)
        old, new = (
            cpu_of(f"{kind}, k = {k}, {way.__name__}", cloud, partial(way, cloud, k)) for way in (undivided, auto)
        )
        figures = [f"{run.loss:.4f} | {run.seconds / n * 1e6:.1f}" for run in (old, new)]
        yield f"| {kind} | {n:,} | {k} | {' | '.join(figures)} | {100 * (new.loss / old.loss - 1):+.1f}% |"


def auto(cloud: Cloud, k: int) -> Labels:
    return partitioner("auto").partition(cloud, k, 0)


def flat_lines(largest: int, k: int = 5) -> Iterator[str]:
    """Yield the CPU time for a record as a file grows."""
    auto(drawn("Census-like, 3", 6_000), k)
    yield f"| Census-like, 3 variables, k = {k} | µs a record | exponent |"
    yield "|---:|---:|---:|"
    before = None
    for n in (n for n in FLAT if n <= largest):
        cloud = drawn("Census-like, 3", n)
        run = cpu_of("regions", cloud, partial(auto, cloud, k))
        yield f"| {n:,} | {run.seconds / n * 1e6:.2f} | {exponent(before, run) if before else ''} |"
        before = run


COLD = """
import time, sys
import numpy as np
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.partition.registry import partitioner
cloud = Cloud(np.random.default_rng(0).normal(size=(int(sys.argv[2]), 10)))
start = time.perf_counter()
partitioner(sys.argv[1]).partition(cloud, 3, 0)
print(time.perf_counter() - start, "numba" in sys.modules)
"""


def compile_lines() -> Iterator[str]:
    """Yield the seconds of the first and the second process on a machine that never compiled anything."""
    yield "| method, records | first process, seconds | next process | compiler loaded |"
    yield "|---|---:|---:|---|"
    for name, n in TRIED_COLD:
        with tempfile.TemporaryDirectory() as folder:
            seconds, numba = zip(*(cold_run(name, n, Path(folder)) for _ in range(2)), strict=True)
        print(f"  {name}, {n:,}: {seconds[0]:.1f} s", file=sys.stderr)
        yield f"| {name}, {n:,} | {seconds[0]:.1f} | {seconds[1]:.1f} | {'yes' if numba[0] == 'True' else 'no'} |"


def cold_run(name: str, n: int, cache: Path) -> tuple[float, str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(TOP)}
    command = [sys.executable, "-c", COLD, name, str(n)]
    seconds, numba = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    return float(seconds), numba


MISSED = """\
The last bar is missed because exact MDAV became faster. The bar was set when MDAV took 6 seconds at 100,000 records
with a k-d tree search, and 11 seconds with SIMD loops over all records."""
INTRODUCTION = """# How good and how fast are the partitions?

Written by `benchmarks/partition.py`. Information loss is 100 * SSE / SST of the standardised records. Seconds depend on
the machine ({cores} cores, Python {python}); compare the ratios. The textbook, `baseline/mdav_textbook.py`, follows the
paper in NumPy. Exact MDAV forms the same groups, which is checked before anything is printed.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--columns", default=",".join(COLUMNS))
    parser.add_argument("--efforts", default=",".join(EFFORTS))
    parser.add_argument("--largest", type=int, default=max(AUTO))
    parser.add_argument("--sizes", default="3000,20000,100000", help="records of the files that are cut into regions")
    parser.add_argument("--only", choices=("loss", "speed", "regions", "compile"))
    parser.add_argument("--docs", action="store_true")
    given = parser.parse_args()
    lines: list[str] = []
    if given.file is not None and given.only in (None, "loss"):
        efforts = tuple(given.efforts.split(","))
        lines += [
            "",
            "## Loss on a reference file",
            "",
            *loss_lines(given.file, tuple(given.columns.split(",")), efforts),
        ]
    if given.only in (None, "speed"):
        lines += ["", "## Speed", "", *speed_lines(given.largest)]
    if given.only in (None, "regions"):
        sizes = tuple(int(n) for n in given.sizes.split(","))
        lines += ["", "## Regions", "", *region_lines(sizes), "", *flat_lines(given.largest)]
    if given.only in (None, "compile"):
        lines += ["", "## Compilation time", "", *compile_lines()]
    print("\n".join(lines))
    if given.docs:
        head = INTRODUCTION.format(cores=os.cpu_count(), python=sys.version.split()[0])
        DOCS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
