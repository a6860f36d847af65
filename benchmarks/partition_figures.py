"""The figures of the pages on single partition methods and on the medoid: losses, costs, neighbours.

    .venv/bin/python benchmarks/partition_figures.py              all
    .venv/bin/python benchmarks/partition_figures.py tree         docs/partition/tree.md: loss beside MDAV
    .venv/bin/python benchmarks/partition_figures.py neighbours   docs/partition/tree.md: neighbours that are found
    .venv/bin/python benchmarks/partition_figures.py medoid       docs/operators/medoid.md
    .venv/bin/python benchmarks/partition_figures.py cost         seconds, on the pages of the methods

Prints Markdown tables. Data are drawn with fixed seeds; seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.operators.arithmetic_mean import ArithmeticMean
from constraint_sdc.operators.medoid import Medoid
from constraint_sdc.partition.distances import sse
from constraint_sdc.partition.registry import partitioner
from constraint_sdc.partition.search.neighbours import nearest

SEED, DIMENSIONS = 2009, 10


def standardised(values: Points) -> Points:
    return (values - values.mean(axis=0)) / values.std(axis=0)


def factors(random: np.random.Generator, n: int) -> Points:
    return random.normal(size=(n, 3)) @ random.normal(size=(3, DIMENSIONS)) + 0.3 * random.normal(size=(n, DIMENSIONS))


def clusters(random: np.random.Generator, n: int) -> Points:
    centres = random.normal(size=(50, DIMENSIONS))
    return centres[random.integers(0, 50, n)] + 0.1 * random.normal(size=(n, DIMENSIONS))


KINDS: dict[str, Callable[[np.random.Generator, int], Points]] = {
    "independent normals": lambda random, n: random.normal(size=(n, DIMENSIONS)),
    "three factors and noise": factors,
    "lognormal": lambda random, n: random.lognormal(size=(n, DIMENSIONS)),
    "heavy tails (t with two degrees of freedom)": lambda random, n: random.standard_t(2, size=(n, DIMENSIONS)),
    "fifty clusters": clusters,
}


def divided(name: str, cloud: Cloud, k: int) -> tuple[Labels, float]:
    """Return the groups of a method and its seconds; kernels are compiled before."""
    start = perf_counter()
    return partitioner(name, None).partition(cloud, k, 0), perf_counter() - start


def loss(cloud: Cloud, labels: Labels) -> str:
    return f"{100.0 * sse(cloud, labels) / sse(cloud, np.zeros(len(cloud), np.int64)):.2f}"


def tree_lines(records: int = 5_000) -> Iterator[str]:
    yield f"| loss, {records:,} records of {DIMENSIONS} variables | k = 3: tree | MDAV | k = 10: tree | MDAV |"
    yield "|---|---:|---:|---:|---:|"
    for title, draw in KINDS.items():
        cloud = Cloud(standardised(draw(np.random.default_rng(SEED), records)))
        losses = (loss(cloud, divided(name, cloud, k)[0]) for k in (3, 10) for name in ("tree", "mdav"))
        yield f"| {title} | {' | '.join(losses)} |"


def neighbour_lines(sizes: tuple[int, ...] = (10_000, 100_000), count: int = 12, asked: int = 500) -> Iterator[str]:
    yield f"| share of the {count} nearest that are found | {' | '.join(f'{n:,} records' for n in sizes)} |"
    yield f"|---|{'---:|' * len(sizes)}"
    drawn = {f"{d} independent normals": (lambda random, n, d=d: random.normal(size=(n, d))) for d in (3, 5, 10, 20)}
    drawn |= {title: draw for title, draw in KINDS.items() if title != "independent normals"}
    for title, draw in drawn.items():
        shares = [found_share(standardised(draw(np.random.default_rng(SEED), n)), count, asked) for n in sizes]
        yield f"| {title} | {' | '.join(f'{share:.2f}' for share in shares)} |"


def found_share(points: Points, count: int, asked: int) -> float:
    """Return the share of the nearest neighbours of some records that the lists have, by comparing with all records."""
    found = nearest(points, count, 0)
    rows = np.random.default_rng(SEED).choice(len(points), asked, replace=False)
    hits = 0
    for row in rows.tolist():
        apart = ((points - points[row]) ** 2).sum(axis=1)
        apart[row] = np.inf
        hits += len(np.intersect1d(np.argpartition(apart, count)[:count], found[row]))
    return hits / (asked * count)


def medoid_lines(records: int = 1_500) -> Iterator[str]:
    yield "| k | loss of the medoid, times that of the mean |"
    yield "|---:|---|"
    for k in (2, 3, 5, 10):
        found = [times_the_mean(kind, d, records, k) for kind in ("normal", "lognormal") for d in (2, 6)]
        yield f"| {k} | {min(found):.1f} - {max(found):.1f} |"


def times_the_mean(kind: str, variables: int, records: int, k: int) -> float:
    """Return how often the squared distances of the mean go into those of the medoid, in groups by MDAV."""
    points = standardised(getattr(np.random.default_rng(SEED), kind)(size=(records, variables)))
    groups = Groups(divided("mdav", Cloud(points), k)[0])
    costs = []
    for operator in (Medoid(), ArithmeticMean()):
        rows = operator.representatives(points, groups)
        costs.append(
            sum(((points[members] - row) ** 2).sum() for members, row in zip(groups.each(), rows, strict=True))
        )
    return float(costs[0] / costs[1])


COSTS = (
    ("v-mdav", 20_000),
    ("mu-approx", 20_000),
    ("mhm", 20_000),
    ("tree", 100_000),
    ("pc1-projection", 1_000_000),
    ("z-sum-projection", 1_000_000),
)


def cost_lines(k: int = 3) -> Iterator[str]:
    yield f"| method | records of {DIMENSIONS} normals, k = {k} | seconds |"
    yield "|---|---:|---:|"
    for name, records in COSTS:
        divided(name, Cloud(np.random.default_rng(SEED).normal(size=(6_000, DIMENSIONS))), k)
        cloud = Cloud(np.random.default_rng(SEED).normal(size=(records, DIMENSIONS)))
        yield f"| {name} | {records:,} | {divided(name, cloud, k)[1]:.1f} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "tree": tree_lines,
    "neighbours": neighbour_lines,
    "medoid": medoid_lines,
    "cost": cost_lines,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", choices=TABLES, help="all, if none is named")
    given = parser.parse_args()
    for name in TABLES if given.table is None else (given.table,):
        print(*TABLES[name](), "", sep="\n")


if __name__ == "__main__":
    main()
