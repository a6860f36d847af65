"""What an assertion's variables and messages may look at, for the proof that a rule is record-local."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from constraint_sdc.model.schema import Assertion, Let, MarkupPart, MessagePart, NamePart, Rule, Schema, ValuePart
from constraint_sdc.rules.locality import ELSEWHERE, VALUE, Region, Regions, Surroundings, Unproven, regions_of
from constraint_sdc.rules.syntax import NotUnderstood
from constraint_sdc.rules.xpath import parse_xpath

_XSLT = "http://www.w3.org/1999/XSL/Transform"


def schema_regions(schema: Schema, overridden: frozenset[str], namespaces: Mapping[str, str]) -> Surroundings:
    """Return the surroundings at the data's root, with the schema's parameters and variables."""
    root = frozenset({Region.ROOT})
    variables: dict[str, Regions | NotUnderstood] = {"original": ELSEWHERE}
    variables |= {parameter.name: VALUE | ELSEWHERE for parameter in schema.parameters if parameter.value is None}
    lets = [Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters if p.value is not None]
    lets += [let for let in schema.lets if let.value is not None or let.content]
    variables |= {let.name: Unproven("its value is not known") for let in lets}
    variables |= dict.fromkeys(overridden, VALUE | ELSEWHERE)
    around = Surroundings(root, root, variables)
    # Globals may refer to each other in any order: repeat until nothing more can be proven.
    for _ in lets:
        known = {n for n, found in around.variables.items() if not isinstance(found, NotUnderstood)}
        around = add_let_regions(around, tuple(let for let in lets if let.name not in known), namespaces)
    return around


def add_let_regions(around: Surroundings, lets: tuple[Let, ...], namespaces: Mapping[str, str]) -> Surroundings:
    """Return the surroundings with variables declared where `around` stands."""
    for let in lets:
        names: dict[str, None] = {}
        found = _let_regions(let, replace(around, names=names), namespaces)
        variables, reads = {**around.variables, let.name: found}, {**around.reads, let.name: tuple(names)}
        around = replace(around, variables=variables, reads=reads)
    return around


def _let_regions(let: Let, around: Surroundings, namespaces: Mapping[str, str]) -> Regions | NotUnderstood:
    if let.value is not None:
        return regions_of(parse_xpath(let.value, namespaces), around)
    # Content is a tree of its own, unless XSLT inside it computes something.
    content = let.content or ""
    if _XSLT in content or "{" in content:
        return Unproven("its content may compute something from the data")
    return ELSEWHERE


def message_texts(schema: Schema, assertion: Assertion, rule: Rule) -> Iterator[str]:
    """Yield every XPath that showing a finding of this assertion needs: message, diagnostics, properties, subject."""
    notes = {note.id: note for note in (*schema.diagnostics, *schema.properties)}
    yield from _selects(assertion.parts)
    for name in (*assertion.diagnostics, *assertion.properties):
        if name in notes:
            yield from _selects(notes[name].parts)
    for subject in (assertion.attribute("subject"), rule.attribute("subject")):
        if subject is not None:
            yield subject


def _selects(parts: tuple[MessagePart, ...]) -> Iterator[str]:
    for part in parts:
        match part:
            case ValuePart(select):
                yield select
            case NamePart(path) if path is not None:
                yield path
            case MarkupPart(_, _, inner):
                yield from _selects(inner)
            case _:
                pass
