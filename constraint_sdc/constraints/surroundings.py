"""What an assertion's variables and messages may read, for the proof that a rule is record-local."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from constraint_sdc.schematron.schema import Assertion, Let, MarkupPart, MessagePart, NamePart, Rule, Schema, ValuePart
from constraint_sdc.xpath.locality import (
    CONSTANT,
    ELSEWHERE,
    VALUE,
    Region,
    Regions,
    Surroundings,
    Unproven,
    regions_of,
)
from constraint_sdc.xpath.syntax import NotUnderstood
from constraint_sdc.xpath.xpath import parse_xpath

_XSLT = "http://www.w3.org/1999/XSL/Transform"


def schema_regions(schema: Schema, overridden: frozenset[str], namespaces: Mapping[str, str]) -> Surroundings:
    """Return the surroundings at the data's root, with the schema's parameters and variables."""
    root = frozenset({Region.ROOT})
    lets = [Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters] + list(schema.lets)
    variables: dict[str, Regions | NotUnderstood] = {let.name: Unproven("its value is not known") for let in lets}
    variables |= dict.fromkeys({"original", *overridden} - variables.keys(), CONSTANT)
    around = Surroundings(root, root, variables, given=overridden)
    # Global variables may refer to each other in any order: each round proves at least one more, or none can be proven.
    for _ in lets:
        around = _prove_once(around, lets, namespaces)
    return around


def _prove_once(around: Surroundings, lets: list[Let], namespaces: Mapping[str, str]) -> Surroundings:
    found: dict[str, Regions | NotUnderstood] = {}
    for let in lets:
        seen = replace(around, variables={**around.variables, **found})
        regions = add_let_regions(seen, (let,), namespaces).variables[let.name]
        earlier = found.get(let.name, frozenset())
        # Both declarations of a name must be proven: expressions between the two see the first.
        if isinstance(earlier, NotUnderstood) or isinstance(regions, NotUnderstood):
            found[let.name] = earlier if isinstance(earlier, NotUnderstood) else regions
        else:
            found[let.name] = earlier | regions
    return replace(around, variables={**around.variables, **found})


def add_let_regions(around: Surroundings, lets: tuple[Let, ...], namespaces: Mapping[str, str]) -> Surroundings:
    """Return the surroundings with variables declared at the place of `around`."""
    for let in lets:
        names: dict[str, None] = {}
        found = _let_regions(let, replace(around, names=names), namespaces)
        variables, reads = {**around.variables, let.name: found}, {**around.reads, let.name: tuple(names)}
        around = replace(around, variables=variables, reads=reads)
    return around


def _let_regions(let: Let, around: Surroundings, namespaces: Mapping[str, str]) -> Regions | NotUnderstood:
    if let.name in around.given or (let.name == "original" and not let.value and not let.content):
        return CONSTANT
    if let.content:
        # Content is a tree of its own, unless XSLT inside it computes something.
        is_plain = _XSLT not in let.content and "{" not in let.content
        return ELSEWHERE if is_plain else Unproven("its content may compute something from the data")
    return regions_of(parse_xpath(let.value, namespaces), around) if let.value and let.value.strip() else VALUE


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
