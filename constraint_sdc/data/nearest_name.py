"""The name of a file that is nearest to a name that it does not have."""

from __future__ import annotations

from collections.abc import Collection

_LONGEST = 64  # characters that are compared


def nearest_name(name: str, known: Collection[str]) -> str | None:
    """Return the known name that a writer most likely meant, or None if none is alike.

    Letter case, namespaces and the "@" of attributes weigh less than any other difference.

    >>> nearest_name("record", ["Microdata", "Record"]), nearest_name("id", ["V1", "@id"])
    ('Record', '@id')
    >>> nearest_name("Income", ["V1", "V2"]) is None
    True
    """
    ranked = [(_distance(name, other), other) for other in known if other != name and _may_be_alike(name, other)]
    if not ranked:
        return None
    distance, other = min(ranked)
    return other if distance <= max(1, len(_key(name)) // 2) else None


def is_near(name: str, other: str) -> bool:
    """Tell whether one slip of the pen leads from one name to the other.

    >>> is_near("V1l", "V11"), is_near("income", "Income"), is_near("V17", "V3")
    (True, True, False)
    """
    return _distance(name, other) <= 1


def _key(name: str) -> str:
    return name.rpartition("}")[2].lstrip("@").casefold()[:_LONGEST]


def _may_be_alike(name: str, other: str) -> bool:
    mine, its = _key(name), _key(other)
    return abs(len(mine) - len(its)) <= max(1, len(mine) // 2)


def _distance(name: str, other: str) -> int:
    """Return the number of letters to insert, delete, replace or exchange with their neighbour."""
    a, b = _key(name), _key(other)
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, its in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != its))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == its:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
