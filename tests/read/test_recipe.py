"""A recipe says what the user knows; a mistake in it is an error with its line, never a silent guess."""

from __future__ import annotations

from pathlib import Path

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.read.recipe import read_recipe


def recipe(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_everything_in_a_recipe_arrives(tmp_path: Path) -> None:
    read = read_recipe(recipe(tmp_path, "record: Person\nkey: '@id'\nmissing:\n  V3: ['-9', -8]\n"))
    assert (read.record, read.key, read.missing) == ("Person", "@id", {"V3": ("-9", "-8")})


def test_an_empty_recipe_says_nothing(tmp_path: Path) -> None:
    read = read_recipe(recipe(tmp_path, "# nothing yet\n"))
    assert (read.record, read.key, dict(read.missing)) == (None, None, {})


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("record: Person\nrecrod: x\n", 1, "recrod"),
        ("key: id\nmissing:\n  V3: -9\n", 3, "not of type 'array'"),
        ("record: [a\n", 2, "YAML"),
        ("- a\n- b\n", 1, "not a recipe"),
        ("record: !!python/object:os.system x\n", 1, "YAML"),
    ],
)
def test_a_mistake_names_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    with pytest.raises(UsageError) as error:
        read_recipe(recipe(tmp_path, text))
    assert error.value.line == line
    assert says in str(error.value)


def test_a_missing_recipe_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nothing\.yml: cannot read the recipe"):
        read_recipe(tmp_path / "nothing.yml")
