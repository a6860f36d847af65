"""Differential fuzz of the two engines: what the reader reads, Saxon must read, and both must give one verdict.

    .venv/bin/python benchmarks/parser_gap.py [--files 5100] [--first 0] [--jobs 2] [--show 20] [--keep DIR]
    .venv/bin/python benchmarks/parser_gap.py --kind names --first 17 --files 1 --keep DIR      one file

Each file is read by the reader and by Saxon (cell by cell), by expat and by lxml, and judged by `check` with both
engines. Ends with 1 if there is a difference.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.parser_gap.gap_compare import Compared, GapBench, gap_bench  # noqa: E402
from tests.parser_gap.gap_files import KINDS, gap_file  # noqa: E402

Case = tuple[str, int]
_OPEN = ExitStack()
_BENCH: list[GapBench] = []


def enter_pool() -> None:
    """Keep one Saxon process and one folder for all files of this worker."""
    folder = Path(_OPEN.enter_context(tempfile.TemporaryDirectory()))
    _BENCH.append(_OPEN.enter_context(gap_bench(folder)))


def compare(case: Case) -> tuple[Case, Compared]:
    return case, _BENCH[0].compare(gap_file(*case).data, raising=case[0] == "numbers")


def comparisons(cases: list[Case], jobs: int) -> Iterator[tuple[Case, Compared]]:
    if jobs == 1:
        with _OPEN:
            enter_pool()
            yield from map(compare, cases)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, enter_pool) as pool:
        yield from pool.imap(compare, cases, 10)


def table(outcomes: Counter[tuple[str, str]]) -> str:
    columns = ("read", "refused", "difference")
    head = ("class of files", "files", "read by both the same", "refused by both", "difference")
    kinds = [kind for kind in KINDS if any(outcomes[kind, column] for column in columns)]
    rows = [(kind, *(outcomes[kind, column] for column in columns)) for kind in kinds]
    rows.append(("all", *(sum(outcomes[kind, column] for kind in kinds) for column in columns)))
    lines = [f"| {' | '.join(head)} |", "|---|---:|---:|---:|---:|"]
    lines += [f"| {kind} | {sum(counts)} | {' | '.join(map(str, counts))} |" for kind, *counts in rows]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=5100, help="over all classes")
    parser.add_argument("--first", type=int, default=0, help="number of the first file of each class")
    parser.add_argument("--kind", choices=KINDS, help="one class only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    parser.add_argument("--keep", type=Path, help="keep the files that differ here")
    options = parser.parse_args()
    kinds = [options.kind] if options.kind else list(KINDS)
    each = -(-options.files // len(kinds))
    cases = [(kind, number) for number in range(options.first, options.first + each) for kind in kinds]
    outcomes: Counter[tuple[str, str]] = Counter()
    start = perf_counter()
    for (kind, number), compared in comparisons(cases, options.jobs):
        outcomes[kind, compared.outcome] += 1
        if compared.outcome == "difference":
            if sum(outcomes[k, "difference"] for k in KINDS) <= options.show:
                print(f"{kind} {number}: {compared.detail[:400]}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{kind.replace(' ', '-')}-{number}.xml").write_bytes(gap_file(kind, number).data)
    print(table(outcomes))
    print(f"\n{perf_counter() - start:.0f} s")
    return 1 if any(outcomes[kind, "difference"] for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
