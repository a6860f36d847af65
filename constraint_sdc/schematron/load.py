"""Load a Schematron schema: from files to one flat, frozen `Schema`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from constraint_sdc.limits import INCLUSIONS
from constraint_sdc.schematron.abstract import concrete_patterns, repeated_parameters
from constraint_sdc.schematron.confinement import Confinement, real_path, refuse_beside_copy, resolve_reference
from constraint_sdc.schematron.declarations import (
    active_patterns,
    check_defined_once,
    choose_phase,
    foreign_declarations,
    read_lets,
    read_parameters,
    read_phases,
)
from constraint_sdc.schematron.element import ISO_NAMESPACE, Element, read_element, read_rule_file
from constraint_sdc.schematron.fragments import BorrowedPrefix, borrowed_prefixes, lent_prefixes
from constraint_sdc.schematron.grammar import check_grammar
from constraint_sdc.schematron.notes import find_notes
from constraint_sdc.schematron.patterns import check_unique, read_patterns
from constraint_sdc.schematron.schema import Binding, Let, Parameter, Schema
from constraint_sdc.schematron.xslt import check_xslt

# `queryBinding`: the query language in which a schema's tests are written.

# A binding to XPath alone runs under the XSLT of the same generation, which includes that XPath.
_BINDINGS: dict[str, Binding] = {
    "xslt": "xslt1",
    "xslt1": "xslt1",
    "xslt2": "xslt2",
    "xslt3": "xslt3",
    "xpath": "xslt1",
    "xpath1": "xslt1",
    "xpath2": "xslt2",
    "xpath3": "xslt3",
    "xpath31": "xslt3",
}


def read_binding(schema: Element) -> Binding:
    """Return the schema's binding, ignoring letter case; the standard's default is XSLT 1.0."""
    written = schema.get("queryBinding")
    if written is None:
        return "xslt1"
    binding = _BINDINGS.get(written.strip().lower())
    if binding is None:
        raise schema.error(f"unknown queryBinding {written!r}", hint=f"use one of: {', '.join(_BINDINGS)}")
    return binding


# `include` and `extends href`: replaced by elements of other files, recursively.
#
# An `include` is replaced by the element it names; an `extends href` by the children of the element it names, which
# must be of the same kind as the parent (a schema may also take over a library).

IncludeTarget: TypeAlias = tuple[Path, str]


@dataclass(slots=True)
class Inclusions:
    """Expands one schema; `files` lists every file read, the main one first, `sha256` the digests of their bytes."""

    confinement: Confinement
    files: dict[Path, Element] = field(default_factory=dict)
    sha256: dict[Path, str] = field(default_factory=dict)
    borrowed: list[BorrowedPrefix] = field(default_factory=list)
    _count: int = 0

    def load(self, path: Path) -> Element:
        """Read the main file and everything it includes."""
        return self._expand(self._read(path), ((path, ""),))

    def _read(self, path: Path) -> Element:
        if path not in self.files:
            content = read_rule_file(path)
            self.files[path] = read_element(content, path)
            self.sha256[path] = hashlib.sha256(content).hexdigest()
        return self.files[path]

    def _expand(self, element: Element, trail: tuple[IncludeTarget, ...]) -> Element:
        children = tuple(
            part
            for child in element.children
            for part in ((child,) if isinstance(child, str) else self._parts(child, element, trail))
        )
        return replace(element, children=children)

    def _parts(self, child: Element, parent: Element, trail: tuple[IncludeTarget, ...]) -> Iterator[Element | str]:
        if child.kind == "include":
            target, inner_trail = self._target(child, trail)
            if not target.kind:
                raise child.error(f"include names {target.tag}, which is not a Schematron element")
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

    def _target(self, element: Element, trail: tuple[IncludeTarget, ...]) -> tuple[Element, tuple[IncludeTarget, ...]]:
        self._count += 1
        if self._count > INCLUSIONS:
            raise element.error(f"the schema includes more than {INCLUSIONS} elements of other files")
        place = resolve_reference(self.confinement, element, element.require("href"))
        if place in trail:
            chain = " -> ".join(_named(step) for step in (*trail[trail.index(place) :], place))
            raise element.error(f"{element.kind} forms a cycle: {chain}")
        path, fragment = place
        refuse_beside_copy(path, element)
        if not path.is_file():
            raise element.error(f"{element.kind} names a file that does not exist: {path}")
        root = self._read(path)
        target = _with_id(root, fragment, element) if fragment else root
        if str(path) != element.origin.file:
            self.borrowed += borrowed_prefixes(target, root, element)
        return target, (*trail, place)


def _with_id(root: Element, fragment: str, reference: Element) -> Element:
    found = root.find(fragment)
    if found is None:
        raise reference.error(f"{reference.kind} names #{fragment}, but {root.origin.file} has no element with that id")
    return found


def _named(place: IncludeTarget) -> str:
    path, fragment = place
    return f"{path.name}#{fragment}" if fragment else path.name


def _described(element: Element) -> str:
    return f"a {element.kind}" if element.kind else element.tag


def load_schema(path: Path, *, phase: str | None = None, allowed: tuple[Path, ...] = ()) -> Schema:
    """Load a schema with everything it includes, abstract patterns and rules resolved, one phase chosen.

    `phase` is an id, "#ALL" or "#DEFAULT" (the same as None: the schema's own default, or all patterns). Files outside
    the schema's own directory are read only from the `allowed` directories.
    """
    inclusions = Inclusions(Confinement.around([path], allowed))
    return schema_of_root(inclusions.load(real_path(path)), inclusions, phase)


def schema_of_root(root: Element, inclusions: Inclusions, phase: str | None = None) -> Schema:
    """Return the schema that an element is, with everything included; `inclusions` has the files that were read."""
    _check_root(root)
    check_grammar(root)
    check_xslt(root)
    _check_ids(root)
    notes = find_notes(root)
    concrete = concrete_patterns(root)
    phases = read_phases(root, [e.require("id") for e in concrete if "id" in e.attributes])
    chosen = choose_phase(root, phases, phase)
    running = next((p for p in phases if p.id == chosen), None)
    declared = dict(_namespaces(root))
    lets = read_lets(root) + (running.lets if running else ())
    parameters = read_parameters(root)
    outer = _as_lets(parameters) + lets
    patterns = active_patterns(root, read_patterns(concrete, notes, outer, root.language), phases, chosen)
    for own in ((), *(pattern.lets for pattern in patterns)):
        check_defined_once(outer + own)
    return Schema(
        title=_title(root),
        binding=read_binding(root),
        namespaces=(*declared.items(), *lent_prefixes(iter(inclusions.borrowed), declared)),
        parameters=parameters,
        lets=lets,
        phase=chosen,
        phases=phases,
        patterns=tuple(patterns),
        diagnostics=notes.read().diagnostics,
        properties=notes.read().properties,
        foreign=foreign_declarations(root, concrete),
        origin=root.origin,
        files=tuple(str(file) for file in inclusions.files),
        sha256=tuple(inclusions.sha256[file] for file in inclusions.files),
        warnings=tuple(repeated_parameters(root)),
        attributes=tuple(root.attributes.items()),
    )


def _as_lets(parameters: tuple[Parameter, ...]) -> tuple[Let, ...]:
    return tuple(Let(p.name, p.value, None, p.type, p.origin) for p in parameters)


def _check_root(root: Element) -> None:
    if root.kind == "library":
        raise root.error("a library has no rules to run", hint="include it in a schema with <extends href=...>")
    if root.kind != "schema":
        hint = f'a schema starts with <schema xmlns="{ISO_NAMESPACE}">'
        raise root.error(f"not a Schematron schema: the root element is {root.tag}", hint=hint)


def _check_ids(root: Element) -> None:
    elements = [element for element in root.walk() if element.kind]
    for kinds, what in (
        (("pattern", "group"), "pattern"),
        (("rule",), "rule"),
        (("phase",), "phase"),
        (("diagnostic",), "diagnostic"),
        (("property",), "property"),
    ):
        check_unique((element for element in elements if element.kind in kinds), what)


def _title(root: Element) -> str:
    """Return the schema's own title, or the title of an extended schema when it has none."""
    titles = list(root.elements("title"))
    own = [title for title in titles if title.origin.file == root.origin.file]
    return next((title.text() for title in own + titles), "")


def _namespaces(root: Element) -> Iterator[tuple[str, str]]:
    seen: dict[str, Element] = {}
    for element in root.elements("ns"):
        prefix, uri = element.require("prefix").strip(), element.require("uri")
        first = seen.setdefault(prefix, element)
        if first is element:
            yield prefix, uri
        elif first.require("uri") != uri:
            raise element.error(f"prefix {prefix!r} stands for two namespaces", hint=f"first at {first.origin}")
