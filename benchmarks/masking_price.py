"""What the guarantee costs: information loss with the rules beside plain MDAV without, on one file.

    .venv/bin/python benchmarks/masking_price.py                      a generated extract of 1,080 records
    .venv/bin/python benchmarks/masking_price.py census.csv           any CSV with V1..V16 that satisfies the rules
    .venv/bin/python benchmarks/masking_price.py census.csv --docs    both; rewrites the section of docs/benchmarks.md

Masks with the five census rules, then with three more that tie ten variables together, each with grids learned from
the data and with integers asked for by a recipe, for every k. Each written file is judged again, by Saxon alone; a
failed assert, a group below k, or a V1..V14 that is no integer ends the run with 1. The same blocks are also masked
without rules, to count what that breaks. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

import constraint_sdc as cs
from constraint_sdc.census import generate_file
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.plan.plan import BlockPlan, ExactStep, Plan, Price
from constraint_sdc.settings.recipe import Recipe

TOP = Path(__file__).resolve().parents[1]
DOCS = TOP / "docs" / "benchmarks.md"
HEADING = "# What does the guarantee cost?"
SIZES = (3, 5, 10, 25, 100)
INTEGERS = tuple(f"V{i}" for i in range(1, 15))
MORE_RULES = """
  <pattern id="more">
    <rule context="Record">
      <assert id="SUM" test="number(V8) + number(V9) = number(V10)">Earnings and other income are the income.</assert>
      <assert id="TAX" test="number(V5) &lt;= number(V12)">The tax is within the taxable income.</assert>
      <assert id="TAXABLE" test="number(V12) &lt;= number(V2)">The taxable income is within the gross income.</assert>
    </rule>
  </pattern>
</schema>
"""
RECIPE = "variables:\n" + "".join(f"  {name}: {{grid: integer}}\n" for name in INTEGERS)
SECTION = """
Written by `benchmarks/masking_price.py` (`make price` prints the second half). Information loss is 100 * SSE / SST over
the standardised variables of a block. Each cell has the loss with the rules, then that of plain MDAV on the same block
without rules, strata or grids.

With groups formed by MDAV (`--partition mdav`, all rows but the last) the difference is the price of the guarantee. The
last row has the default partition, whose better groups make up for it in most cases, but not in all. MDAV is a
heuristic, so strata can also happen to give better groups than it finds alone.

Every file was judged again after it was published: no failed assert in Saxon, no group below k, V1 to V14 integers.
Otherwise there would be no table.

"Five rules" are those of `rules/census.sch`. "Eight rules" adds V8 + V9 = V10, V5 <= V12 and V12 <= V2, which tie ten
variables together. The last tables count the records that break a rule when the same engine masks the same blocks
without rules, rounding to the same grids.
"""


@dataclass(frozen=True)
class Case:
    """One set of rules: by k, the masking with MDAV's groups, with those of the default method, and what MDAV breaks.

    `same_integers` tells whether asking for integers gives the same file.
    """

    title: str
    masked: dict[int, MaskResult]
    searched: dict[int, MaskResult]
    same_integers: bool
    plain: dict[int, CheckResult]


def prepare(folder: Path, source: Path | None, records: int, seed: int) -> Path:
    """Write the data as XML, both sets of rules and the recipe; return the data."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    data = folder / "original.xml"
    if source is None:
        generate_file(data, records, seed)
    else:
        cs.convert_file(source, data)
    for name in ("census.sch", "constraints.sch"):
        shutil.copyfile(shipped_file("rules", name), folder / name)
    five = (folder / "census.sch").read_text("utf-8")
    (folder / "eight.sch").write_text(five.replace("</schema>", MORE_RULES), encoding="utf-8")
    (folder / "integers.yml").write_text(RECIPE, encoding="utf-8")
    return data


def run_case(title: str, data: Path, rules: Path) -> Case:
    """Mask for every k, with learned grids and with integers asked for, judge, and mask without rules."""
    masked: dict[int, MaskResult] = {}
    searched: dict[int, MaskResult] = {}
    plain: dict[int, CheckResult] = {}
    same = True
    recipe_file = data.parent / "integers.yml"
    integers = cs.read_recipe(recipe_file)
    for k in SIZES:
        masked[k] = mask_and_judge(
            data, rules, f"{rules.stem}-{k}.xml", cs.MaskOptions(k=k, partition="mdav", undecided="guess")
        )
        searched[k] = mask_and_judge(data, rules, f"{rules.stem}-{k}-auto.xml", cs.MaskOptions(k=k, undecided="guess"))
        options = cs.MaskOptions(k=k, partition="mdav", undecided="guess", recipe=integers, recipe_file=recipe_file)
        asked = mask_and_judge(data, rules, f"{rules.stem}-{k}-integers.xml", options)
        same &= asked.digests["output"] == masked[k].digests["output"]
        plain[k] = check_without_rules(data, rules, masked[k].plan)
        print(f"{title}, k = {k}: judged", file=sys.stderr)
    assert len({tuple(block.names for block in result.plan.blocks) for result in masked.values()}) == 1
    return Case(title, masked, searched, same, plain)


def mask_and_judge(data: Path, rules: Path, name: str, options: cs.MaskOptions) -> MaskResult:
    """Judge the published file without trusting the result: by Saxon, by counting, by looking at the texts."""
    result = cs.mask_file(data, rules, data.parent / name, options)
    verdict = cs.check_file(result.output, rules, cs.CheckOptions(original=data, engine="saxon"))
    failed = {r.rule: r.failed for r in verdict.results if r.status != "pass"}
    records = [{child.tag: child.text for child in record} for record in etree.parse(result.output).iter("Record")]
    sizes = {b.names: min(Counter(tuple(r[n] for n in b.names) for r in records).values()) for b in result.plan.blocks}
    small = {names: size for names, size in sizes.items() if size < result.plan.k}
    odd = sum(not re.fullmatch(r"-?[0-9]+", record[name] or "") for record in records for name in INTEGERS)
    if failed or small or odd or len(records) != result.plan.records:
        raise SystemExit(f"{result.output}: failed {failed}, too small {small}, not integers {odd}")
    return result


def check_without_rules(data: Path, rules: Path, plan: Plan) -> CheckResult:
    recipe = Recipe(groups=tuple(block.names for block in plan.blocks))
    output = data.parent / f"{rules.stem}-{plan.k}-plain.xml"
    cs.mask_file(data, None, output, cs.MaskOptions(k=plan.k, partition="mdav", recipe=recipe, undecided="guess"))
    return cs.check_file(output, rules, cs.CheckOptions(original=data))


def price(block: BlockPlan) -> Price:
    assert block.price is not None
    return block.price


def loss_table(case: Case) -> str:
    """Return loss and plain loss of each block, and over all variables, for every k."""
    lines = [f"| {case.title}: block | rules | " + " | ".join(f"k = {k}" for k in case.masked) + " |"]
    lines.append("|---|---|" + "---:|" * len(case.masked))
    plans = [result.plan for result in case.masked.values()]
    for place, block in enumerate(plans[0].blocks):
        prices = [price(plan.blocks[place]) for plan in plans]
        ids = ", ".join(rule.rule for rule in block.rules) or "none"
        lines.append(row(", ".join(block.names), ids, *(f"{p.loss:.2f} / {p.plain_loss:.2f}" for p in prices)))
    lines.append(row(f"all variables, {case.title}, method mdav", "", *map(overall, plans)))
    searched = [result.plan for result in case.searched.values()]
    lines.append(row(f"all variables, {case.title}, partition auto (the default)", "", *map(overall, searched)))
    return "\n".join(lines)


def overall(plan: Plan) -> str:
    """Weight each block by its variables: standardised, each has the same total."""
    count = sum(len(block.names) for block in plan.blocks)
    loss = sum(price(block).loss * len(block.names) for block in plan.blocks) / count
    plain = sum(price(block).plain_loss * len(block.names) for block in plan.blocks) / count
    return f"{loss:.2f} / {plain:.2f}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def step_table(case: Case) -> str:
    """Return how many groups took which exact step, over all blocks."""
    taken = {k: steps(result) for k, result in case.masked.items()}
    used = [step for step in ExactStep if any(counts[step] for counts in taken.values())]
    heads = ("groups", "smallest", *(step.value for step in used))
    lines = [row(f"{case.title}: groups by exact step", *heads), "|---|" + "---:|" * len(heads)]
    for k, result in case.masked.items():
        numbers = (taken[k].total(), min(result.smallest), *(taken[k][step] for step in used))
        lines.append(row(f"k = {k}", *(f"{number:,}" for number in numbers)))
    return "\n".join(lines)


def plain_table(case: Case) -> str:
    """Return how many records break each rule after masking the same blocks without rules."""
    rules = [result.rule for result in case.plain[SIZES[0]].results]
    lines = [row(f"{case.title}: broken without them", *rules), "|---|" + "---:|" * len(rules)]
    for k, check in case.plain.items():
        lines.append(row(f"k = {k}", *(f"{result.failed:,}" for result in check.results)))
    return "\n".join(lines)


def steps(result: MaskResult) -> Counter[ExactStep]:
    total: Counter[ExactStep] = Counter()
    for block in result.plan.blocks:
        total.update(price(block).steps)
    return total


def story(title: str, folder: Path, source: Path | None, records: int, seed: int) -> str:
    """Return all tables for one file."""
    data = prepare(folder, source, records, seed)
    cases = [run_case("five rules", data, folder / "census.sch"), run_case("eight rules", data, folder / "eight.sch")]
    count = cases[0].masked[SIZES[0]].plan.records
    parts = [f"## {title}, {count:,} records"]
    for case in cases:
        parts += [loss_table(case), step_table(case), plain_table(case)]
    if all(case.same_integers for case in cases):
        parts.append("With `grid: integer` for V1 to V14 in a recipe the files are the same, byte for byte.")
    else:
        parts.append("With `grid: integer` for V1 to V14 in a recipe the files differ; they were judged too.")
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?", type=Path, help="rows with V1..V16 that satisfy the rules")
    parser.add_argument("--docs", action="store_true", help="the given and a generated file; rewrite the docs' section")
    parser.add_argument("--records", type=int, default=1080, help="of the generated extract")
    parser.add_argument("--seed", type=int, default=2009, help="of the generated extract")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "price")
    options = parser.parse_args()
    if options.docs and options.csv is None:
        parser.error("--docs needs the reference file: name a CSV")
    parts = []
    if options.csv is not None:
        title = "The reference Census" if options.docs else options.csv.name
        parts.append(story(title, options.folder / "given", options.csv, options.records, options.seed))
    if options.csv is None or options.docs:
        title = f"A generated extract (seed {options.seed})"
        parts.append(story(title, options.folder / "generated", None, options.records, options.seed))
    text = "\n\n".join((HEADING, SECTION.strip(), *parts)) + "\n"
    print(text)
    if options.docs:
        kept = DOCS.read_text("utf-8").partition(f"\n{HEADING}")[0].rstrip("\n")
        DOCS.write_text(f"{kept}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
