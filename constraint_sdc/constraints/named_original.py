"""The file that `$original` stands for: what the rules name, and the data only if they name no file that exists."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from constraint_sdc.constraints.lets import ORIGINAL, Bound, add_lets, schema_variables
from constraint_sdc.evaluate.expression import Literal, Outside
from constraint_sdc.schematron.confinement import real_path
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.xpath.scope import AtRoot, Document, Scope


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """The file that replaces `$original`, None if nothing does.

    `is_named` if the declarations of the rules count instead; `absent` are the files that they name in vain.
    """

    path: Path | None
    is_named: bool = False
    absent: tuple[Path, ...] = ()


def original_for(schema: Schema, data: Path) -> OriginalFile:
    """Return what `$original` stands for when a file is masked, unless the command line names another file.

    A declaration that names an existing file, or computes its value, counts as it does in a check. So the same rules
    have the same meaning before and after masking.
    """
    if not schema.mentions(ORIGINAL):
        return OriginalFile(None)
    named: set[Path] = set()
    for value in _values(schema):
        match value:
            case Document(None) | Literal(""):
                continue  # declared without a value, or not at all
            case Document(href) | Outside(href) if href is not None:
                named.add(Path(href))
            case _:
                return OriginalFile(None, is_named=True)
    if any(path.exists() and path != real_path(data) for path in named):
        return OriginalFile(None, is_named=True)
    return OriginalFile(data, absent=tuple(sorted(path for path in named if not path.exists())))


def _values(schema: Schema) -> Iterator[Bound]:
    """Yield the value of `$original` in the scope of every rule."""
    namespaces = dict(schema.namespaces)
    root = Scope(AtRoot(), AtRoot(), str(Path(schema.origin.file).parent))
    declared = schema_variables(schema, root, namespaces)
    root = Scope(root.focus, root.current, root.base, declared)
    for pattern in schema.patterns:
        scope = add_lets(root, pattern.lets, namespaces)
        for rule in pattern.rules:
            yield add_lets(scope, rule.lets, namespaces).variables[ORIGINAL]
