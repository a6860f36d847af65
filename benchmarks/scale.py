"""Measure how time and memory of `mask` and `check` grow with the file, beside `lxml.iterparse` of the same file.

    .venv/bin/python benchmarks/scale.py                              3,000 to 1,000,000 records (make scale)
    .venv/bin/python benchmarks/scale.py --records 10000000           one size; 10^7 records need 20 GB of disk
    .venv/bin/python benchmarks/scale.py --only-check                 `check` on one core and on two
    .venv/bin/python benchmarks/scale.py --before TREE                beside another checkout, in the same run
    .venv/bin/python benchmarks/scale.py --dask                       also on two workers of a local Dask cluster
    .venv/bin/python benchmarks/scale.py --docs                       writes the tables into docs/how-to/large-files.md

Census-like files, the five census rules, k = 5. CPU seconds are those of all processes of a command. Memory is the
largest sum over all processes at one moment, sampled ten times a second: what cannot be given back to the system
(anonymous and shared pages), and with mapped files (RSS). Stages are functions of the pipeline; what a stage's workers
use counts for it. Up to 100,000 records the median of three runs counts. Compare ratios and exponents, not seconds.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter, sleep, thread_time
from typing import Any

TOP = Path(__file__).resolve().parent.parent
RULES = TOP / "rules"
DOCS = TOP / "docs" / "how-to" / "large-files.md"
SEED = 2009
SIZES = (3_000, 100_000, 1_000_000)
WARM = (3_000, 20_000)  # records of files that together need all kernels
TIMED_APART = 20_000  # records below which looking at the stages takes a noticeable part of the time
SHORT, REPEATS = 100_000, 3  # up to so many records the median of so many runs counts: a second is easily disturbed
TICK = os.sysconf("SC_CLK_TCK")
_SIZES = ("RssAnon", "RssShmem", "VmRSS")

STAGES = (
    ("read", "constraint_sdc.commands.masking.preparation", "read_dataset"),
    ("check the original", "constraint_sdc.commands.masking.preparation", "check_dataset"),
    ("plan", "constraint_sdc.maskers.masker:Masker", "plan"),
    ("partition", "constraint_sdc.maskers.microaggregation.mask_block", "partition_block"),
    ("mask", "constraint_sdc.commands.masking.carrying_out", "mask_table"),
    ("verbatim", "constraint_sdc.commands.masking.carrying_out", "refuse_verbatim"),
    ("write", "constraint_sdc.commands.masking.judging", "write_staged"),
    ("read back", "constraint_sdc.commands.masking.judging", "verify_staged"),
    ("find cases", "constraint_sdc.commands.masking.judging", "_find_cases"),
    ("count promises", "constraint_sdc.commands.masking.judging", "count_promises"),
    ("judge", "constraint_sdc.commands.masking.judging", "_judge"),
    ("compare contexts", "constraint_sdc.commands.masking.judging", "compare_contexts"),
)
"""Stages of `mask`, each a function by the module or class in which it is called; one inside another is its part."""


@dataclass(frozen=True)
class Cost:
    """What a command used: seconds, and megabytes with and without mapped files; CPU by stage if it was asked for."""

    wall: float
    cpu: float
    megabytes: float
    rss: float
    own: float  # CPU seconds of the command's first process
    stages: dict[str, float] = field(default_factory=dict)
    digest: str = ""


# One command, measured from outside.


def run(command: list[str], environment: dict[str, str]) -> Cost:
    started = perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = _Peak(process.pid)
    said = process.stderr.read() if process.stderr else b""
    _, status, usage = os.wait4(process.pid, 0)
    wall = perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"failed: {' '.join(command)}\n{said.decode()}")
    last = said.decode().strip().rpartition("\n")[2]
    stages = json.loads(last) if last.startswith("{") else {}
    return Cost(wall, usage.ru_utime + usage.ru_stime, *peak.ended(), stages)


class _Peak:
    """Samples the memory of a process and all below it until it ends."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._most = [0.0, 0.0]
        self._own = 0.0
        self._is_over = False
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def ended(self) -> tuple[float, float, float]:
        self._is_over = True
        self._thread.join()
        return self._most[0], self._most[1], self._own

    def _sample(self) -> None:
        while not self._is_over:
            own = [_memory(pid) for pid in family(self._pid)]
            sums = (sum(each) / 1024 for each in zip(*own, strict=True))
            self._most = [max(pair) for pair in zip(self._most, sums, strict=True)]
            if stat := _stat(self._pid):
                self._own = max(self._own, sum(map(int, stat[11:13])) / TICK)
            sleep(0.1)


def _memory(pid: int) -> tuple[int, int]:
    """Return kilobytes that are not backed by a file, and all resident ones."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text("ascii", errors="replace").splitlines()
    except OSError:
        return 0, 0
    sizes = {name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in lines) if name in _SIZES}
    return sizes.get("RssAnon", 0) + sizes.get("RssShmem", 0), sizes.get("VmRSS", 0)


def family(pid: int) -> list[int]:
    """Return a process and everything below it."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208  (names alone)
        if entry.isdigit() and (fields := _stat(int(entry))):
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found = [pid]
    for one in found:
        found.extend(parents.get(one, ()))
    return found


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def family_seconds(pid: int) -> float:
    """Return the CPU seconds of a process, of everything below it, and of what has ended there."""
    fields = [stat for one in family(pid) if (stat := _stat(one))]
    return sum(sum(map(int, stat[11:15])) for stat in fields) / TICK


# The same command in this process, with its stages timed.


def run_stages(arguments: list[str]) -> None:
    """Run the command line, and print the CPU seconds of every stage to standard error as JSON."""
    spent: dict[str, float] = {}
    for stage, place, name in STAGES:
        module, _, inside = place.partition(":")
        owner: Any = importlib.import_module(module)
        owner = getattr(owner, inside) if inside else owner
        if hasattr(owner, name):
            setattr(owner, name, _timed(stage, getattr(owner, name), spent))
    from constraint_sdc.cli import main

    sys.argv = ["constraint-sdc", *arguments]
    try:
        main()
    finally:
        print("\n" + json.dumps(spent), file=sys.stderr, flush=True)


def _timed(stage: str, function: Callable[..., Any], spent: dict[str, float]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        before, beside = family_seconds(os.getpid()), spent.get(_BESIDE, 0.0)
        try:
            return function(*args, **kwargs)
        finally:
            beside = spent.get(_BESIDE, 0.0) - beside
            spent[stage] = spent.get(stage, 0.0) + family_seconds(os.getpid()) - before - beside

    def in_thread(*args: Any, **kwargs: Any) -> Any:
        before = thread_time()
        try:
            return function(*args, **kwargs)
        finally:
            seconds = thread_time() - before
            for name in (stage, _BESIDE):
                spent[name] = spent.get(name, 0.0) + seconds

    def timed(*args: Any, **kwargs: Any) -> Any:
        is_beside = threading.current_thread() is not threading.main_thread()
        return (in_thread if is_beside else wrapper)(*args, **kwargs)

    return timed


_BESIDE = "beside"
"""The seconds of stages that ran in a thread beside another one, which does not count them."""


# What is measured.

PROGRAM = "from constraint_sdc.cli import main; main()"


@dataclass(frozen=True)
class Bench:
    """A folder with the inputs, and the checkout that is measured."""

    folder: Path
    tree: Path = TOP

    def environment(self) -> dict[str, str]:
        kept = self.folder / f"kept-{self.tree.name}"
        own = {"PYTHONPATH": f"{self.tree}", "PYTHONPYCACHEPREFIX": f"{kept}", "NUMBA_CACHE_DIR": f"{kept / 'numba'}"}
        return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own

    def data(self, records: int) -> Path:
        path = self.folder / f"census-{records}.xml"
        if not path.exists():
            from constraint_sdc.census import generate_file

            generate_file(path, records, seed=SEED)
        return path

    def iterparse(self, records: int) -> Cost:
        program = (
            "import sys; from lxml import etree\nfor _, e in etree.iterparse(sys.argv[1], tag='Record'): e.clear()"
        )
        return run([sys.executable, "-c", program, str(self.data(records))], self.environment())

    def mask(self, records: int, *more: str, has_stages: bool = True) -> Cost:
        """Mask a file; looking at every process for the seconds of the stages takes some itself."""
        output = self.folder / f"masked-{records}-{'-'.join(more).strip('-') or 'default'}.xml"
        given = [
            "mask",
            str(self.data(records)),
            "--rules",
            str(RULES / "census.sch"),
            "-k",
            "5",
            "--undecided",
            "guess",
        ]
        program = ["-c", PROGRAM] if not has_stages else [str(self.tree / "benchmarks" / "scale.py"), "--stages"]
        command = [sys.executable, "-P", *program, *given, *more, "-o", str(output), "--overwrite"]
        return replace(run(command, self.environment()), digest=_digest(output))

    def check(self, records: int, *more: str) -> Cost:
        given = ["check", str(self.data(records)), "--rules", str(RULES / "census.sch"), "--original"]
        command = [sys.executable, "-P", "-c", PROGRAM, *given, str(self.data(records)), *more]
        return run(command, self.environment())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# The tables.


def sizes_table(bench: Bench, sizes: Sequence[int], before: Bench | None) -> Iterator[str]:
    yield "| records | `iterparse`, CPU s | `mask`, CPU s | times `iterparse` | wall | of CPU | MB | with files |"
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|"
    for records in sizes:
        repeats = REPEATS if records <= SHORT else 1
        parsed = _median([bench.iterparse(records) for _ in range(repeats)])
        for one in (bench,) if before is None else (before, bench):
            if one.tree not in KEPT:
                for size in WARM:
                    one.mask(size)  # machine code and byte code are there from now on
            cost = _median([one.mask(records) for _ in range(repeats)])
            if records < TIMED_APART:
                timed = _median([one.mask(records, has_stages=False) for _ in range(repeats)])
                cost = replace(timed, stages=cost.stages)
            KEPT.setdefault(one.tree, {})[records] = cost
            mark = "" if one is bench else f" ({one.tree.name})"
            figures = f"{parsed.cpu:.1f} | {cost.cpu:.1f} | {cost.cpu / parsed.cpu:.1f} | {cost.wall:.1f}"
            figures += f" | {cost.wall / cost.cpu:.2f} | {cost.megabytes:,.0f} | {cost.rss:,.0f}"
            yield f"| {records:,}{mark} | {figures} |"


def _median(costs: Sequence[Cost]) -> Cost:
    """Return the run of which as many took less CPU time as took more."""
    return sorted(costs, key=lambda cost: cost.cpu)[len(costs) // 2]


KEPT: dict[Path, dict[int, Cost]] = {}
"""What was measured of `mask`, by checkout and number of records."""


def stages_table(measured: dict[int, Cost]) -> Iterator[str]:
    sizes = sorted(measured)
    yield f"| stage, CPU s | {' | '.join(f'{size:,}' for size in sizes)} | exponent |"
    yield f"|---|{'---:|' * (len(sizes) + 1)}"
    for stage, *_ in STAGES:
        spent = [measured[size].stages.get(stage, 0.0) for size in sizes]
        if any(spent):
            yield f"| {stage} | {' | '.join(f'{one:.2f}' for one in spent)} | {_exponent(sizes, spent)} |"
    whole = [measured[size].cpu for size in sizes]
    yield f"| the whole command | {' | '.join(f'{one:.2f}' for one in whole)} | {_exponent(sizes, whole)} |"


def _exponent(sizes: Sequence[int], spent: Sequence[float]) -> str:
    """Return how CPU time grows from 100,000 records on: 1 is linear; too little to be measured has none."""
    large = [(size, one) for size, one in zip(sizes, spent, strict=True) if size >= 100_000]
    if len(large) < 2 or large[0][1] < 0.2:
        return "-"
    (first, low), (last, high) = large[0], large[-1]
    return f"{math.log(high / low) / math.log(last / first):.2f}"


def check_table(bench: Bench, sizes: Sequence[int]) -> Iterator[str]:
    """Compare one core with two: by the clock, and by CPU seconds, which other work on the machine disturbs less.

    Two cores cannot be faster than the first process alone, nor than all processes on a core each.
    """
    columns = ("records", "one core, wall s", "two cores, wall s", "times as fast", "one core, CPU s")
    more = ("two cores, CPU s", "of it the first process", "at best times as fast", "MB", "MB with mapped files")
    yield f"| {' | '.join(columns + more)} |"
    yield f"|{'---:|' * 10}"
    for records in sizes:
        serial, both = bench.check(records, "--engine", "serial"), bench.check(records, "--workers", "2")
        times = f"{serial.wall:.1f} | {both.wall:.1f} | {serial.wall / both.wall:.2f}"
        best = serial.cpu / max(both.own, both.cpu / 2)
        work = f"{serial.cpu:.1f} | {both.cpu:.1f} | {both.own:.1f} | {best:.2f}"
        yield f"| {records:,} | {times} | {work} | {both.megabytes:,.0f} | {both.rss:,.0f} |"


def dask_table(bench: Bench, records: int) -> Iterator[str]:
    serial = bench.mask(records, "--engine", "serial")
    both = bench.mask(records, "--engine", "processes", "--workers", "2")
    dask = bench.mask(records, "--engine", "dask", "--workers", "2")
    yield "| engine | CPU s | times serial | wall s | same bytes |"
    yield "|---|---:|---:|---:|---|"
    for name, cost in (("serial", serial), ("processes", both), ("dask", dask)):
        same = "yes" if cost.digest == serial.digest else "NO"
        yield f"| {name} | {cost.cpu:.1f} | {cost.cpu / serial.cpu:.2f} | {cost.wall:.1f} | {same} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, action="append", help="number of records; may be given again")
    parser.add_argument("--before", type=Path, help="another checkout")
    parser.add_argument("--folder", type=Path, help="where files of the run are kept (a temporary one by default)")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--only-check", action="store_true", help="`check` alone, on one core and on two")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    sizes = options.records or list(SIZES)
    with tempfile.TemporaryDirectory() as place:
        folder = options.folder or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(folder)
        tables = {}
        if not options.only_check:
            before = options.before and Bench(folder, options.before.resolve())
            tables["Measured"] = _shown(sizes_table(bench, sizes, before))
            tables["Stages"] = _shown(stages_table(KEPT[bench.tree]))
        tables["Measured: check"] = _shown(check_table(bench, [size for size in sizes if size >= 100_000] or sizes))
        if options.dask and not options.only_check:
            tables["Measured: engines"] = _shown(dask_table(bench, min(1_000_000, max(sizes))))
    if options.docs:
        from sections import write_section  # the command that is measured runs without this folder on its path

        for heading, table in tables.items():
            write_section(DOCS, heading, table)


def _shown(lines: Iterator[str]) -> str:
    """Print each line as soon as it is known; return them all."""
    kept = []
    for line in lines:
        print(line, flush=True)
        kept.append(line)
    print()
    return "\n".join(kept)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stages"]:
        run_stages(sys.argv[2:])
    else:
        main()
