"""The single values of a certificate, each with its path, and where two certificates differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

LeafPath: TypeAlias = tuple[str | int, ...]
"""The keys and places that lead to a value."""

LAST_DIGITS = 1e-9  # other processors and libraries may differ in the last digits of a sum
_LONGEST = 80
_ABSENT = object()
_PLAIN = (str, int, bool, float, type(None))


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


def _general(path: LeafPath) -> str:
    if path[:2] == ("plan", "inputs") and len(path) > 2:
        return _plan_input(path[2])
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def _plan_input(key: object) -> str:
    return f"plan.inputs.{str(key).partition(': ')[0]}"


def patterns_of(certificate: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every kind of value in a certificate, each once, as `pattern_of` names it.

    >>> patterns_of({"k": 3, "rules": [{"id": "a"}, {"id": "b", "failed": 0}]})
    ('k', 'rules[].id', 'rules[].failed')
    """
    found: dict[str, None] = {}
    for name, part in certificate.items():
        if name == "inputs" and part:
            for entry in part:
                _gather(entry, f"inputs[{entry['role']}]", found)
        else:
            _gather(part, name, found)
    return tuple(found)


def _gather(value: object, name: str, found: dict[str, None]) -> None:
    """Add the patterns below a name; paths, which take most of the time of `leaves`, are not needed for them."""
    if isinstance(value, dict) and value:
        for key, item in value.items():
            if name == "plan.inputs":
                found[_plan_input(key)] = None
            else:
                _gather(item, f"{name}.{key}", found)
    elif isinstance(value, list) and value:
        for item in value:
            _gather(item, f"{name}[]", found)
    else:
        found[name] = None


@dataclass(frozen=True, slots=True)
class LeafDifference:
    """Where two certificates differ, in words, and whether the stated one has a value there."""

    path: LeafPath
    line: str
    is_stated: bool


def differences(expected: object, stated: object, path: LeafPath = (), is_exact: bool = True) -> list[LeafDifference]:
    """Return where two values of JSON differ; `expected` is what was found now. What only it has comes last.

    >>> [one.line for one in differences({"k": 3, "seed": 1}, {"k": 4, "colour": "red"})]
    ['k: 3 now, certified 4', "colour: certified 'red', but there is no such entry now", \
'seed: 1 now, but the certificate has no such entry']
    """
    found: list[LeafDifference] = []
    _compare(expected, stated, path, is_exact, found)
    return sorted(found, key=lambda one: not one.is_stated)


def _compare(expected: object, stated: object, path: LeafPath, is_exact: bool, found: list[LeafDifference]) -> None:
    if expected is stated or (type(expected) is type(stated) and type(stated) in _PLAIN and expected == stated):
        return  # most values are single ones and the same
    now, then = _entries(expected), _entries(stated)
    if now and then and type(expected) is type(stated):
        for key in then if now.keys() == then.keys() else dict.fromkeys((*then, *now)):
            _compare(now.get(key, _ABSENT), then.get(key, _ABSENT), (*path, key), is_exact, found)
    elif now or then or expected is _ABSENT or stated is _ABSENT:
        for place, value in () if stated is _ABSENT else leaves(stated, path):
            line = f"{shown_path(place)}: certified {_short(value)}, but there is no such entry now"
            found.append(LeafDifference(place, line, is_stated=True))
        for place, value in () if expected is _ABSENT else leaves(expected, path):
            line = f"{shown_path(place)}: {_short(value)} now, but the certificate has no such entry"
            found.append(LeafDifference(place, line, is_stated=False))
    elif not same_value(expected, stated, is_exact):
        line = f"{shown_path(path)}: {_short(expected)} now, certified {_short(stated)}"
        found.append(LeafDifference(path, line, is_stated=True))


def _entries(value: object) -> dict[Any, Any]:
    """Return the entries of a mapping or a list by key or place; a single value has none."""
    return value if isinstance(value, dict) else dict(enumerate(value)) if isinstance(value, list) else {}


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
