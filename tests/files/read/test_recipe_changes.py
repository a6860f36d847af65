"""Recipes with changes of trend, period, amplitude and statistics, weights and thresholds: read, written, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe, recipe_from_json, recipe_to_json
from constraint_sdc.maskers.group_anonymity.goal_changes import (
    AddedCycle,
    ChangedAmplitude,
    ChangedPeriod,
    ChangedStatistics,
    ChangedTrend,
    Within,
)
from constraint_sdc.maskers.group_anonymity.masker import GroupAnonymity

GOOD = """\
mask:
  masker: group-anonymity
  threshold: 12.5
  goals:
    - parameter: Year
      vital: "Sex = 'F'"
      order: [1, 2, 3, 4]
      change:
        - trend: {degree: 2, factor: -1}
        - trend: {coefficients: [0.5, 1]}
        - period: {from: 2, to: 3, within: {from: 1, to: 4}}
        - amplitude: {factor: 0.5, period: 2}
        - cycle: {period: 3, height: 2.5, at: 2}
        - statistics: {mean: 2.5, deviation: 1}
      weight: 2
      threshold: 4
    - {parameter: Region, vital: "Sex = 'F'", change: [{amplitude: {factor: 0}}]}
  influential:
    - {variable: Age}
"""

MISTAKES = {
    "a trend without a wish": (", factor: -1", "", 9, "either `factor` or `coefficients`"),
    "both wishes": ("factor: -1", "factor: -1, coefficients: [1]", 9, "either `factor` or `coefficients`"),
    "the same trend": ("factor: -1", "factor: 1", 9, "a factor of 1 changes nothing"),
    "endless coefficient": ("[0.5, 1]", "[1e999]", 10, "too large"),
    "the same period": ("from: 2, to: 3, within", "from: 3, to: 3, within", 11, "changes nothing"),
    "an end outside the order": ("{from: 1, to: 4}", "{from: 1, to: 9}", 11, "'9' is not among"),
    "the same amplitude": ("factor: 0.5", "factor: 1", 12, "a factor of 1 changes nothing"),
    "no wave": ("height: 2.5", "height: 0", 13, "a height of 0 changes nothing"),
    "a crest outside the order": ("at: 2", "at: 7", 13, "'7' is not among"),
    "no deviation": ("deviation: 1", "deviation: 0", 14, "a deviation of 0"),
    "no statistics": ("{mean: 2.5, deviation: 1}", "{}", 14, "`mean`, `deviation` or both"),
    "undone by normalising": ("      weight: 2", "      normalise: true\n      weight: 2", 14, "would undo"),
    "undone by a later change": ("      weight: 2", "        - add: {at: 1}\n      weight: 2", 14, "put them last"),
    "a weight without a threshold": ("  threshold: 12.5\n", "", 14, "`weight` has no effect here"),
    "a threshold of nothing": ("  influential:\n    - {variable: Age}\n", "", 3, "a threshold has no effect"),
    "endless threshold": ("threshold: 4", "threshold: 1e999", 16, "too large"),
    "a period of one": ("period: 2}", "period: 1}", 12, "1 is less than the minimum of 2"),
}  # fmt: skip


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_change_is_read_and_comes_back(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, GOOD))
    assert isinstance(recipe.masker, GroupAnonymity)
    first, second = recipe.masker.goals
    assert first.changes == (
        ChangedTrend(2, -1.0),
        ChangedTrend(1, None, (0.5, 1.0)),
        ChangedPeriod(2, 3, Within("1", "4")),
        ChangedAmplitude(0.5, 2),
        AddedCycle(3, 2.5, "2"),
        ChangedStatistics(2.5, 1.0),
    )
    assert (first.weight, first.threshold, recipe.masker.threshold) == (2.0, 4.0, 12.5)
    assert (second.changes, second.weight, second.threshold) == ((ChangedAmplitude(0.0),), 1.0, None)
    assert recipe_from_json(recipe_to_json(recipe)) == recipe


@pytest.mark.parametrize("name", MISTAKES)
def test_a_change_that_cannot_be_meant_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    old, new, line, words = MISTAKES[name]
    assert GOOD.count(old) == 1
    with pytest.raises(UsageError) as error:
        read_recipe(written(tmp_path, GOOD.replace(old, new)))
    assert words in str(error.value)
    assert error.value.line == line
