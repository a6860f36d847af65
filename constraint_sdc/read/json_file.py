"""Read a JSON file that this program wrote, under its schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

from constraint_sdc.errors import UsageError
from constraint_sdc.shipped_files import shipped_file

_SIZE_LIMIT = 200_000_000
_MESSAGE_LIMIT = 200
_REFERRED = ("plan.schema.json", "recipe.schema.json")


def read_json(path: Path, schema_name: str, what: str) -> dict[str, Any]:
    """Return the content of a JSON file that follows a shipped schema; `what` names the kind of file in errors."""
    content = _parsed(path, what)
    validator = jsonschema.Draft202012Validator(_schema(schema_name), registry=_registry())
    problem = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if problem is not None:
        where = ".".join(str(step) for step in problem.absolute_path)
        message = problem.message if len(problem.message) <= _MESSAGE_LIMIT else f"it breaks `{problem.validator}`"
        place = f" at {where}" if where else ""
        raise UsageError(f"not {what}: {message}{place}", file=str(path), hint=f"see schemas/{schema_name}")
    if not isinstance(content, dict):
        raise UsageError(f"not {what}", file=str(path))
    return content


def _parsed(path: Path, what: str) -> Any:
    try:
        with path.open("rb") as stream:
            data = stream.read(_SIZE_LIMIT + 1)
    except OSError as error:
        raise UsageError(f"cannot read {what}: {error.strerror}", file=str(path)) from None
    if len(data) > _SIZE_LIMIT:
        raise UsageError(f"{what} of more than {_SIZE_LIMIT:,} bytes", file=str(path))
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise UsageError(f"not {what}: it is not JSON", file=str(path), line=line) from None


def _schema(name: str) -> dict[str, Any]:
    content = json.loads(shipped_file("schemas", name).read_text(encoding="utf-8"))
    return dict(content)


def _registry() -> Registry[Any]:
    """Return the schemas that others refer to by their URN."""
    resources: list[Resource[Any]] = [Resource.from_contents(_schema(name)) for name in _REFERRED]
    return Registry().with_resources((resource.id() or "", resource) for resource in resources)
