"""Read the user's recipe: YAML under `schemas/recipe.schema.json`, every mistake with its line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import yaml

from constraint_sdc.errors import UsageError
from constraint_sdc.model.recipe import Recipe
from constraint_sdc.shipped_files import shipped_file

_SIZE_LIMIT = 1_000_000


def read_recipe(path: Path) -> Recipe:
    """Return the recipe in a YAML file."""
    text = _read_text(path)
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        content = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise UsageError(f"not valid YAML: {error.problem or error}", file=str(path), line=line) from None
    except yaml.YAMLError as error:
        raise UsageError(f"not valid YAML: {error}", file=str(path)) from None
    content = {} if content is None else content
    if not isinstance(content, dict):
        # Not the validator's message, which would quote the whole of a file given by mistake.
        raise UsageError("not a recipe", file=str(path), line=1, hint="expected lines such as `record: Record`")
    schema = json.loads(shipped_file("schemas", "recipe.schema.json").read_text(encoding="utf-8"))
    for problem in jsonschema.Draft202012Validator(schema).iter_errors(content):
        line = _line_of(node, list(problem.absolute_path))
        raise UsageError(problem.message, file=str(path), line=line, hint=_where(list(problem.absolute_path)))
    missing = {name: tuple(str(code) for code in codes) for name, codes in content.get("missing", {}).items()}
    return Recipe(record=content.get("record"), key=content.get("key"), missing=missing)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(_SIZE_LIMIT + 1)
        if len(data) > _SIZE_LIMIT:
            raise UsageError(f"a recipe of more than {_SIZE_LIMIT:,} bytes", file=str(path))
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read the recipe: {error.strerror}", file=str(path)) from None
    except UnicodeDecodeError:
        raise UsageError("the recipe is not UTF-8 text", file=str(path)) from None


def _line_of(node: yaml.Node | None, path: Sequence[str | int]) -> int | None:
    """Return the line of the entry that the path leads to, as far as it exists."""
    if node is None:
        return None
    if path and isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == path[0]:
                return _line_of(value, path[1:]) if len(path) > 1 else key.start_mark.line + 1
    if path and isinstance(node, yaml.SequenceNode) and isinstance(path[0], int) and path[0] < len(node.value):
        return _line_of(node.value[path[0]], path[1:])
    return node.start_mark.line + 1


def _where(path: Sequence[str | int]) -> str | None:
    return f"at {'.'.join(str(step) for step in path)}" if path else None
