"""`let` variables: their values where a rule uses them, and what they and the messages may read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from constraint_sdc.evaluate.expression import Literal
from constraint_sdc.schematron.schema import Assertion, Let, MarkupPart, MessagePart, NamePart, Rule, Schema, ValuePart
from constraint_sdc.schematron.xslt import xslt_name
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
from constraint_sdc.xpath.scope import Document, Scope, ScopeValue
from constraint_sdc.xpath.syntax import NotUnderstood, Reference, Syntax, walk_syntax
from constraint_sdc.xpath.translate import translate_value
from constraint_sdc.xpath.xpath import parse_xpath

# Substitute `let` variables, each in its scope with the context node at which XSLT evaluates it.
#
# Schema, phase and pattern variables are evaluated once, at the document's root; rule variables at the context node.

Bound = ScopeValue | NotUnderstood
ORIGINAL = "original"


def schema_variables(schema: Schema, root: Scope, namespaces: Mapping[str, str]) -> dict[str, Bound]:
    """Return the values of the schema's parameters and variables, and of the chosen phase's.

    They may refer to each other in any order; a name declared twice means the first one until the second is declared.
    The command line gives `$original` its value if it has none of its own.
    """
    values: dict[str, Bound] = {ORIGINAL: Document(None)} | {name: _given(name) for name in root.given}
    waiting: dict[str, tuple[Let, dict[str, Bound]]] = {}
    earlier: dict[str, Bound] = {}
    lets = [Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters] + list(schema.lets)
    for place, let in enumerate(lets):
        if let.name == ORIGINAL and _is_open(let):
            continue
        if any(later.name == let.name for later in lets[place + 1 :]):
            scope = replace(root, variables=values | earlier)
            earlier[let.name] = let_value(let, scope, namespaces)
        else:
            waiting[let.name] = (let, {**earlier})
            earlier.pop(let.name, None)
    _resolve(waiting, values, root, namespaces)
    return values


def _resolve(
    waiting: dict[str, tuple[Let, dict[str, Bound]]],
    values: dict[str, Bound],
    root: Scope,
    namespaces: Mapping[str, str],
) -> None:
    """Translate variables as soon as those they refer to are known; the remaining ones form a cycle."""
    while waiting:
        needs = {name: _names_in(let, namespaces) - seen.keys() for name, (let, seen) in waiting.items()}
        ready = [name for name in waiting if not needs[name] & waiting.keys()]
        for name in ready or list(waiting):
            let, seen = waiting.pop(name)
            scope = replace(root, variables=values | seen)
            values[name] = let_value(let, scope, namespaces) if ready else NotUnderstood("refers to itself")


def add_lets(scope: Scope, lets: tuple[Let, ...], namespaces: Mapping[str, str]) -> Scope:
    """Return the scope with a pattern's or a rule's variables, each seeing those before it and the outer ones."""
    for let in lets:
        value = let_value(let, scope, namespaces)
        scope = replace(scope, variables={**scope.variables, let.name: value})
    return scope


def let_value(let: Let, scope: Scope, namespaces: Mapping[str, str]) -> Bound:
    """Translate one variable's value where it is declared; without value and content it is the empty text."""
    if let.name in scope.given:
        return _given(let.name)
    if let.content:
        return NotUnderstood("its value is XML content")
    if let.type is not None:
        return NotUnderstood(f"its type is declared (as {let.type}), which converts the value")
    if _is_open(let):
        return Literal("")
    tree = parse_xpath(let.value or "", namespaces)
    return translate_value(tree, replace(scope, base=str(Path(let.origin.file).parent)))


def _given(name: str) -> Bound:
    return Document(None) if name == ORIGINAL else NotUnderstood("its value is given on the command line")


def _is_open(let: Let) -> bool:
    return not (let.value or "").strip() and not let.content


def _names_in(let: Let, namespaces: Mapping[str, str]) -> set[str]:
    tree: Syntax | NotUnderstood = parse_xpath(let.value or "()", namespaces)
    if isinstance(tree, NotUnderstood):
        return set()
    return {part.name for part in walk_syntax(tree) if isinstance(part, Reference)}


# What an assertion's variables and messages may read, for the proof that a rule is record-local.

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
    yield from _selects(assertion.parts)
    for note in (*schema.diagnostics_of(assertion), *schema.properties_of(assertion)):
        yield from _selects(note.parts)
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
            case MarkupPart(name, attributes, inner):
                if xslt_name(name):  # an attribute that is no XPath is not understood, which is safe
                    yield from (value for _, value in attributes)
                yield from _selects(inner)
            case _:
                pass
