"""A case of the guarantee test: data, rules, recipe and k, as text that can be replayed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ExamCase:
    """Everything that a masking needs. `data` satisfies every rule of `rules` as Saxon sees it, unless it `is_damaged`.

    `record` is the record element's Clark name. `says` are lines for a reader: the ideas that the
    case combines, its rules, and its recipe. `across` are the ids of rules that look at other records.
    """

    seed: int
    data: str
    rules: str
    recipe: str
    k: int
    records: int
    record: str
    says: tuple[str, ...]
    phase: str | None = None
    is_damaged: bool = False
    across: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return f"case {self.seed}: {self.records} records, k = {self.k}\n  " + "\n  ".join(self.says)


@dataclass(frozen=True)
class CaseFiles:
    """A case in a directory: rules may ask for `data.xml`, the original, beside them."""

    folder: Path

    @property
    def data(self) -> Path:
        """Return the original."""
        return self.folder / "data.xml"

    @property
    def rules(self) -> Path:
        """Return the Schematron file."""
        return self.folder / "rules.sch"

    @property
    def recipe(self) -> Path:
        """Return the recipe."""
        return self.folder / "recipe.yml"

    @property
    def output(self) -> Path:
        """Return where the masked file is written."""
        return self.folder / "masked.xml"


def write_case(case: ExamCase, folder: Path) -> CaseFiles:
    """Write the files of a case and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    files = CaseFiles(folder)
    files.data.write_text(case.data, encoding="utf-8")
    files.rules.write_text(case.rules, encoding="utf-8")
    files.recipe.write_text(case.recipe, encoding="utf-8")
    return files
