"""Blocks: variables that rules tie together and that must therefore be masked together."""

from __future__ import annotations

from collections.abc import Iterable

from constraint_sdc.model.constraint import EditRule, Kind
from constraint_sdc.model.union import Union


def blocks(rules: Iterable[EditRule]) -> tuple[tuple[str, ...], ...]:
    """Return the blocks, each in order of first use, ordered by their first variable.

    An opaque rule ties its variables like any other: only a real record is known to satisfy it. A cross-record rule
    ties nothing, because no choice within one record can satisfy it.
    """
    ties = [rule.constraint.variables for rule in rules if rule.constraint.kind is not Kind.CROSS_RECORD]
    tied = Union(name for names in ties for name in names)
    for names in ties:
        tied.join(names)
    return tied.parts()
