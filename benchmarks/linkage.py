"""The time that record linkage takes, against a comparison of every masked record with every original.

    .venv/bin/python benchmarks/linkage.py                     10,000 and 100,000 records of ten variables
    .venv/bin/python benchmarks/linkage.py --largest 10000     leaves out the minutes of the naive one at 100,000
    .venv/bin/python benchmarks/linkage.py --docs              rewrites its section of docs/measures/benchmarks.md

Prints a Markdown table. The naive one is NumPy: all distances of a few hundred masked records at a time, no matrix
n x n. At 100,000 it is run on every tenth masked record, and its time multiplied; the links must agree.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from sections import MEASURES, write_section

from constraint_sdc.arrays import Points, Rows
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.measures.points import standardised
from constraint_sdc.measures.risk.distance_linkage import distance_linkage
from constraint_sdc.partition.methods.mdav import Mdav

SIZES = (10_000, 100_000)
DIMENSIONS = 10
NAIVE_PAIRS = 1 << 22
SAME = 1.0 + 1e-9


def normals(n: int) -> Points:
    return np.random.default_rng(n).normal(size=(n, DIMENSIONS))


def lognormals(n: int) -> Points:
    return np.exp(1.5 * normals(n))


def grouped(points: Points, blocks: int, k: int = 3) -> Points:
    """Mask by MDAV in so many blocks of variables."""
    return np.column_stack([group_means(block, k) for block in np.array_split(points, blocks, axis=1)])


def group_means(points: Points, k: int) -> Points:
    label = Mdav().partition(Cloud(points / points.std(axis=0)), k, 0)
    sums = np.zeros((label.max() + 1, points.shape[1]))
    np.add.at(sums, label, points)
    return (sums / np.bincount(label)[:, None])[label]


def noisy(points: Points) -> Points:
    noise = np.random.default_rng(1).normal(size=points.shape)
    return points + 0.5 * points.std(axis=0) * noise


CASES: tuple[tuple[str, Callable[[int], Points], Callable[[Points], Points]], ...] = (
    ("normals, MDAV k = 3 in one block", normals, lambda points: grouped(points, 1)),
    ("normals, MDAV k = 3 in three blocks", normals, lambda points: grouped(points, 3)),
    ("normals, noise of half a deviation", normals, noisy),
    ("lognormals, MDAV k = 3 in one block", lognormals, lambda points: grouped(points, 1)),
    ("lognormals, MDAV k = 3 in three blocks", lognormals, lambda points: grouped(points, 3)),
)


def naive_linkage(original: Points, masked: Points, rows: Rows) -> float:
    """Return the expected number of right links: all distances, ties shared."""
    squares = (original * original).sum(axis=1)
    step = max(1, NAIVE_PAIRS // len(original))
    total = 0.0
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        apart = squares - 2.0 * masked[some] @ original.T + (masked[some] ** 2).sum(axis=1)[:, None]
        apart = np.sqrt(np.maximum(apart, 0.0))
        tied = apart <= apart.min(axis=1)[:, None] * SAME
        total += float((tied[np.arange(len(some)), some] / tied.sum(axis=1)).sum())
    return total


def lines(largest: int) -> Iterator[str]:
    yield f"| n x {DIMENSIONS} | records | linked | naive, seconds | ours | times faster |"
    yield "|---|---:|---:|---:|---:|---:|"
    for n in (n for n in SIZES if n <= largest):
        for title, draw, mask in CASES:
            original = draw(n)
            yield row(title, original, mask(original))


def row(title: str, original: Points, masked: Points) -> str:
    n = len(original)
    places = standardised(original, masked)
    rows = np.arange(n) if n < max(SIZES) else np.arange(0, n, 10)
    start = time.perf_counter()
    expected = naive_linkage(places.original, places.masked, rows)
    naive = (time.perf_counter() - start) * n / len(rows)
    start = time.perf_counter()
    found = distance_linkage(places.original, places.masked)
    ours = time.perf_counter() - start
    same = distance_linkage(places.original, places.masked, rows).expected
    assert abs(same - expected) <= 0.001 * len(rows), f"{title}: {same} against {expected}"
    print(f"  {title}, {n:,}: {naive:.1f} s, {ours:.2f} s", file=sys.stderr)
    return f"| {title} | {n:,} | {found.percent:.2f}% | {naive:.1f} | {ours:.2f} | {naive / ours:.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=max(SIZES))
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/measures/benchmarks.md")
    given = parser.parse_args()
    if given.docs and given.largest < max(SIZES):
        parser.error("--docs is for all sizes: leave out --largest")
    distance_linkage(*(standardised(normals(3_000), normals(3_000)).original,) * 2)  # loads the search
    body = "\n".join(lines(given.largest))
    if given.largest >= max(SIZES):
        body += f"\n\nThe naive time at {max(SIZES):,} is measured on every tenth masked record and multiplied by ten."
    print(body)
    if given.docs:
        write_section(MEASURES, "Distance-based record linkage", f"`python benchmarks/linkage.py --docs`\n\n{body}")


if __name__ == "__main__":
    main()
