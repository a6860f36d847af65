"""Recipes of group anonymity: what cannot be meant is a mistake with its line, whatever the file holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.files.recipe import read_recipe, recipe_from_json, recipe_to_json
from constraint_sdc.maskers.group_anonymity.masker import GroupAnonymity

GOOD = """\
key: Id
missing: {Region: ["9"]}
variables:
  Id: {role: identifier, remove: true}
  Region: {role: quasi-identifier, type: nominal}
mask:
  masker: group-anonymity
  goals:
    - parameter: Region
      vital: "Occupation = 'scientist'"
      signal: concentration
      order: [1, 2, 3]
      change:
        - move: {from: 1, to: 3}
        - add: {at: 2, height: 0.5}
        - signal: [0.1, 0.2, 0.3]
      normalise: true
  influential:
    - {variable: Age, weight: 2}
    - {variable: Sex, same: 0, different: 2}
"""

MISTAKES = {
    "no goals": ("masker: group-anonymity\n  goals:", "masker: group-anonymity\n  was:", None, "was"),
    "k": ("key: Id", "k: 5", 1, "k has no meaning with group-anonymity"),
    "weights": ("key: Id", "weights: W", 1, "weights has no meaning"),
    "standardise": ("key: Id", "standardise: z-score", 1, "standardise has no meaning"),
    "groups": ("key: Id", "groups: all", 1, "groups has no meaning"),
    "group size": ("key: Id", "group_size: 2", 1, "group_size has no meaning"),
    "effort": ("key: Id", "effort: high", 1, "has no effort"),
    "the key is swapped": ("key: Id", "key: Region", 1, "is the key of the records"),
    "difference without against": ("signal: concentration", "signal: concentration difference", 11, "needs `against`"),
    "against without difference": ("normalise: true", "against: {vital: Age > 3}", 17, "`against` is for the signal"),
    "order twice": ("order: [1, 2, 3]", 'order: [1, 2, "1"]', 12, "twice"),
    "nothing moves": ("from: 1, to: 3", "from: 3, to: 3", 14, "the move from 3 to 3 changes nothing"),
    "from outside the order": (
        "from: 1, to: 3",
        "from: 7, to: 3",
        14,
        "'7' is not among the values that `order` lists",
    ),
    "at outside the order": ("at: 2", "at: 20", 15, "'20' is not among"),
    "endless height": ("height: 0.5", "height: 1e999", 15, "too large"),
    "wrong number of values": ("[0.1, 0.2, 0.3]", "[0.1, 0.2]", 16, "2 numbers, but `order` lists 3 values"),
    "influential twice": ("variable: Sex, same", "variable: Age, same", 20, "Age is listed twice as influential"),
    "an influential parameter": ("variable: Age", "variable: Region", 19, "Region is swapped"),
    "weight 0": ("weight: 2", "weight: 0", 19, "has no influence"),
    "same of a number": ("variable: Sex,", "variable: Sex, type: numeric,", 20, "same is for categories"),
    "same above different": ("same: 0", "same: 3", 20, "`same` (3.0) must not be larger than `different`"),
    "operator": ("type: nominal}", "operator: mode}", 5, "operator of Region has no meaning"),
    "grid": ("type: nominal}", "grid: 2}", 5, "grid of Region has no meaning"),
    "weight of a variable": ("type: nominal}", "weight: 2}", 5, "weight of Region has no meaning"),
    "an untouched parameter": (
        "role: quasi-identifier",
        "role: untouched",
        5,
        "Region is untouched, but it is a parameter",
    ),
    "another variable to be masked": ("Region: {role", "Age: {role", 5, "changes only its parameters"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, name: str) -> None:
    old, new, line, words = MISTAKES[name]
    assert GOOD.count(old) == 1
    with pytest.raises(UsageError, match=re.escape(words)) as error:
        read_recipe(written(tmp_path, GOOD.replace(old, new)))
    assert line is None or error.value.line == line


def test_what_is_told_comes_back_from_the_certificate(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, GOOD))
    assert isinstance(recipe.masker, GroupAnonymity)
    assert recipe_from_json(recipe_to_json(recipe)) == recipe


def test_the_method_alone_is_not_enough(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs its parameter goals") as error:
        read_recipe(written(tmp_path, "seed: 1\nmask: {masker: group-anonymity}\n"))
    assert error.value.line == 2
