"""Time the judging stage of `mask` and its memory: every record beside every case, in one run.

    .venv/bin/python benchmarks/judging.py                                3,000, 100,000 and 1,000,000 records
    .venv/bin/python benchmarks/judging.py --records 10000 30000 --repeat 3

The file is made by the census generator; in each of four blocks of variables, five records at a time get the values of
one of them, as microaggregation with k = 5 would do. The rules are rules/census.sch. What is measured is the judging
stage alone, in a process of its own: CPU seconds of all processes, and the peak of their memory together. The verdicts
of both ways are compared.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
SEED, K = 2009, 5
BLOCKS = (("V1",), ("V2", "V3", "V4"), ("V9", "V10", "V14", "V5", "V15", "V16"), ("V8", "V12", "V13"))
WAYS = ("every-record", "every-case")


def shared(columns: dict[str, list[str]], rng: np.random.Generator) -> None:
    """Give the records of each group the values of one of them, block by block."""
    count = len(columns["V1"])
    for block in BLOCKS:
        order = rng.permutation(count)
        of = np.empty(count, np.int64)
        of[order] = order[np.minimum(np.arange(count) // K, count // K - 1) * K]
        for name in block:
            columns[name] = [columns[name][row] for row in of.tolist()]


def write_files(folder: Path, records: int) -> None:
    """Write the rules, an original and a file that is masked after a fashion."""
    from constraint_sdc.census import generate

    for name in ("census.sch", "constraints.sch"):
        shutil.copy(HERE.parent / "rules" / name, folder / name)
    rng = np.random.default_rng(SEED)
    with (folder / "original.xml").open("w") as before, (folder / "masked.xml").open("w") as after:
        for file in (before, after):
            file.write("<Microdata>\n")
        for block in generate(records, SEED):
            columns = {name: list(values) for name, values in block.items()}
            before.writelines(_rows(columns))
            shared(columns, rng)
            after.writelines(_rows(columns))
        for file in (before, after):
            file.write("</Microdata>\n")


def _rows(columns: dict[str, list[str]]) -> Iterator[str]:
    for row in zip(*columns.values(), strict=True):
        cells = "".join(f"<{name}>{text}</{name}>" for name, text in zip(columns, row, strict=True))
        yield f"  <Record>{cells}</Record>\n"


def judge_here(folder: Path, way: str) -> None:
    """Judge the masked file in this process and its Saxon processes; print what it took to standard output."""
    from constraint_sdc.commands.masking import judging
    from constraint_sdc.commands.masking.by_cases import Cases, cases_of
    from constraint_sdc.commands.masking.preparation import open_original
    from constraint_sdc.commands.masking.staged import ReadBack
    from constraint_sdc.files.dataset import read_dataset
    from constraint_sdc.settings.mask_settings import RulesSettings

    data, masked, rules = (folder / name for name in ("original.xml", "masked.xml", "census.sch"))
    settings = RulesSettings(judge=way, original=None)  # type: ignore[arg-type]
    with open_original(data, rules, None, settings) as original:
        assert original.understood.rules
        cases: Cases | None = cases_of(original)
        written = read_dataset(masked)
        if cases is not None:
            for chunk in written.chunks_with_xml(original.readings):
                cases.outlines.take(chunk)
        table = written.table
        back = ReadBack(written.layout, written.lines, written.sha256, (), table)
        with measured() as figures:
            verdict, judgement = judging._judge(original, masked, back, _NoPlan(), cases)  # type: ignore[arg-type]
        figures |= {"cases": 0 if judgement is None else judgement.cases}
        content = pickle.dumps(None if verdict is None else (verdict.records, verdict.results))
        (folder / f"{way}.verdict").write_bytes(content)
    print(json.dumps(figures))


class _NoPlan:
    """A plan that removes nothing."""

    kept = ()


@contextmanager
def measured() -> Iterator[dict[str, Any]]:
    """Measure CPU seconds and the peak of memory of this process and its children, above what was there before."""
    figures: dict[str, Any] = {}
    before, base = _cpu(), _memory()
    peak, is_over = [base], threading.Event()

    def watch() -> None:
        while not is_over.wait(0.05):
            peak[0] = max(peak[0], _memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.perf_counter()
    yield figures
    is_over.set()
    watcher.join()
    figures |= {"cpu": _cpu() - before, "wall": time.perf_counter() - started, "memory": peak[0] - base}


def _family() -> list[int]:
    mine = [os.getpid()]
    for line in Path(f"/proc/{os.getpid()}/task").iterdir():
        mine += [int(child) for child in (line / "children").read_text().split()]
    return mine


def _cpu() -> float:
    """Return the CPU seconds of this process and its living and ended children."""
    ticks = 0
    for process in _family():
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:13])) + (sum(map(int, fields[13:15])) if process == os.getpid() else 0)
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory() -> int:
    """Return the bytes of memory of this process and its children."""
    pages = 0
    for process in _family():
        try:
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[3_000, 100_000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--judge-here", nargs=2, metavar=("FOLDER", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.judge_here:
        judge_here(Path(given.judge_here[0]), given.judge_here[1])
        return
    print(f"{'records':>10} {'judge':>13} {'cases':>9} {'CPU s':>8} {'wall s':>8} {'memory MB':>10}")
    for records in given.records:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(folder, records)
            for _ in range(given.repeat):
                for way in WAYS:
                    _print(records, way, _judged(folder, way))
            verdicts = [(folder / f"{way}.verdict").read_bytes() for way in WAYS]
            if verdicts[0] != verdicts[1]:
                raise SystemExit(f"the verdicts on {records} records differ")


def _judged(folder: Path, way: str) -> dict[str, Any]:
    command = [sys.executable, str(Path(__file__).resolve()), "--judge-here", str(folder), way]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def _print(records: int, way: str, found: dict[str, Any]) -> None:
    memory = found["memory"] / 1e6
    print(f"{records:>10,} {way:>13} {found['cases']:>9,} {found['cpu']:>8.2f} {found['wall']:>8.2f} {memory:>10,.0f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
