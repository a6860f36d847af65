"""Read a JSON file that this program wrote, under its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constraint_sdc.errors import UsageError
from constraint_sdc.files.canonical_json import DoubleKeyError, strict_json
from constraint_sdc.limits import JSON_BYTES
from constraint_sdc.named_copies import named

if TYPE_CHECKING:
    from referencing import Registry

# JSON that is readable and safe to print: the order is kept, letters are kept, hidden characters are escaped.

# Legal in JSON, but some of them control a terminal and others mislead a reader. They occur inside strings only.
_TO_ESCAPE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]")


def json_text(value: Mapping[str, object]) -> str:
    r"""Return the value as indented JSON with a final line feed; copies of files elsewhere are named by addresses.

    >>> json_text({"a": "é\x9b"})
    '{\n  "a": "é\\u009b"\n}\n'
    """
    text = named(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


# Where the schemas and rules that ship with the package are found: in the wheel, or at the top of a checkout.

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped_file(folder: str, name: str) -> Path:
    """Return the path of a shipped file, `folder` being "schemas" or "rules"."""
    installed = _PACKAGE / "shipped" / folder / name
    return installed if installed.exists() else _PACKAGE.parent / folder / name


_MESSAGE_LIMIT = 200
_REFERRED = ("plan.schema.json", "recipe.schema.json")


def read_json(
    path: Path, schema_name: str, what: str, renew: str = "make it anew", data: bytes | None = None
) -> dict[str, Any]:
    """Return the content of a JSON file that follows a shipped schema.

    `what` names the kind of file in errors, `renew` says how to get one of this version. `data` are the file's bytes,
    if they were read already.
    """
    import jsonschema  # only where a file is read: it takes a while to load

    content = _parsed(path, what, read_bounded(path, what) if data is None else data)
    schema = _schema(schema_name)
    _refuse_other_version(content, schema["properties"], path, what, renew)
    validator = jsonschema.Draft202012Validator(schema, registry=_registry())
    problem = jsonschema.exceptions.best_match(validator.iter_errors(content))
    if problem is not None:
        where = ".".join(str(step) for step in problem.absolute_path)
        message = problem.message if len(problem.message) <= _MESSAGE_LIMIT else f"it violates `{problem.validator}`"
        place = f" at {where}" if where else ""
        raise UsageError(f"not {what}: {message}{place}", file=str(path), hint=f"see schemas/{schema_name}")
    if not isinstance(content, dict):
        raise UsageError(f"not {what}", file=str(path))
    return content


def _refuse_other_version(content: Any, properties: Mapping[str, Any], path: Path, what: str, renew: str) -> None:
    """Refuse a file of the same kind that another version of the program wrote."""
    if not isinstance(content, dict) or content.get("schema") != properties["schema"]["const"]:
        return
    found, known = content.get("schema_version"), properties["schema_version"]["const"]
    if isinstance(found, int) and found != known:
        problem = f"{what} of schema version {found}; this version of the program reads version {known}"
        raise UsageError(problem, file=str(path), hint=renew)


def read_bounded(path: Path, what: str) -> bytes:
    """Return the bytes of a file; UsageError for one that is too large or cannot be read."""
    try:
        with path.open("rb") as stream:
            data = stream.read(JSON_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {what}: {error.strerror}", file=str(path)) from None
    if len(data) > JSON_BYTES:
        raise UsageError(f"larger than {JSON_BYTES:,} bytes, the limit for {what}", file=str(path))
    return data


def _parsed(path: Path, what: str, data: bytes) -> Any:
    try:
        return strict_json(data)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        why = "a key is given twice" if isinstance(error, DoubleKeyError) else "it is not JSON"
        raise UsageError(f"not {what}: {why}", file=str(path), line=line) from None


def _schema(name: str) -> dict[str, Any]:
    content = json.loads(shipped_file("schemas", name).read_text(encoding="utf-8"))
    return dict(content)


def _registry() -> Registry[Any]:
    """Return the schemas that others refer to by their URN."""
    from referencing import Registry, Resource

    resources: list[Resource[Any]] = [Resource.from_contents(_schema(name)) for name in _REFERRED]
    return Registry().with_resources((resource.id() or "", resource) for resource in resources)
