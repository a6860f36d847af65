"""The files that doctests and the programs in the documentation find beside them."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

from constraint_sdc.census import generate_xml

TOP = Path(__file__).resolve().parents[1]


def fill_census_folder(folder: Path) -> None:
    """Write census.xml, damaged.xml (each rule broken in 2 of 200 records), census.sch and recipe.yml."""
    for name, share in (("census.xml", 0.0), ("damaged.xml", 0.01)):
        (folder / name).write_bytes(_census(share))
    for name in ("census.sch", "constraints.sch"):
        shutil.copyfile(TOP / "rules" / name, folder / name)
    shutil.copyfile(TOP / "examples" / "recipe.yml", folder / "recipe.yml")


@cache
def _census(share: float) -> bytes:
    return b"".join(generate_xml(200, 1, share))
