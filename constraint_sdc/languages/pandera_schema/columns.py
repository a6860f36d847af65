"""The columns of a written schema: their types, and the checks in each of the three forms that pandera has written."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.data.nearest_name import nearest_name
from constraint_sdc.languages.placed_json import PlacedJson

FrameKind: TypeAlias = OneOf["whole", "number", "truth", "text", "date", "any"]

CHECKS: Mapping[str, tuple[str, ...]] = {
    "equal_to": ("value",),
    "not_equal_to": ("value",),
    "greater_than": ("min_value",),
    "greater_than_or_equal_to": ("min_value",),
    "less_than": ("max_value",),
    "less_than_or_equal_to": ("max_value",),
    "in_range": ("min_value", "max_value", "include_min", "include_max"),
    "isin": ("allowed_values",),
    "notin": ("forbidden_values",),
    "str_matches": ("pattern",),
    "str_contains": ("pattern",),
    "str_startswith": ("string",),
    "str_endswith": ("string",),
    "str_length": ("min_value", "max_value", "exact_value"),
}
"""The arguments of every check; pandera writes the only one without its name."""

_OPTIONS = ("ignore_na", "raise_warning", "n_failure_cases", "error", "name", "title", "description", "check_name")
_COLUMN = (
    *("title", "description", "dtype", "nullable", "checks", "name", "unique", "coerce", "required", "regex"),
    *("default", "report_duplicates", "drop_invalid_rows", "metadata"),
)
_WHOLE = re.compile(r"(u?)int(8|16|32|64)", re.IGNORECASE)
_NUMBER = re.compile(r"float(16|32|64)?|decimal(\(.*\))?", re.IGNORECASE)
_TEXTS = ("str", "string", "object", "category")


@dataclass(frozen=True, slots=True)
class ColumnType:
    """What a dtype says about the values of a column; bounds are those of whole numbers."""

    kind: FrameKind
    lowest: Decimal | None = None
    highest: Decimal | None = None


@dataclass(frozen=True, slots=True)
class WrittenCheck:
    """A check as it is written: its name, its arguments by name, and its options."""

    name: str
    at: PlacedJson
    arguments: Mapping[str, PlacedJson]
    options: Mapping[str, PlacedJson] = field(default_factory=dict)


def column_type(dtype: PlacedJson | None) -> ColumnType:
    """Return what a dtype says; raises for one that has no translation."""
    if dtype is None or dtype.content is None:
        return ColumnType("any")
    name = dtype.content if isinstance(dtype.content, str) else dtype.text()
    whole = _WHOLE.fullmatch(name)
    if whole is not None:
        bits = int(whole.group(2))
        if bits == 64:  # beyond what double arithmetic tells apart
            return ColumnType("whole", None if not whole.group(1) else Decimal(0))
        signed = 0 if whole.group(1) else 1
        highest = Decimal(2 ** (bits - signed) - 1)
        return ColumnType("whole", Decimal(-(2 ** (bits - 1))) if signed else Decimal(0), highest)
    plain = name.partition("[")[0].lower()
    if _NUMBER.fullmatch(name):
        return ColumnType("number")
    if plain in _TEXTS:
        return ColumnType("any" if plain in ("object", "category") else "text")
    if plain in ("bool", "boolean"):
        return ColumnType("truth")
    if plain == "date":
        return ColumnType("date")
    hint = "use int64, Int64, float64, bool, str, object, category or date, or leave the dtype out"
    raise dtype.refused(f"the dtype {name!r} has no translation", hint)


def written_checks(column: PlacedJson) -> Iterator[WrittenCheck]:
    """Yield the checks of a column: entries of their own names, or `checks` as entries or as a list."""
    for name, value in column.entries.items():
        if name not in _COLUMN:
            yield _check(name, value)
    listed = column.entries.get("checks")
    if listed is None or listed.content is None:
        return
    if isinstance(listed.content, dict):
        for name, value in listed.content.items():
            yield _check(name, value)
        return
    for one in listed.items:
        options = one.entries.get("options")
        named = options.entries.get("check_name") if options is not None else None
        if named is None or not isinstance(named.content, str):
            raise one.refused("a check without options.check_name", "write NAME: VALUE, as to_yaml does")
        yield _check(named.content, one)


def _check(name: str, value: PlacedJson) -> WrittenCheck:
    if name not in CHECKS:
        near = nearest_name(name, (*CHECKS, *_COLUMN))
        hint = f"did you mean {near!r}?" if near else f"use one of: {', '.join(CHECKS)}"
        raise value.refused(f"the check {name!r} has no translation", hint)
    known = CHECKS[name]
    if not isinstance(value.content, dict):
        return WrittenCheck(name, value, {known[0]: value})
    options = {word: one for word, one in value.content.items() if word in _OPTIONS and word not in known}
    options.update(value.content["options"].entries if "options" in value.content else {})
    for word, one in options.items():
        if word not in _OPTIONS:
            raise one.refused(f"the option {word!r} has no translation", f"use one of: {', '.join(_OPTIONS)}")
    rest = {word: one for word, one in value.content.items() if word not in (*options, "options")}
    if len(known) == 1 and set(rest) == {"value"}:
        rest = {known[0]: rest["value"]}
    for word, one in rest.items():
        if word not in known:
            raise one.refused(f"{name} has no argument {word!r}", f"use one of: {', '.join(known)}")
    return WrittenCheck(name, value, rest, options)


def is_true(entries: Mapping[str, PlacedJson], name: str, default: bool) -> bool:
    """Return an entry that is true or false."""
    value = entries.get(name)
    if value is None or value.content is None:
        return default
    if not isinstance(value.content, bool):
        raise value.refused("is neither true nor false", "write true or false")
    return value.content
