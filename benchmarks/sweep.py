"""How much faster a sweep is than a loop over `mask` and `assess`, on the same file and the same maskings.

    .venv/bin/python benchmarks/sweep.py                     a generated extract of 1,080 records
    .venv/bin/python benchmarks/sweep.py census.csv          any CSV with V1..V16 that satisfies the five rules
    .venv/bin/python benchmarks/sweep.py census.csv --docs   rewrites the section of docs/measures/benchmarks.md
    .venv/bin/python benchmarks/sweep.py --records 10000     a larger file, k = 3, 5, 10 and 25 (also with --docs)

The sweep computes k = 1..99 with and without rules. The loop starts both commands anew for every masking, as a shell
script would; it is measured for five of the 99 and scaled up. Figures of the maskings in both must agree.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

from sections import MEASURES, write_section

from constraint_sdc.census import generate_file
from constraint_sdc.files.json_file import shipped_file

TOP = Path(__file__).resolve().parents[1]
PROGRAM = Path(sys.executable).with_name("constraint-sdc")
RULES = shipped_file("rules", "census-paper.sch")
LAST = 99
LOOPED = (2, 10, 25, 50, 99)
HEADING = "Sweep compared with a loop"
LARGER = (3, 5, 10, 25)
LARGER_HEADING = "Sweep compared with a loop on a larger file"


def run(*words: object) -> str:
    """Run a command and return what it prints."""
    return subprocess.run([PROGRAM, *map(str, words)], check=True, capture_output=True, text=True).stdout


def prepare(folder: Path, source: Path | None, records: int) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = folder / "data.xml"
    if source is None:
        generate_file(data, records, 2009)
    else:
        run("convert", source, data)
    return data


def sweep(data: Path, folder: Path, ks: str) -> tuple[float, dict[tuple[str, int], dict[str, float]]]:
    started = perf_counter()
    given = ("--k", ks, "--partitions", "mdav", "--compare-unconstrained", "-o", folder / "sweep")
    points = json.loads(run("sweep", data, "--rules", RULES, *given, "--json"))["points"]
    return perf_counter() - started, {(point["scenario"], point["k"]): point for point in points}


def loop(data: Path, folder: Path, ks: Sequence[int]) -> tuple[float, dict[tuple[str, int], dict[str, float]]]:
    """Return the seconds of one masking on average, and what `assess` says of each."""
    found: dict[tuple[str, int], dict[str, float]] = {}
    started = perf_counter()
    for scenario, rules in (("with rules", ("--rules", RULES)), ("without rules", ())):
        for k in ks:
            masked = folder / "masked.xml"
            run("mask", data, *rules, "-k", k, "--partition", "mdav", "-o", masked, "--overwrite")
            said = json.loads(run("assess", data, masked, "--attacks", "none", "--json"))
            found[scenario, k] = {name: figure["value"] for name, figure in said["score"]["figures"].items()}
    return (perf_counter() - started) / len(found), found


def table(seconds: float, whole: float) -> str:
    """Return the seconds of both as a table."""
    return "\n".join(
        (
            "| | seconds | times |",
            "|---|---:|---:|",
            f"| `sweep` | {seconds:.0f} | 1 |",
            f"| a loop over `mask` and `assess` | {whole:.0f} | {whole / seconds:.1f} |",
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?", type=Path, help="rows with V1..V16 that satisfy the rules")
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/measures/benchmarks.md")
    parser.add_argument("--records", type=int, help="generate a file of so many records, and try four k only")
    options = parser.parse_args()
    folder = TOP / "build" / "sweep-benchmark"
    data = prepare(folder, options.csv, options.records or 1080)
    larger = options.records is not None
    seconds, points = sweep(data, folder, ",".join(map(str, LARGER)) if larger else f"1..{LAST}")
    each, assessed = loop(data, folder, LARGER if larger else LOOPED)
    for key, figures in assessed.items():
        for name, value in figures.items():
            if abs(points[key][name] - value) > 1e-6:
                sys.exit(f"{key}: {name} is {points[key][name]} in the sweep and {value} in the loop")
    if larger:
        body = "\n".join(
            (
                f"`python benchmarks/sweep.py --records {options.records} --docs`: {len(assessed)} maskings of a",
                f"generated file of {options.records:,} records (k = {', '.join(map(str, LARGER))}, MDAV, with and",
                "without the five rules), on two cores. Both give the same figures.",
                "",
                table(seconds, each * len(assessed)),
            )
        )
        print(body)
        if options.docs:
            write_section(MEASURES, LARGER_HEADING, body)
        return
    whole = each * 2 * LAST
    title = "the reference Census" if options.docs else "the file" if options.csv else "a generated extract"
    body = "\n".join(
        (
            f"`python benchmarks/sweep.py census.csv --docs`: {2 * LAST} maskings of {title}",
            f"(k = 1..{LAST}, MDAV, with and without the five rules), on two cores. The loop starts `mask` and",
            "`assess --attacks none` for each masking, one after the other, as a shell script would. It is measured",
            f"for {len(assessed)} maskings and scaled up. Both give the same figures for these.",
            "",
            table(seconds, whole),
        )
    )
    print(body)
    if options.docs:
        write_section(MEASURES, HEADING, body)


if __name__ == "__main__":
    main()
