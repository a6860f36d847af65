"""Loading a Schematron schema: from files to one flat, frozen `Schema`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from constraint_sdc.model.confinement import Confinement
from constraint_sdc.model.schema import Let, Parameter, Schema
from constraint_sdc.rules.schematron.binding import read_binding
from constraint_sdc.rules.schematron.concrete import concrete_patterns
from constraint_sdc.rules.schematron.element import ISO_NAMESPACE, Element
from constraint_sdc.rules.schematron.foreign import foreign_declarations
from constraint_sdc.rules.schematron.grammar import check_grammar
from constraint_sdc.rules.schematron.identity import check_unique
from constraint_sdc.rules.schematron.include import Inclusions
from constraint_sdc.rules.schematron.patterns import read_notes, read_patterns
from constraint_sdc.rules.schematron.phases import active_patterns, choose_phase, read_phases
from constraint_sdc.rules.schematron.variables import read_lets, read_parameters


def load_schema(path: Path, *, phase: str | None = None, allowed: tuple[Path, ...] = ()) -> Schema:
    """Load a schema with everything it includes, abstract patterns and rules resolved, one phase chosen.

    `phase` is an id, "#ALL" or "#DEFAULT" (the same as None: the schema's own default, or all patterns). Files outside
    the schema's own directory are read only from the `allowed` directories.
    """
    inclusions = Inclusions(Confinement.around([path], allowed))
    root = inclusions.load(path.resolve())
    _check_root(root)
    check_grammar(root)
    _check_ids(root)
    notes = read_notes(root)
    concrete = concrete_patterns(root)
    phases = read_phases(root, [e.require("id") for e in concrete if "id" in e.attributes])
    chosen = choose_phase(root, phases, phase)
    running = next((p for p in phases if p.id == chosen), None)
    lets = read_lets(root) + (running.lets if running else ())
    parameters = read_parameters(root)
    patterns = read_patterns(concrete, notes, _as_lets(parameters) + lets)
    return Schema(
        title=_title(root),
        binding=read_binding(root),
        namespaces=tuple(_namespaces(root)),
        parameters=parameters,
        lets=lets,
        phase=chosen,
        phases=phases,
        patterns=tuple(active_patterns(root, patterns, phases, chosen)),
        diagnostics=notes.diagnostics,
        properties=notes.properties,
        foreign=foreign_declarations(root, concrete),
        origin=root.origin,
        files=tuple(str(file) for file in inclusions.files),
        attributes=tuple(root.attributes.items()),
    )


def _as_lets(parameters: tuple[Parameter, ...]) -> tuple[Let, ...]:
    return tuple(Let(p.name, p.value, None, p.type, p.origin) for p in parameters)


def _check_root(root: Element) -> None:
    if root.kind == "library":
        raise root.error("a library has nothing to run", hint="bring it into a schema with <extends href=...>")
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
    """Return the schema's own title; one that an extended schema brought in counts only when it has none."""
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
