"""Blocks: variables that rules tie together and that must therefore be masked together."""

from __future__ import annotations

from collections.abc import Iterable

from constraint_sdc.model.constraint import EditRule, Kind


def blocks(rules: Iterable[EditRule]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks, each in order of first use, ordered by their first variable.

    An opaque rule ties its variables like any other: only a real record is known to satisfy it. A cross-record rule
    ties nothing, because no choice within one record can satisfy it.
    """
    leader: dict[str, str] = {}
    for rule in rules:
        if rule.constraint.kind is Kind.CROSS_RECORD:
            continue
        names = rule.constraint.variables
        for name in names:
            leader.setdefault(name, name)
            first, other = _find(leader, names[0]), _find(leader, name)
            if first != other:
                leader[other] = first
    groups: dict[str, list[str]] = {}
    for name in leader:
        groups.setdefault(_find(leader, name), []).append(name)
    return tuple(tuple(group) for group in groups.values())


def _find(leader: dict[str, str], name: str) -> str:
    while leader[name] != name:
        leader[name] = leader[leader[name]]
        name = leader[name]
    return name
