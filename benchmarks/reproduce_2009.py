"""The 2009 paper's experiment, done again: with and without rules, k = 1 to 99, loss and risk of every masking.

    .venv/bin/python benchmarks/reproduce_2009.py census.csv              the curves
    .venv/bin/python benchmarks/reproduce_2009.py census.csv --search     the evidence for how to read the paper
    .venv/bin/python benchmarks/reproduce_2009.py census.csv --docs       the curves, and writes table and plots to docs
    .venv/bin/python benchmarks/reproduce_2009.py census.csv --search --docs      the same for the evidence

V. Torra, I. Cano and G. Navarro-Arribas, Dealing with edit constraints in microdata protection: microaggregation, 2009.
The CSV is the reference Census with V1..V16, which is not part of this repository. S1 keeps the five rules of
rules/census-paper.sch, or the four kinds that the paper names at its end; if a masked file of S1 breaks one, the run
ends with 1. Prints Markdown.
What it means: docs/reproduction.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from reproduction.figures import all_scenarios, render
from reproduction.page import SHOWN, count_sentences, curves_table, evidence_table, with_section
from reproduction.scenarios import S1, S1_FOUR, Folder, set_up
from reproduction.search import measure_all

DOCS = Path(__file__).resolve().parents[1] / "docs"
ROUNDS = 1


def curves(folder: Folder, docs: Path | None, last: int) -> int:
    """Print the table of all scenarios for k = 1 to the last; return how often S1 breaks a rule."""
    found = all_scenarios(folder, range(1, last + 1))
    print(curves_table(found, range(1, last + 1)))
    if docs is not None:
        _write(docs, "curves", curves_table(found, SHOWN))
        for name, rows in found.items():
            (docs / "images" / f"{picture_name(name)}.svg").write_text(render(name, rows), encoding="utf-8")
    return sum(row.broken for scenario in (S1, S1_FOUR) for row in found[scenario.title])


def evidence(folder: Folder, docs: Path | None) -> None:
    """Print what other readings of the paper would give."""
    measured = measure_all(folder, ROUNDS)
    sections: dict[str, Callable[..., str]] = {"evidence": evidence_table, "count": count_sentences}
    for name, write in sections.items():
        text = write(measured)
        print(text, end="\n\n")
        if docs is not None:
            _write(docs, name, text)


def picture_name(title: str) -> str:
    """Return the name of a scenario's picture.

    >>> picture_name("S1, four rules")
    'reproduction-s1-four-rules'
    """
    return "reproduction-" + title.lower().replace(",", "").replace(" ", "-")


def _write(docs: Path, name: str, text: str) -> None:
    page = docs / "reproduction.md"
    page.write_text(with_section(page.read_text("utf-8"), name, text), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", type=Path, help="the reference Census, V1..V16")
    parser.add_argument("--docs", action="store_true", help="also write into docs/")
    parser.add_argument("--search", action="store_true", help="compare readings of the paper instead")
    parser.add_argument("--last", type=int, default=99, help="the largest k of the curves")
    options = parser.parse_args()
    with TemporaryDirectory() as place:
        folder = set_up(Path(place), options.csv)
        docs = DOCS if options.docs else None
        if options.search:
            evidence(folder, docs)
            return 0
        broken = curves(folder, docs, options.last)
    if broken:
        print(f"S1 breaks the rules {broken} times")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
