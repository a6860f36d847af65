"""What each promise about people costs: loss and PIL beside blocks of three that promise nothing about people."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from sections import write_section

import constraint_sdc as cs
from constraint_sdc.census import generate_file
from constraint_sdc.exam.protection.recount import Recounted, recount
from constraint_sdc.exam.protection.written import Published, read_rows
from constraint_sdc.files.json_file import shipped_file
from constraint_sdc.maskers.masked import MaskResult
from constraint_sdc.measures.utility.pil import pil

PAGE = Path(__file__).resolve().parents[1] / "docs" / "protect.md"
HEADING = "What the promises cost"
SIZES = (3, 5, 10)
NAMES = tuple(f"V{i}" for i in range(1, 17))
SIX = ("V2", "V4", "V7", "V8", "V12", "V13")
STORY = """
Written by `benchmarks/protection.py --price census.csv --docs` (without the CSV it prints the demo's file alone).
Groups are formed by MDAV, under the five census rules. Each cell has the information loss (100 * SSE / SST over all
masked numbers) and, after the stroke, PIL, both in per cent; less is better. `alone` are the records that no other
record equals over the six variables of the key (V2, V4, V7, V8, V12, V13), `verbatim` the groups whose values are an
actual record's, both at k = 3, recounted on the written file by code that shares nothing with the engine. In the
first row the 16 variables are confidential and nothing is promised about them together.
"""


@dataclass(frozen=True)
class Promises:
    """A row of the table: its title, the variables of the key, and the section `protect`."""

    title: str
    key: tuple[str, ...]
    protect: Mapping[str, Any]

    def recipe(self) -> dict[str, Any]:
        """Return the recipe: variables of the key are quasi-identifiers, the others confidential."""
        roles = {name: {"role": "quasi-identifier" if name in self.key else "confidential"} for name in NAMES}
        return {"variables": roles, "mask": {"partition": "mdav"}, "protect": dict(self.protect)}


ROWS = (
    Promises("blocks of three", (), {"verbatim": 0}),
    Promises("key of 6 variables", SIX, {"verbatim": 0}),
    Promises("the same key, dominance p = 10", SIX, {"dominance": {"p": 10}}),
    Promises("the same key, diversity l = 3 of V3", SIX, {"diversity": {"of": "V3", "l": 3}}),
    Promises("the same key, closeness t = 0.2 of V3", SIX, {"closeness": {"of": "V3", "t": 0.2}}),
    Promises("key of all 16 variables", NAMES, {"verbatim": 0}),
    Promises("the same key, dominance p = 10", NAMES, {"dominance": {"p": 10}}),
)


@dataclass(frozen=True)
class Priced:
    """One masking: loss and PIL, records alone over the key of six, and what was recounted."""

    loss: float
    pil: float
    alone: int
    found: Recounted


def price(data: Path, rules: Path, row: Promises, k: int) -> Priced | str:
    """Mask, recount and measure; the reason if the file is refused."""
    recipe = data.with_name("recipe.yml")
    recipe.write_text(yaml.safe_dump(row.recipe()), encoding="utf-8")
    masked = data.with_name("masked.xml")
    try:
        result = cs.mask_file(data, rules, masked, k=k, recipe=recipe, overwrite=True)
    except cs.ConstraintSdcError as error:
        return str(error)
    found = recount(_published(data, row, k, result))
    if found.broken:
        raise SystemExit(f"{row.title}, k = {k}: {found.broken}")
    before, after = (read_rows(path.read_bytes(), "Record") for path in (data, masked))
    classes = Counter(tuple(one[name] for name in SIX) for one in after)
    points = (np.array([[float(one[name]) for name in NAMES] for one in rows]) for rows in (before, after))
    lost = pil(*points).total
    return Priced(_loss(result), lost or 0.0, sum(size == 1 for size in classes.values()), found)


def _loss(result: MaskResult) -> float:
    """Return the mean loss of all masked numbers: every block counts by its variables."""
    prices = [(block.price.loss, len(block.names)) for block in result.plan.blocks if block.price is not None]
    return sum(loss * count for loss, count in prices) / sum(count for _, count in prices)


def _published(data: Path, row: Promises, k: int, result: MaskResult) -> Published:
    blocks = result.plan.blocks
    averaged = frozenset(one.name for block in blocks for one in block.variables if one.traits.is_average)
    names = [block.names for block in blocks]
    return Published(data.read_bytes(), result.output.read_bytes(), "Record", row.recipe(), k, names, averaged)


def table(title: str, source: Path | None) -> str:
    """Return the rows of one file: the demo's, or a CSV."""
    with tempfile.TemporaryDirectory() as folder:
        data, rules = Path(folder, "original.xml"), Path(folder, "census.sch")
        if source is None:
            generate_file(data, 3000, 2009)
        else:
            cs.convert_file(source, data)
        for name in ("census.sch", "constraints.sch"):
            shutil.copyfile(shipped_file("rules", name), Path(folder, name))
        head = [title, *(f"k = {k}" for k in SIZES), "alone", "verbatim"]
        lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
        for row in ROWS:
            cells = [price(data, rules, row, k) for k in SIZES]
            lines.append(_line(row.title, cells))
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def _line(title: str, cells: list[Priced | str]) -> str:
    shown = [cell if isinstance(cell, str) else f"{cell.loss:.2f} / {cell.pil:.2f}" for cell in cells]
    first = cells[0]
    if isinstance(first, str):
        return f"| {' | '.join([title, *shown, '', ''])} |"
    verbatim = f"{first.found.verbatim_groups:,} of {first.found.groups:,}"
    return f"| {' | '.join([title, *shown, f'{first.alone:,}', verbatim])} |"


def write_prices(csv: Path | None, *, is_docs: bool) -> int:
    """Print the tables; with `is_docs`, also into the documentation."""
    parts = [STORY.strip(), table("the demo's file, 3,000 records", None)]
    if csv is not None:
        parts.append(table("the reference Census, 1,080 records" if is_docs else csv.name, csv))
    text = "\n\n".join(parts)
    print(text)
    if is_docs:
        write_section(PAGE, HEADING, text)
    return 0
