"""Demo: the files of the story, generated."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.census.generate import generate_file
from constraint_sdc.errors import UsageError
from constraint_sdc.pipeline.domain import export_domain
from constraint_sdc.shipped_files import shipped_file


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where the demo's files are."""

    original: Path
    damaged: Path
    domain: Path
    rules: Path
    report: Path


def prepare_demo(directory: Path, records: int, seed: int) -> DemoFiles:
    """Write the extract, a copy with 1% of the records breaking each rule, its value domain and the rules."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the directory: {error.strerror}", file=str(directory)) from None
    files = DemoFiles(
        original=directory / "extract.xml",
        damaged=directory / "damaged.xml",
        domain=directory / "domain.xml",
        rules=directory / "census.sch",
        report=directory / "report.html",
    )
    generate_file(files.original, records, seed)
    generate_file(files.damaged, records, seed, break_share=0.01)
    export_domain(files.original, ["V1"], files.domain, overwrite=True)
    for name in ("census.sch", "constraints.sch"):
        shutil.copyfile(shipped_file("rules", name), directory / name)
    return files
