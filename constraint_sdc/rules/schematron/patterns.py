"""From concrete pattern elements to the model: patterns, rules, assertions, and the notes that assertions name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as OneOf

from constraint_sdc.model.schema import Assertion, Let, Note, Pattern, Rule, Severity
from constraint_sdc.rules.schematron.element import Element
from constraint_sdc.rules.schematron.identity import Place, assertion_ids, pattern_ids
from constraint_sdc.rules.schematron.message import message_parts
from constraint_sdc.rules.schematron.severity import decide_severity
from constraint_sdc.rules.schematron.variables import read_lets


@dataclass(frozen=True, slots=True)
class Notes:
    """The diagnostics and properties of a schema."""

    diagnostics: tuple[Note, ...]
    properties: tuple[Note, ...]


def read_notes(schema: Element) -> Notes:
    """Read the schema's diagnostics and properties."""
    return Notes(_notes(schema, "diagnostics", "diagnostic"), _notes(schema, "properties", "property"))


def _notes(schema: Element, box: str, kind: str) -> tuple[Note, ...]:
    notes: dict[str, Note] = {}
    for container in schema.elements(box):
        for element in container.elements(kind):
            name = element.require("id")
            attributes = tuple((key, value) for key, value in element.attributes.items() if key != "id")
            notes.setdefault(name, Note(name, message_parts(element), attributes, element.origin))
    return tuple(notes.values())


def read_patterns(concrete: Sequence[Element], notes: Notes, lets: tuple[Let, ...]) -> tuple[Pattern, ...]:
    """Turn concrete patterns into the model, with unique ids throughout; `lets` are the schema's and the phase's."""
    places = list(_places(concrete))
    for name, declared in (("diagnostics", notes.diagnostics), ("properties", notes.properties)):
        _check_references(places, name, {note.id for note in declared})
    ids = iter(assertion_ids(places))
    return tuple(_pattern(p, name, ids, lets) for p, name in zip(concrete, pattern_ids(concrete), strict=True))


def _places(concrete: Sequence[Element]) -> Iterator[Place]:
    """Yield the assertions in the order in which `_pattern` and `_rule` take their ids."""
    number = 0
    for pattern in concrete:
        for rule in pattern.elements("rule"):
            number += 1
            for assertion in rule.elements("assert", "report"):
                yield Place(pattern, rule, number, assertion)


def _pattern(element: Element, name: str, ids: Iterator[str], lets: tuple[Let, ...]) -> Pattern:
    own = read_lets(element)
    title = next((title.text() for title in element.elements("title")), "")
    return Pattern(
        id=name,
        name=" ".join((element.get("name") or title or name).split()),
        documents=element.get("documents"),
        is_group=element.kind == "group",
        lets=own,
        rules=tuple(_rule(rule, element, ids, lets + own) for rule in element.elements("rule")),
        attributes=tuple(element.attributes.items()),
        origin=element.origin,
    )


def _rule(element: Element, pattern: Element, ids: Iterator[str], lets: tuple[Let, ...]) -> Rule:
    own = read_lets(element)
    assertions = tuple(
        _assertion(child, next(ids), decide_severity((child, element, pattern), lets + own))
        for child in element.elements("assert", "report")
    )
    return Rule(
        id=element.get("id"),
        context=element.require("context"),
        lets=own,
        assertions=assertions,
        attributes=tuple(element.attributes.items()),
        origin=element.origin,
    )


def _assertion(element: Element, name: str, severity: Severity) -> Assertion:
    kind: OneOf["assert", "report"] = "report" if element.kind == "report" else "assert"
    return Assertion(
        id=name,
        has_own_id=element.get("id") is not None,
        kind=kind,
        test=element.require("test"),
        parts=message_parts(element),
        severity=severity,
        diagnostics=tuple((element.get("diagnostics") or "").split()),
        properties=tuple((element.get("properties") or "").split()),
        attributes=tuple(element.attributes.items()),
        origin=element.origin,
    )


def _check_references(places: Sequence[Place], name: str, known: set[str]) -> None:
    for assertion in (place.assertion for place in places):
        for wanted in (assertion.get(name) or "").split():
            if wanted not in known:
                hint = f"{name}: {', '.join(sorted(known))}" if known else f"the schema has no {name}"
                raise assertion.error(f"{assertion.kind} names {wanted!r}, which is not among the {name}", hint=hint)
