"""How many records the attacks find in files masked one variable at a time, and in files masked in blocks.

    .venv/bin/python benchmarks/attacks.py                      100,000 records x 10 lognormal variables
    .venv/bin/python benchmarks/attacks.py --records 20000      fewer
    .venv/bin/python benchmarks/attacks.py --variables 3        an intruder who knows only the first three
    .venv/bin/python benchmarks/attacks.py --sigma 2            more skewed

Prints Markdown tables. Seconds are those of the attack, on this machine, after the compiler; masking is not counted.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sections import MEASURES, write_section

from constraint_sdc.arrays import Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.data.pair import Compared, MaskedTogether, Pair
from constraint_sdc.data.series import Grid
from constraint_sdc.measures.attacks.single_ranking import SingleRanking
from constraint_sdc.measures.attacks.transparency import Transparency
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.settings.words import Role, Scale

DIMENSIONS = 10
SIZES = (3, 10)
ALONE = tuple((j,) for j in range(DIMENSIONS))
BLOCKS = ((0, 1, 2), (3, 4, 5), (6, 7, 8, 9))
FILES = (
    ("individual ranking", "individual-ranking", ALONE),
    ("optimal univariate", "optimal-univariate", ALONE),
    ("MDAV, blocks of 3, 3 and 4", "mdav", BLOCKS),
)
SMALL = 6_000  # records; enough for the kernels to be compiled


@dataclass(frozen=True)
class Masked:
    """A masked file: how it was masked, its k, and the pair of files."""

    title: str
    k: int
    pair: Pair


def skewed(records: int, sigma: float) -> Points:
    return np.random.default_rng(2002).lognormal(0.0, sigma, size=(records, DIMENSIONS))


def name_of(column: int) -> str:
    return f"V{column + 1}"


def mask(original: Points, method: str, k: int, blocks: tuple[tuple[int, ...], ...]) -> Points:
    """Return group means, block by block; distances are of standardised variables."""
    masked = np.empty_like(original)
    for block in blocks:
        values = original[:, block]
        points = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
        groups = Groups(partitioner(method).partition(Cloud(points), k, 0))
        means = np.add.reduceat(values[groups.order], groups.starts) / groups.sizes[:, None]
        masked[:, block] = means[groups.label]
    return masked


def compared(name: str, before: Points, after: Points) -> Compared:
    _, code = np.unique(np.concatenate((before, after)), return_inverse=True)
    n = len(before)
    return Compared(name, Scale.NUMERIC, Role.CONFIDENTIAL, True, Grid(None), before, after, code[:n], code[n:])


def masked_file(title: str, method: str, blocks: tuple[tuple[int, ...], ...], original: Points, k: int) -> Pair:
    print(f"  masking: {title}, k = {k}", file=sys.stderr)
    masked = mask(original, method, k, blocks)
    names = tuple(map(name_of, range(DIMENSIONS)))
    variables = tuple(compared(name, original[:, j], masked[:, j]) for j, name in enumerate(names))
    means = dict.fromkeys(names, ArithmeticMean.name)
    together = tuple(MaskedTogether(tuple(map(name_of, block)), method, means) for block in blocks)
    return Pair(variables, names, together, k)


def knowing(pair: Pair, variables: int) -> Pair:
    return Pair(pair.variables, pair.known[:variables], pair.blocks, pair.k)


def single_ranking_lines(files: list[Masked]) -> Iterator[str]:
    yield "| masked by | k | setting | metric | tried | re-identified, % | one best candidate | right among these, % |"
    yield "|---|---:|---|---|---:|---:|---:|---:|"
    seconds = []
    for file in files:
        start = time.perf_counter()
        found = SingleRanking().measure(file.pair)
        seconds.append(time.perf_counter() - start)
        for setting, metric, tried, share, unique, right in found.tables[0].rows:
            sure = "" if right is None else f"{right:.2f}"
            yield (
                f"| {file.title} | {file.k} | {setting} | {metric} | {tried:,} | {share:.2f} | {unique:,} | {sure} |"
            )
    yield ""
    yield f"All settings and metrics together take {min(seconds):.1f} to {max(seconds):.1f} seconds per file."


def transparency_lines(files: list[Masked]) -> Iterator[str]:
    yield "| masked by | k | knowledge | certain links | of all, % | median set | 1 | 2 | 3-5 | 6-10 | more | seconds |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for file in files:
        for knowledge in ("published", "rerun"):
            start = time.perf_counter()
            found = Transparency(knowledge).measure(file.pair)
            seconds = time.perf_counter() - start
            share, certain, median = (figure.value for figure in found.figures)
            spread = " | ".join(f"{row[1]:,}" for row in found.tables[0].rows)
            yield (
                f"| {file.title} | {file.k} | {knowledge} | {certain:,} | {share:.3f} | {median:,.0f} | {spread} "
                f"| {seconds:.1f} |"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--variables", type=int, default=DIMENSIONS)
    parser.add_argument("--sigma", type=float, default=1.0)
    parser.add_argument("--docs", action="store_true", help="rewrite the sections of docs/measures/benchmarks.md")
    given = parser.parse_args()
    small = masked_file("a small file, to compile", "individual-ranking", ALONE, skewed(SMALL, given.sigma), 3)
    SingleRanking().measure(small), Transparency().measure(small)
    original = skewed(given.records, given.sigma)
    files = [
        Masked(title, k, knowing(masked_file(title, method, blocks, original, k), given.variables))
        for title, method, blocks in FILES
        for k in SIZES
    ]
    known = f"{given.records:,} records, {given.variables} known variables, lognormal with sigma {given.sigma:g}"
    command = "`python benchmarks/attacks.py --docs`: " if given.docs else ""
    for title, lines in (("Single-ranking attack", single_ranking_lines), ("Transparency attack", transparency_lines)):
        body = "\n".join((f"{command}{known}.", "", *lines(files)))
        print(f"## {title}\n\n{body}\n")
        if given.docs:
            write_section(MEASURES, title, body)


if __name__ == "__main__":
    main()
