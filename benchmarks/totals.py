"""What it costs and risks to mask totals together with their parts, to compute them, or to let auto choose.

    .venv/bin/python benchmarks/totals.py                     business surveys and a generated extract
    .venv/bin/python benchmarks/totals.py census.csv          and any CSV with V1..V16 that satisfies the rules
    .venv/bin/python benchmarks/totals.py census.csv --docs   rewrites the section of docs/totals.md

The business survey has the firms of eight drawn surveys, once with its five balance edits alone and once with all rules
of a survey that has them. The questionnaires are the largest of 40 that the exam of the guarantee draws. The extract
comes from the generator of the demo. Every file is masked in memory by MDAV for every k, in every way and without
rules; the census also by the default partition. A masking that newly breaks a rule ends the run with 1.
Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from lxml import etree
from masking_price import MORE_RULES
from sections import write_section

import constraint_sdc as cs
from constraint_sdc.census import generate_file
from constraint_sdc.exam.guarantee.business_questionnaire import BUSINESS, make_business
from constraint_sdc.exam.guarantee.business_survey import make_survey
from constraint_sdc.exam.guarantee.generator import write_case
from constraint_sdc.exam.guarantee.household_survey import HOUSEHOLDS, make_households
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.measures.sweep_points import SweepPoint
from constraint_sdc.settings.words import TOTALS

TOP = Path(__file__).resolve().parents[1]
PAGE = TOP / "docs" / "totals.md"
HEADING = "Measured"
SIZES = (3, 5, 10)
BALANCES = {"employed", "turnover", "staff", "costs", "result"}
SURVEYS = range(8)
QUESTIONNAIRES = range(40)
NAMES = {"sch": "http://purl.oclc.org/dsdl/schematron"}
STORY = """
Written by `benchmarks/totals.py` (`make totals` prints it without the reference Census). Each cell has the information
loss (100 * SSE / SST over all masked numbers) and, after the stroke, DBRL: the percentage of records that
distance-based linkage identifies for an intruder who knows all masked variables. Less is better for both.

`without rules` is the same partition without any rule, which breaks the equalities. `plain MDAV` is the loss of MDAV on
the blocks of `together`, without rules, strata or grids. Every masking with rules was evaluated on every record: none
newly breaks a rule.
"""


def survey_files(folder: Path) -> Iterator[tuple[str, Path, Path, Path]]:
    """Write the firms of several surveys as one file; yield title, data, rules and recipe of both sets of rules."""
    folder.mkdir(parents=True)
    cases = [make_survey(seed) for seed in range(40)]
    model = next(case for case in cases if all(f'id="{name}"' in case.rules for name in BALANCES))
    firms = [firm for seed in SURVEYS for firm in etree.fromstring(cases[seed].data)]
    root = etree.Element("Survey")
    root.extend(firms)
    (folder / "firms.xml").write_bytes(etree.tostring(root, pretty_print=True))
    (folder / "recipe.yml").write_text("variables: {Size: {role: untouched}, Group: {role: untouched}}\n", "utf-8")
    (folder / "all.sch").write_text(model.rules, encoding="utf-8")
    schema = etree.fromstring(model.rules)
    for one in schema.xpath("//sch:assert", namespaces=NAMES):
        if one.get("id") not in BALANCES:
            one.getparent().remove(one)
    (folder / "balances.sch").write_bytes(etree.tostring(schema))
    count = len(model.rules.split("<assert")) - 1
    for title, rules in (("five balance edits", "balances.sch"), (f"{count} rules", "all.sch")):
        yield f"{len(firms)} firms, {title}", folder / "firms.xml", folder / rules, folder / "recipe.yml"


def questionnaire_files(folder: Path) -> Iterator[tuple[str, Path, Path, Path]]:
    """Write the largest business questionnaire and household survey without cents; yield all that masks them."""
    for make, survey, units in ((make_business, BUSINESS, "firms"), (make_households, HOUSEHOLDS, "households")):
        drawn = (make(seed) for seed in QUESTIONNAIRES)
        case = max((case for case in drawn if "xs:decimal" not in case.rules), key=lambda case: case.records)
        files = write_case(case, folder / units)
        title = f"{case.records} {units}, a questionnaire with {len(survey.rules)} rules"
        yield title, files.data, files.rules, files.recipe


def census_files(folder: Path, name: str, source: Path | None) -> Iterator[tuple[str, Path, Path, None]]:
    """Write a census, given or generated, with five and with eight rules; yield title, data and rules of both."""
    folder.mkdir(parents=True)
    data = folder / "original.xml"
    if source is None:
        generate_file(data, 1080, 2009)
    else:
        cs.convert_file(source, data)
    for file in ("census.sch", "constraints.sch"):
        shutil.copyfile(shipped_file("rules", file), folder / file)
    five = (folder / "census.sch").read_text("utf-8")
    (folder / "eight.sch").write_text(five.replace("</schema>", MORE_RULES), encoding="utf-8")
    for title, rules in (("five rules", "census.sch"), ("eight rules", "eight.sch")):
        yield f"{name}, {title}", data, folder / rules, None


def table(title: str, data: Path, rules: Path, recipe: Path | None, partition: str) -> str:
    """Return loss and linkage of every way for every k."""
    given = cs.Recipe() if recipe is None else cs.read_recipe(recipe)
    swept = cs.sweep_file(
        data,
        rules,
        ks=SIZES,
        partitions=[partition],
        totals=TOTALS,
        compare_unconstrained=True,
        recipe=given,
        undecided="guess",
    )
    rows: dict[str, list[SweepPoint]] = {}
    for point in swept.points:
        rows.setdefault(f"totals {point.totals}" if point.totals else "without rules", []).append(point)
        if point.totals and (point.broken or point.refused):
            raise SystemExit(f"{title}: k = {point.k}, totals {point.totals}: broken {point.broken}, {point.refused}")
    lines = [row(f"{title}, partition {partition}", *(f"k = {k}" for k in SIZES)), "|---|" + "---:|" * len(SIZES)]
    lines += [row(name, *map(cell, points)) for name, points in rows.items()]
    lines.append(row("plain MDAV", *(f"{plain(data, rules, given, k):.2f}" for k in SIZES)))
    print(f"{title}, {partition}: measured", file=sys.stderr)
    return "\n".join(lines)


def cell(point: SweepPoint) -> str:
    return f"{point.loss:.2f} / {point.dbrl:.1f}"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def plain(data: Path, rules: Path, recipe: cs.Recipe, k: int) -> float:
    """Return the loss of plain MDAV on the blocks of the plan with totals together, each weighted by its numbers."""
    blocks = cs.plan_file(data, rules, k=k, partition="mdav", recipe=recipe, undecided="guess").blocks
    prices = [(block.price.plain_loss or 0.0, len(block.names)) for block in blocks if block.price is not None]
    return sum(loss * count for loss, count in prices) / sum(count for _, count in prices)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="?", type=Path, help="rows with V1..V16 that satisfy the rules")
    parser.add_argument("--docs", action="store_true", help="rewrite the section of docs/totals.md; needs the CSV")
    parser.add_argument("--folder", type=Path, default=TOP / "build" / "totals")
    options = parser.parse_args()
    if options.docs and options.csv is None:
        parser.error("--docs needs the reference file: name a CSV")
    shutil.rmtree(options.folder, ignore_errors=True)
    parts = [STORY.strip()]
    parts += [table(*case, "mdav") for case in survey_files(options.folder / "survey")]
    parts += [table(*case, "mdav") for case in questionnaire_files(options.folder / "questionnaires")]
    for case in census_files(options.folder / "generated", "a generated extract", None):
        parts.append(table(*case, "mdav"))
    if options.csv is not None:
        name = "the reference Census" if options.docs else options.csv.name
        for case in census_files(options.folder / "given", name, options.csv):
            parts += [table(*case, partition) for partition in ("mdav", "auto")]
    text = "\n\n".join(parts)
    print(text)
    if options.docs:
        write_section(PAGE, HEADING, text)


if __name__ == "__main__":
    main()
