"""The single values of a certificate, each with its path, and where two certificates differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

LeafPath: TypeAlias = tuple[str | int, ...]
"""The keys and places that lead to a value."""

LAST_DIGITS = 1e-9  # other processors and libraries may differ in the last digits of a sum
_LONGEST = 80


def leaves(value: object, path: LeafPath = ()) -> Iterator[tuple[LeafPath, object]]:
    """Return every single value with its path; an empty list or mapping is a value too.

    >>> dict(leaves({"a": [1, {"b": None}], "c": []}))
    {('a', 0): 1, ('a', 1, 'b'): None, ('c',): []}
    """
    found: list[tuple[LeafPath, object]] = []
    _collect(value, path, found)
    return iter(found)


def _collect(value: object, path: LeafPath, found: list[tuple[LeafPath, object]]) -> None:
    """Add the leaves below a path: a list that grows is several times faster than nested generators."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            _collect(item, (*path, key), found)
    elif isinstance(value, list) and value:
        for place, item in enumerate(value):
            _collect(item, (*path, place), found)
    else:
        found.append((path, value))


def shown_path(path: LeafPath) -> str:
    """Return a path as text, places counted from 0.

    >>> shown_path(("rules", 0, "failed"))
    'rules[0].failed'
    """
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def pattern_of(path: LeafPath, certificate: Mapping[str, Any]) -> str:
    """Return the kind of value that stands at a path: places are left out, and inputs are named by their role.

    >>> pattern_of(("inputs", 1, "sha256"), {"inputs": [{"role": "data"}, {"role": "rules"}]})
    'inputs[rules].sha256'
    >>> pattern_of(("plan", "inputs", "rules: more.sch"), {})
    'plan.inputs.rules'
    """
    if path[0] == "inputs" and len(path) > 1:
        entry = certificate["inputs"][path[1]]
        return f"inputs[{entry['role']}]" + "".join(f".{step}" for step in path[2:])
    return _general(path)


@lru_cache(maxsize=100_000)
def _general(path: LeafPath) -> str:
    if path[:2] == ("plan", "inputs") and len(path) > 2:
        return f"plan.inputs.{str(path[2]).partition(': ')[0]}"
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def differences(
    expected: Mapping[LeafPath, object], stated: Mapping[LeafPath, object], is_exact: bool = True
) -> Iterator[tuple[LeafPath, str]]:
    """Yield each path at which the values differ, and both values in words; `expected` is what was found now."""
    for path in dict.fromkeys((*stated, *expected)):
        if path not in expected:
            yield path, f"{shown_path(path)}: certified {_short(stated[path])}, but there is no such entry now"
        elif path not in stated:
            yield path, f"{shown_path(path)}: {_short(expected[path])} now, but the certificate has no such entry"
        elif not same_value(expected[path], stated[path], is_exact):
            yield path, f"{shown_path(path)}: {_short(expected[path])} now, certified {_short(stated[path])}"


def same_value(one: object, other: object, is_exact: bool = True) -> bool:
    """Tell whether two values of JSON are the same, type included; inexactly, numbers may differ in the last digits.

    >>> same_value(1, True), same_value(2.5, 2.5 + 1e-12), same_value(2.5, 2.5 + 1e-12, is_exact=False)
    (False, False, True)
    """
    if isinstance(one, float) and isinstance(other, float) and not is_exact:
        return math.isclose(one, other, rel_tol=LAST_DIGITS, abs_tol=LAST_DIGITS)
    return type(one) is type(other) and one == other


def _short(value: object) -> str:
    text = repr(value) if isinstance(value, str) else "null" if value is None else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
