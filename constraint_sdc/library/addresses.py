"""Inputs of the verbs that are given by an address: fetched before the call, to private copies that end with it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from constraint_sdc.engines.running import engine_settings
from constraint_sdc.errors import UsageError
from constraint_sdc.named_copies import is_address, shown_address

Given = ParamSpec("Given")
Result = TypeVar("Result")

_INPUTS = frozenset(
    {
        *("data", "rules", "original", "masked", "source", "recipe", "recipe_file", "domain"),
        *("masked_from", "intruder", "release", "against", "file"),
    }
)
_RESULTS = frozenset({"output", "target", "report", "journal", "charts", "pairs"})
_LOCAL = frozenset({"certificate", "expected", "sign", "plan"})


def reads_addresses(verb: Callable[Given, Result]) -> Callable[Given, Result]:
    """Let a verb take the address of a file, as a text, wherever it reads data, rules or a recipe."""
    names = tuple(inspect.signature(verb).parameters)

    @functools.wraps(verb)
    def reading(*args: Given.args, **keywords: Given.kwargs) -> Result:
        given = {**dict(zip(names, args, strict=False)), **keywords}
        wanted = _addresses(given)
        if not wanted:
            return verb(*args, **keywords)
        from constraint_sdc.files.addresses.address import address
        from constraint_sdc.files.addresses.fetch import fetched

        with fetched(map(address, wanted), engine_settings().scratch) as copies:
            places = [_placed(name, value, copies) for name, value in zip(names, args, strict=False)]
            others = {name: _placed(name, value, copies) for name, value in keywords.items()}
            return verb(*places, **others)

    return reading


def _addresses(given: Mapping[str, Any]) -> list[str]:
    """Return the addresses among the arguments; UsageError for one in a place that takes a path only."""
    found: list[str] = []
    for name, value in given.items():
        if is_dataclass(value):
            found += _addresses({one.name: getattr(value, one.name) for one in fields(value)})
        elif is_address(value):
            _refuse(name, value)
            found += [value] if name in _INPUTS else []
    return found


def _refuse(name: str, value: str) -> None:
    if name in _RESULTS:
        hint = "write it here, and upload it then: no store promises that two files appear together"
        raise UsageError(f"{name!r} is written to a path only", file=shown_address(value), hint=hint)
    if name in _LOCAL:
        raise UsageError(f"{name!r} is read from a path only", file=shown_address(value), hint="copy it here")


def _placed(name: str, value: Any, copies: Mapping[str, Path]) -> Any:
    """Return an argument with the copy of the file in place of its address."""
    if is_address(value):
        return copies[value] if name in _INPUTS else value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    held = {one.name: getattr(value, one.name) for one in fields(value)}
    placed = {name: _placed(name, inner, copies) for name, inner in held.items()}
    other = {name: inner for name, inner in placed.items() if inner is not held[name]}
    return replace(value, **other) if other else value
