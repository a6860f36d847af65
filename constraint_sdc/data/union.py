"""Union-find: which names belong together when ties between them come one by one."""

from __future__ import annotations

from collections.abc import Iterable


class Union:
    """Names in parts, each name by itself at first.

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
        """Put these names, and all that are in a part with one of them, into one part; no names join nothing."""
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
