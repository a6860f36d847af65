"""PIL, DBRL and ID on the reference Census beside what an independent implementation found.

    .venv/bin/python benchmarks/check_values.py census.csv           V1..V13 of the reference file
    .venv/bin/python benchmarks/check_values.py census.csv --docs    rewrites the section of docs/measures/benchmarks.md

Masks all 13 variables in one block by MDAV (z-scores), and by individual ranking, and compares with figures that were
computed elsewhere, with the same definitions. A figure that differs in the second decimal ends the run with 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sections import MEASURES, write_section

from constraint_sdc.arrays import Labels, Points
from constraint_sdc.data.cloud import Cloud
from constraint_sdc.data.groups import Groups
from constraint_sdc.measures.points import standardised
from constraint_sdc.measures.risk.distance_linkage import distance_linkage
from constraint_sdc.measures.risk.interval_disclosure import interval_disclosure
from constraint_sdc.measures.score import score
from constraint_sdc.measures.utility.pil import pil
from constraint_sdc.partition.methods.individual_ranking import IndividualRanking
from constraint_sdc.partition.methods.mdav import Mdav

VARIABLES = [f"V{j}" for j in range(1, 14)]
HEADING = "Check values"
HEAD = (
    "masked by",
    "k",
    "PIL",
    "means",
    "variances",
    "covariances",
    "correlations",
    "quantiles",
    "DBRL",
    "ID",
    "SCORE",
)
# Independent implementation, same definitions; individual ranking without the parts of PIL.
EXPECTED: dict[tuple[str, int], tuple[float | None, ...]] = {
    ("MDAV", 3): (38.43, 0.00, 70.07, 18.48, 53.41, 50.19, 31.30, 37.24, 36.35),
    ("MDAV", 5): (46.93, 0.00, 85.53, 30.79, 63.99, 54.36, 18.43, 29.49, 35.45),
    ("MDAV", 10): (54.99, 0.00, 94.02, 42.48, 71.90, 66.54, 9.07, 23.50, 35.64),
    ("individual ranking", 5): (3.17, None, None, None, None, None, 99.91, 99.58, 51.45),
}


def means(values: Points, label: Labels) -> Points:
    groups = Groups(label)
    sums = np.add.reduceat(values[groups.order], groups.starts)
    return (sums / groups.sizes[:, None])[groups.label]


def masked(values: Points, method: str, k: int) -> Points:
    if method == "MDAV":
        return means(values, Mdav().partition(Cloud((values - values.mean(axis=0)) / values.std(axis=0)), k, 0))
    columns = [values[:, j : j + 1] for j in range(values.shape[1])]
    return np.concatenate([means(c, IndividualRanking().partition(Cloud(c), k, 0)) for c in columns], axis=1)


def measured(values: Points, after: Points) -> tuple[float | None, ...]:
    loss = pil(values, after)
    places = standardised(values, after)
    linked = distance_linkage(places.original, places.masked).percent
    found = score(loss.total, linked, interval_disclosure(values, after).rank)
    return (found.pil, *loss.parts, found.dbrl, found.id, found.score)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, help="the reference Census, V1..V13")
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/measures/benchmarks.md")
    options = parser.parse_args()
    values = pd.read_csv(options.csv)[VARIABLES].to_numpy(np.float64)
    lines = [f"| {' | '.join(HEAD)} |", f"|---|{'---:|' * (len(HEAD) - 1)}"]
    wrong = []
    for (method, k), expected in EXPECTED.items():
        found = measured(values, masked(values, method, k))
        cells = [f"{a:.2f}" if b is None else f"{a:.2f} ({b:.2f})" for a, b in zip(found, expected, strict=True)]
        lines.append(f"| {method} | {k} | {' | '.join(cells)} |")
        differing = [a for a, b in zip(found, expected, strict=True) if b is not None and abs((a or 0.0) - b) > 0.006]
        wrong += [f"{method}, k = {k}: {differing}"] if differing else []
    said = (
        "`python benchmarks/check_values.py census.csv --docs`: the reference Census (V1 to V13), masked in one block",
        "by MDAV, or each variable by individual ranking. Figures in brackets are those of an independent",
        "implementation with the same definitions; the run fails on a difference in the second decimal. The definition",
        "of ID was chosen among several so that these figures agree ([interval disclosure](interval-disclosure.md)).",
        "The other definitions were not.",
        "",
        *lines,
    )
    print("\n".join(said))
    if wrong:
        sys.exit("\n".join(wrong))
    if options.docs:
        write_section(MEASURES, HEADING, "\n".join(said))


if __name__ == "__main__":
    main()
