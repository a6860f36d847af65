"""Compare every masker on the demo's data: what it loses, what is at risk, and how many rules it breaks.

    .venv/bin/python benchmarks/compare_maskers.py [--records 3000] [--docs]

The demo's extract gets two categories (a region, a class of earnings) with rules of their own, so that all maskers have
something to do. Each file is published by `mask` (or the run ends) and measured by `assess`. With --docs the table goes
to docs/maskers/comparison.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import numpy as np  # noqa: E402

from constraint_sdc.census import generate  # noqa: E402
from constraint_sdc.commands.assess import assess_files  # noqa: E402
from constraint_sdc.commands.mask import mask_file  # noqa: E402
from constraint_sdc.files.recipe import read_recipe  # noqa: E402
from constraint_sdc.maskers.masked import MaskOptions, MaskResult  # noqa: E402
from constraint_sdc.measures.assessment import Assessment, AssessOptions, Measured  # noqa: E402

PAGE = HERE.parent / "docs" / "maskers" / "comparison.md"
REGIONS = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")
CLASSES = ("low", "middle", "high")
SEED = 2009

RULES = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <title>The census rules, and rules over categories</title>
  <let name="original" value="doc('extract.xml')"/>
  <pattern>
    <rule context="Record">
      <assert id="EC-LC" test="number(V9) + number(V10) = number(V14)">sum</assert>
      <assert id="EC-NLC" test="number(V5) * number(V15) = number(V16)">product</assert>
      <assert id="EC-PV" test="0 &lt;= number(V3) and number(V3) &lt;= 7500">range</assert>
      <assert id="EC-GV" test="not(number(V8) &lt; 1115) or number(V13) &lt;= number(V12)">condition</assert>
      <assert id="EC-VD" test="exists(index-of($original//Record/V1, V1))">value domain</assert>
      <assert id="region" test="Region = ('Alder','Birch','Cedar','Elm','Fir','Hazel','Larch','Maple')">list</assert>
      <assert id="class" test="not(Class = 'low') or number(V8) &lt; 20000">category and number</assert>
    </rule>
  </pattern>
</schema>
"""

ASSESS = """assess:
  known: [V2, V7, V8]
  regressions: [V12 ~ V8 + V7]
"""

CATEGORIES = """variables:
  Region: {role: confidential, type: nominal}
  Class: {role: confidential, type: nominal}
"""

GOALS = """mask:
  masker: group-anonymity
  goals:
    - parameter: Region
      vital: "Class = 'high'"
      change: [{move: {from: Cedar, to: Maple}}]
  influential: [{variable: V8}, {variable: V2}]
"""


@dataclass(frozen=True)
class Way:
    """A masker as a recipe would tell it."""

    title: str
    k: int | None
    recipe: str


WAYS = (
    Way("microaggregation, auto (the default)", 5, "mask: {partition: auto}\n"),
    Way("microaggregation, mdav", 5, "mask: {partition: mdav}\n"),
    Way("categories too, mixed", 5, "mask: {partition: mixed}\n" + CATEGORIES),
    Way("ordinal-median", 5, "mask: {partition: ordinal-median}\n"),
    Way("microhybrid", 20, "mask: {masker: microhybrid, partition: mdav}\nseed: 731\n"),
    Way(
        "microhybrid in blocks of three", 5, "mask: {masker: microhybrid, partition: mdav}\ngroup_size: 3\nseed: 731\n"
    ),
    Way("fuzzy-c-means", 5, "mask: {masker: fuzzy-c-means}\nseed: 731\n"),
    Way("fuzzy-c-means, ensure_k", 5, "mask: {masker: fuzzy-c-means, m1: 1.2, m2: 1.2, ensure_k: true}\nseed: 731\n"),
    Way("individual-ranking", 5, "mask: {partition: individual-ranking}\n"),
    Way("optimal-univariate", 5, "mask: {partition: optimal-univariate}\n"),
    Way("pc1-projection", 5, "mask: {partition: pc1-projection}\n"),
    Way("z-sum-projection", 5, "mask: {partition: z-sum-projection}\n"),
    Way("group-anonymity (swaps regions)", None, GOALS),
)


def write_extract(folder: Path, records: int) -> Path:
    """Write the demo's records with a region and a class of earnings."""
    rng = np.random.default_rng(SEED)
    lines = ["<Microdata>"]
    for batch in generate(records, SEED):
        earnings = np.array(batch["V8"], float)
        weights = np.where(np.arange(len(REGIONS)) == 2, 4.0, 1.0)  # the rich live in one region
        rich = rng.choice(REGIONS, len(earnings), p=weights / weights.sum())
        region = np.where(earnings > 60000, rich, rng.choice(REGIONS, len(earnings)))
        kind = np.array(CLASSES)[np.searchsorted((20000, 60000), earnings, side="right")]
        columns = {**batch, "Region": region.tolist(), "Class": kind.tolist()}
        for row in zip(*columns.values(), strict=True):
            cells = "".join(f"<{name}>{value}</{name}>" for name, value in zip(columns, row, strict=True))
            lines.append(f"<Record>{cells}</Record>")
    path = folder / "extract.xml"
    path.write_text("\n".join([*lines, "</Microdata>", ""]), encoding="utf-8")
    return path


def figure(found: tuple[Measured, ...], measure: str, name: str | None = None) -> float | None:
    one = next(measured for measured in found if measured.measure == measure)
    return one.figures[0].value if name is None else one.value(name)


def shown(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def cells_of(way: Way, result: MaskResult, found: Assessment, seconds: float) -> dict[str, str]:
    """Return what is said of a masker, by column."""
    shares = all(block.shares for block in result.plan.blocks)
    return {
        "masker": way.title,
        "k": "-" if way.k is None else str(way.k),
        "SSE/SST %": shown(figure(found.utility, "sse")),
        "PIL %": shown(figure(found.utility, "pil")),
        "correlations off by": shown(figure(found.utility, "correlations"), 4),
        "regression overlap %": shown(figure(found.utility, "regressions")),
        "least that share a block": f"{min(result.smallest)}" + ("" if shares else " (not promised)"),
        "DBRL %": shown(figure(found.risk, "distance-linkage")),
        "ID %": shown(figure(found.risk, "interval-disclosure")),
        "SCORE": shown(found.score.value("score")),
        "certain links %": shown(figure(found.attacks, "transparency", "certain-links-published"), 1),
        "certain links %, rerun": shown(figure(found.attacks, "transparency", "certain-links-rerun"), 1),
        "newly broken": str(sum(outcome.newly_broken for outcome in result.outcomes)),
        "seconds": shown(seconds, 1),
    }


TABLES = {
    "Summary": (
        "masker",
        "k",
        "PIL %",
        "regression overlap %",
        "least that share a block",
        "DBRL %",
        "certain links %",
        "newly broken",
    ),
    "Information loss": (
        "masker",
        "k",
        "SSE/SST %",
        "PIL %",
        "correlations off by",
        "regression overlap %",
        "newly broken",
        "seconds",
    ),
    "Disclosure risk": (
        "masker",
        "k",
        "least that share a block",
        "DBRL %",
        "ID %",
        "SCORE",
        "certain links %",
        "certain links %, rerun",
    ),
}


def table(rows: list[dict[str, str]], columns: tuple[str, ...]) -> str:
    lines = [columns, ("---", *("---:" for _ in columns[1:])), *([row[name] for name in columns] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--docs", action="store_true", help="write docs/maskers/comparison.md")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data, rules, recipe = write_extract(folder, options.records), folder / "rules.sch", folder / "recipe.yml"
        rules.write_text(RULES, encoding="utf-8")
        for way in WAYS:
            recipe.write_text(way.recipe + ASSESS, encoding="utf-8")
            told = read_recipe(recipe)
            start = perf_counter()
            result = mask_file(
                data, rules, folder / "masked.xml", MaskOptions(k=way.k, recipe=told, undecided="guess"), overwrite=True
            )
            seconds = perf_counter() - start
            found = assess_files(data, folder / "masked.xml", AssessOptions(rules=rules, recipe=told))
            rows.append(cells_of(way, result, found, seconds))
            print(table(rows[-1:], tuple(rows[-1])).splitlines()[-1], flush=True)
    if options.docs:
        write_page(rows, options.records)
    return 0


def write_page(rows: list[dict[str, str]], records: int) -> None:
    head, _, rest = PAGE.read_text("utf-8").partition("<!-- table -->\n")
    tail = rest.partition("<!-- end -->\n")[2]
    parts = [f"{records:,} records of 16 numbers and two categories, seven rules."]
    parts += [f"**{title}**\n\n{table(rows, columns)}" for title, columns in TABLES.items()]
    PAGE.write_text(f"{head}<!-- table -->\n" + "\n\n".join(parts) + f"\n\n<!-- end -->\n{tail}", "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
