"""The files of the demo, and those that are generated before its first step."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.census import generate_file
from constraint_sdc.commands.domain import export_domain
from constraint_sdc.errors import UsageError
from constraint_sdc.files.json_file import shipped_file

_RECIPE = """\
variables:
  V6: {type: numeric}       # taxes: round amounts look like codes
  V13: {type: numeric}
assess:
  known: [V2, V7, V8]       # an intruder knows gross income, interest and earnings
  regressions: [V12 ~ V8 + V7]
  subdomains: [V8 < 30000, V8 >= 30000]
"""


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where the demo's files are."""

    directory: Path

    @property
    def original(self) -> Path:
        """The edited extract."""
        return self.directory / "extract.xml"

    @property
    def rules(self) -> Path:
        """Its edit rules."""
        return self.directory / "census.sch"

    @property
    def domain(self) -> Path:
        """The values of V1, for gates that do not have the extract."""
        return self.directory / "domain.xml"

    @property
    def plan(self) -> Path:
        """The saved plan; the same in words is beside it."""
        return self.directory / "plan.json"

    @property
    def plan_text(self) -> Path:
        """The plan in words."""
        return self.directory / "plan.txt"

    @property
    def masked(self) -> Path:
        """The masked extract."""
        return self.directory / "masked.xml"

    @property
    def report(self) -> Path:
        """The report of the check of the masked extract."""
        return self.directory / "report.html"

    @property
    def recipe(self) -> Path:
        """What is to be assessed besides the file as a whole."""
        return self.directory / "recipe.yml"

    @property
    def sweep(self) -> Path:
        """Other choices of k, with and without the rules."""
        return self.directory / "sweep"

    @property
    def assessment(self) -> Path:
        """The page for a review board: rules, plan, utility, risk, attacks."""
        return self.directory / "assessment.html"

    @property
    def plain(self) -> Path:
        """The extract masked without its rules."""
        return self.directory / "plain.xml"

    @property
    def plain_in_blocks(self) -> Path:
        """The same, in the blocks that the rules would have asked for."""
        return self.directory / "plain-in-blocks.xml"

    @property
    def plain_report(self) -> Path:
        """The report of the check of the extract masked without its rules."""
        return self.directory / "plain-report.html"

    @property
    def damaged(self) -> Path:
        """A copy of the extract in which 1% of the records break each rule."""
        return self.directory / "damaged.xml"


def prepare_demo(directory: Path, records: int, seed: int) -> DemoFiles:
    """Write the extract, a copy with 1% of the records breaking each rule, its value domain and the rules."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the directory: {error.strerror}", file=str(directory)) from None
    files = DemoFiles(directory)
    generate_file(files.original, records, seed)
    generate_file(files.damaged, records, seed, break_share=0.01)
    export_domain(files.original, ["V1"], files.domain, overwrite=True)
    for name in ("census.sch", "constraints.sch"):
        shutil.copyfile(shipped_file("rules", name), directory / name)
    files.recipe.write_text(_RECIPE, encoding="utf-8")
    return files
