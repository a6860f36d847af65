"""Small tables of the documentation are recomputed: the survey of examples/survey, masked by its recipes.

Each recipe masks once for all tests, with the options of the pages; the figures are written as the pages write them.
"""

from __future__ import annotations

import csv
import importlib
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import constraint_sdc as cs
from tests.console_session import TOP

SURVEY = TOP / "examples" / "survey"
RULES = SURVEY / "persons.txt"
RECIPES = ("separate.yml", "recipe.yml")
TOTALS = ("Wage", "Other", "Income")


class Masked(NamedTuple):
    """A masked survey, and what `assess` finds in it."""

    path: Path
    assessed: cs.Assessment

    def __call__(self, measure: str, figure: str) -> float:
        every = (*self.assessed.utility, *self.assessed.risk, *self.assessed.attacks, self.assessed.score)
        (found,) = [value for one in every if one.measure == measure and (value := one.value(figure)) is not None]
        return found


@pytest.fixture(scope="module")
def persons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("survey") / "persons.csv"
    path.write_text(runpy.run_path(str(SURVEY / "generate.py"))["persons_csv"](), encoding="utf-8", newline="")
    return path


@pytest.fixture(scope="module")
def masked(persons: Path) -> dict[str, Masked]:
    """The survey masked by both recipes."""
    return {name: mask(persons, name) for name in RECIPES}


def mask(persons: Path, recipe: str) -> Masked:
    said = cs.read_recipe(SURVEY / recipe)
    path = persons.with_name(f"masked-by-{recipe}.csv")
    cs.mask_file(persons, RULES, path, cs.MaskOptions(recipe=said))
    attacks = ("transparency",)
    return Masked(path, cs.assess_files(persons, path, cs.AssessOptions(recipe=said, attacks=attacks)))


def tables(page: str) -> list[list[list[str]]]:
    """Return the tables of a page, each as its rows of cells, without the line below the head."""
    found: list[list[list[str]]] = [[]]
    for line in (TOP / "docs" / page).read_text("utf-8").splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [[rows[0], *rows[2:]] for rows in found if rows]


def the_table(page: str, corner: str) -> list[list[str]]:
    """Return the table of a page whose first cell is `corner`."""
    (found,) = [rows for rows in tables(page) if rows[0][0] == corner]
    return found


def count(number: float) -> str:
    return f"{number:,.0f}"


def percent(number: float) -> str:
    return f"{number:.2f}%"


RISKS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("achieved-k", "k", count),
    ("achieved-k", "below", count),
    ("uniqueness", "after", percent),
    ("distance-linkage", "linked", percent),
    ("transparency", "certain-records-rerun", count),
)
"""The rows of the table in docs/explanation/risk.md, and the columns of that in docs/how-to/choose-k.md."""


def test_the_page_on_risk_has_the_figures_of_both_recipes(masked: dict[str, Masked]) -> None:
    head, *rows = the_table("explanation/risk.md", "region and age are")
    assert [name for cell in head for name in RECIPES if f"`{name}`" in cell] == list(RECIPES)
    found = [[shown(masked[name](measure, figure)) for name in RECIPES] for measure, figure, shown in RISKS]
    assert [row[1:] for row in rows] == found
    assert percent(masked["recipe.yml"]("uniqueness", "before")) in rows[2][0]


def test_the_page_on_k_has_the_same_figures(masked: dict[str, Masked]) -> None:
    _, *rows = the_table("how-to/choose-k.md", "region and age are")
    assert [name for row in rows for name in RECIPES if f"`{name}`" in row[0]] == list(RECIPES)
    for row, name in zip(rows, RECIPES, strict=True):
        assert row[1:] == [shown(masked[name](measure, figure)) for measure, figure, shown in RISKS]


def test_the_sweep_on_the_page_on_k_has_the_figures_of_this_masking(masked: dict[str, Masked]) -> None:
    lines = (TOP / "docs" / "how-to" / "choose-k.md").read_text("utf-8").splitlines()
    (row,) = [line.split() for line in lines if line.startswith("with rules  auto        5 ")]
    one = masked["recipe.yml"]
    linked, inside, lost = one("distance-linkage", "linked"), one("interval-disclosure", "rank"), one("pil", "pil")
    risk = (linked + inside) / 2
    figures = (lost, linked, inside, risk, (lost + risk) / 2, one("sse", "sse"))
    assert row[3:10] == ["5", *(f"{figure:.2f}" for figure in figures)]


def test_sentences_on_risk_have_their_figures(masked: dict[str, Masked]) -> None:
    text = " ".join((TOP / "docs" / "explanation" / "risk.md").read_text("utf-8").split())
    one = masked["recipe.yml"]
    assert f"this links {percent(one('distance-linkage', 'linked'))} of the persons" in text
    assert f"the example it is {one('interval-disclosure', 'rank'):.0f}%" in text
    unchanged = f"{one('unchanged', 'unchanged'):.0f}% of the masked cells"
    assert f"{unchanged} still hold the original value, and {percent(one('unchanged', 'records'))} of" in text


def test_the_page_on_weights_has_the_weighted_totals(persons: Path, masked: dict[str, Masked]) -> None:
    weighted = persons.with_name("weighted.csv")
    said = cs.read_recipe(SURVEY / "recipe.yml")
    cs.mask_file(persons, RULES, weighted, cs.MaskOptions(recipe=said, weights="Weight"))
    found = [weighted_totals(path) for path in (persons, masked["recipe.yml"].path, weighted)]
    _, *rows = the_table("how-to/weights.md", "")
    assert rows == [[name, *(count(totals[name]) for totals in found)] for name in TOTALS]


def test_the_page_on_the_medoid_has_its_table() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(TOP / "benchmarks"))
        partition_figures = importlib.import_module("partition_figures")
    printed = list(partition_figures.medoid_lines())
    assert "\n".join(printed) in (TOP / "docs" / "operators" / "medoid.md").read_text("utf-8")


def weighted_totals(path: Path) -> dict[str, float]:
    """Return the weighted total of each variable over the records that have a value."""
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    return {name: sum(float(row["Weight"]) * float(row[name]) for row in rows if row[name] != "-9") for name in TOTALS}
