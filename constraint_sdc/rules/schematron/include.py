"""`include` and `extends href`: other files' elements put in place, recursively.

An `include` is replaced by the element it names; an `extends href` by the children of the element it names, which must
be of the same kind as the parent (a schema may also take over a library).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from constraint_sdc.model.confinement import Confinement
from constraint_sdc.rules.schematron.confine import resolve_reference
from constraint_sdc.rules.schematron.element import Element, read_element

Place: TypeAlias = tuple[Path, str]
_MOST_INCLUSIONS = 10_000  # files that include each other twice over would otherwise grow without bound


@dataclass(slots=True)
class Inclusions:
    """Expands one schema; `files` lists every file read, the main one first."""

    confinement: Confinement
    files: dict[Path, Element] = field(default_factory=dict)
    _count: int = 0

    def load(self, path: Path) -> Element:
        """Read the main file and everything it brings in."""
        return self._expand(self._read(path), ((path, ""),))

    def _read(self, path: Path) -> Element:
        if path not in self.files:
            self.files[path] = read_element(path)
        return self.files[path]

    def _expand(self, element: Element, trail: tuple[Place, ...]) -> Element:
        children = tuple(
            part
            for child in element.children
            for part in ((child,) if isinstance(child, str) else self._parts(child, element, trail))
        )
        return replace(element, children=children)

    def _parts(self, child: Element, parent: Element, trail: tuple[Place, ...]) -> Iterator[Element | str]:
        if child.kind == "include":
            target, inner_trail = self._target(child, trail)
            if not target.kind:
                raise child.error(f"include brings in {target.tag}, which is not a Schematron element")
            yield self._expand(target, inner_trail)
        elif child.kind == "extends" and "href" in child.attributes:
            if "rule" in child.attributes:
                raise child.error("extends has both a 'rule' and an 'href' attribute")
            target, inner_trail = self._target(child, trail)
            if target.kind != parent.kind and (parent.kind, target.kind) != ("schema", "library"):
                raise child.error(f"extends in a {parent.kind} must name a {parent.kind}, not {_described(target)}")
            yield from self._expand(target, inner_trail).children
        elif child.kind:
            yield self._expand(child, trail)
        else:
            yield child

    def _target(self, element: Element, trail: tuple[Place, ...]) -> tuple[Element, tuple[Place, ...]]:
        self._count += 1
        if self._count > _MOST_INCLUSIONS:
            raise element.error(f"the schema brings in more than {_MOST_INCLUSIONS} elements of other files")
        place = resolve_reference(self.confinement, element, element.require("href"))
        if place in trail:
            chain = " -> ".join(_named(step) for step in (*trail[trail.index(place) :], place))
            raise element.error(f"{element.kind} goes round in a circle: {chain}")
        path, fragment = place
        if not path.is_file():
            raise element.error(f"{element.kind} names a file that does not exist: {path}")
        root = self._read(path)
        return (_with_id(root, fragment, element) if fragment else root), (*trail, place)


def _with_id(root: Element, fragment: str, reference: Element) -> Element:
    found = root.find(fragment)
    if found is None:
        raise reference.error(f"{reference.kind} names #{fragment}, but {root.origin.file} has no element with that id")
    return found


def _named(place: Place) -> str:
    path, fragment = place
    return f"{path.name}#{fragment}" if fragment else path.name


def _described(element: Element) -> str:
    return f"a {element.kind}" if element.kind else element.tag
