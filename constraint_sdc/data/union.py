"""Union-find: names that belong together, joined step by step."""

from __future__ import annotations

from collections.abc import Iterable


class Union:
    """Names in parts; at first each name is a part of its own.

    The parts come in the order of their first names, and the names of a part in the order in which they were given,
    whatever was joined first.

    >>> tied = Union("abcd")
    >>> tied.join("db")
    >>> tied.parts()
    (('a',), ('b', 'd'), ('c',))
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._leader = {name: name for name in names}

    def join(self, names: Iterable[str]) -> None:
        """Merge the parts of these names into one part; without names nothing changes."""
        joined = list(names)
        for other in joined[1:]:
            one, two = self._find(joined[0]), self._find(other)
            if one != two:
                self._leader[two] = one

    def parts(self) -> tuple[tuple[str, ...], ...]:
        """Return the parts; every name is in one."""
        found: dict[str, list[str]] = {}
        for name in self._leader:
            found.setdefault(self._find(name), []).append(name)
        return tuple(tuple(part) for part in found.values())

    def _find(self, name: str) -> str:
        while self._leader[name] != name:
            self._leader[name] = self._leader[self._leader[name]]
            name = self._leader[name]
        return name
