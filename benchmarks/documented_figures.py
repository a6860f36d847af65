"""The tables of two pages of the documentation: linkage inside transparency sets, alpha and products of microhybrid.

    .venv/bin/python benchmarks/documented_figures.py                all
    .venv/bin/python benchmarks/documented_figures.py linkage        docs/attacks/transparency-linkage.md
    .venv/bin/python benchmarks/documented_figures.py alpha          docs/maskers/microhybrid.md
    .venv/bin/python benchmarks/documented_figures.py products --csv census.csv    the same page, on a file with V1..V16

Prints Markdown tables. Data and maskings are drawn with fixed seeds. Files are published by `mask`, for the first two
tables without rules, and measured by `assess`; products are measured on a generated census unless a file is named.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from lxml import etree

from constraint_sdc import convert_file
from constraint_sdc.arrays import Floats
from constraint_sdc.census import generate_file
from constraint_sdc.commands.assess import assess_files
from constraint_sdc.commands.mask import mask_file
from constraint_sdc.files.recipe import read_recipe
from constraint_sdc.maskers.masked import MaskOptions
from constraint_sdc.measures.assessment import Assessment, AssessOptions, Measured

RECORDS = 1_000
SEED = 2009
RANKED = "mask: {partition: individual-ranking}\n"
TOGETHER = "mask: {partition: mdav}\ngroups: all\n"
LINKED = (
    ("individual ranking, 2 variables", 2, RANKED, 10),
    ("individual ranking, 3 variables", 3, RANKED, 30),
    ("individual ranking, 5 variables", 5, RANKED, 30),
    ("MDAV, 3 variables in one block", 3, TOGETHER, 3),
    ("MDAV, 3 variables in one block", 3, TOGETHER, 10),
)
ALPHAS = (0, 0.3, 0.6, 0.9)
ALPHA_K = 40
HYBRID = "mask: {{masker: microhybrid, partition: mdav, alpha: {}}}\ngroup_size: 3\nseed: 731\n"

PRODUCT_SIZES = (17, 20, 40, 80)
PRODUCT = """<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <pattern><rule context="Record">
    <assert id="product" test="number(V5) * number(V15) = number(V16)">V5 times V15 is V16</assert>
  </rule></pattern>
</schema>
"""


def write_lognormals(folder: Path, variables: int) -> Path:
    """Write independent variables, lognormal with sigma 1, with four decimals."""
    path, lines = folder / f"lognormal-{variables}.xml", []
    for values in np.random.default_rng(SEED).lognormal(size=(RECORDS, variables)):
        cells = "".join(f"<V{j}>{value:.4f}</V{j}>" for j, value in enumerate(values, start=1))
        lines.append(f"<Record>{cells}</Record>")
    path.write_text("\n".join(["<Microdata>", *lines, "</Microdata>", ""]), "utf-8")
    return path


def measured(data: Path, k: int, recipe: str, attacks: tuple[str, ...]) -> Assessment:
    """Mask the file and measure what is published."""
    told, masked = data.parent / "recipe.yml", data.parent / "masked.xml"
    told.write_text(recipe, "utf-8")
    settings = read_recipe(told)
    mask_file(data, None, masked, MaskOptions(k=k, recipe=settings, undecided="guess"), overwrite=True)
    return assess_files(data, masked, AssessOptions(recipe=settings, attacks=attacks))


def first_figure(found: tuple[Measured, ...], measure: str) -> float | None:
    return next(one for one in found if one.measure == measure).figures[0].value


def row(*cells: object) -> str:
    return f"| {' | '.join(f'{cell:.2f}' if isinstance(cell, float) else str(cell) for cell in cells)} |"


def linkage_lines(folder: Path) -> Iterator[str]:
    yield "| masked by | k | distance alone | published | rerun |"
    yield "|---|---:|---:|---:|---:|"
    for title, variables, recipe, k in LINKED:
        data = write_lognormals(folder, variables)
        (attack,) = measured(data, k, recipe, ("transparency-linkage",)).attacks
        yield row(title, k, *(attack.value(name) for name in ("unrestricted", "linked", "linked-rerun")))


def alpha_lines(folder: Path) -> Iterator[str]:
    yield "| alpha | SSE/SST | PIL | DBRL | ID | SCORE |"
    yield "|---:|---:|---:|---:|---:|---:|"
    data = folder / "census.xml"
    generate_file(data, RECORDS, SEED)
    for alpha in ALPHAS:
        found = measured(data, ALPHA_K, HYBRID.format(alpha), ())
        loss = (first_figure(found.utility, name) for name in ("sse", "pil"))
        risk = (first_figure(found.risk, name) for name in ("distance-linkage", "interval-disclosure"))
        yield row(f"{alpha:g}", *loss, *risk, found.score.value("score"))


def product_lines(folder: Path, source: Path | None) -> Iterator[str]:
    """Yield how the variance of a product changes; the factors are synthesised in logarithms."""
    data, rules, masked = folder / "census.xml", folder / "rules.sch", folder / "masked.xml"
    if source is None:
        generate_file(data, RECORDS, SEED)
    else:
        convert_file(source, data)
    rules.write_text(PRODUCT, "utf-8")
    before = values(data, "V16")
    yield "| k | variance of V16 over that of the original, three seeds |"
    yield "|---:|---|"
    for k in PRODUCT_SIZES:
        ratios = []
        for seed in range(3):
            told = folder / "recipe.yml"
            told.write_text(f"mask: {{masker: microhybrid, partition: mdav}}\nseed: {seed}\n", "utf-8")
            mask_file(
                data, rules, masked, MaskOptions(k=k, recipe=read_recipe(told), undecided="guess"), overwrite=True
            )
            ratios.append(float(values(masked, "V16").var() / before.var()))
        yield row(k, f"{min(ratios):.2f} - {max(ratios):.2f}")


def values(path: Path, name: str) -> Floats:
    return np.array([float(cell.text) for cell in etree.parse(path).iter(name)])


TABLES = ("linkage", "alpha", "products")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", choices=TABLES, help="all, if none is named")
    parser.add_argument("--csv", type=Path, help="rows with V1..V16 for the table of products")
    given = parser.parse_args()
    for name in TABLES if given.table is None else (given.table,):
        with tempfile.TemporaryDirectory() as folder:
            match name:
                case "linkage":
                    lines = linkage_lines(Path(folder))
                case "alpha":
                    lines = alpha_lines(Path(folder))
                case _:
                    lines = product_lines(Path(folder), given.csv)
            print(*lines, "", sep="\n")


if __name__ == "__main__":
    main()
