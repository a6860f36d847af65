"""`let` variables put in the place of their names, each scope with the context node in which XSLT evaluates it.

Schema, phase and pattern variables are evaluated once, at the document's root; rule variables at the context node.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from constraint_sdc.model.schema import Let, Schema
from constraint_sdc.rules.scope import AtRoot, Document, Scope, Value
from constraint_sdc.rules.syntax import NotUnderstood, Reference, Syntax, walk_syntax
from constraint_sdc.rules.translate import translate_value
from constraint_sdc.rules.xpath import parse_xpath

Bound = Value | NotUnderstood
ORIGINAL = "original"


def schema_variables(
    schema: Schema, root: Scope, overridden: frozenset[str], namespaces: Mapping[str, str]
) -> dict[str, Bound]:
    """Return the values of the schema's parameters and variables, and of the chosen phase's.

    They may refer to each other in any order. An overridden `original` is the document given on the command line; any
    other overridden variable is a value that we do not see. `$original` without a value waits for that option.
    """
    lets = {p.name: Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters}
    lets |= {let.name: let for let in schema.lets}
    values: dict[str, Bound] = {ORIGINAL: Document(None)}
    values |= {name: _given(name) for name in overridden}
    waiting = {n: let for n, let in lets.items() if n not in overridden and not (n == ORIGINAL and _is_open(let))}
    while waiting:
        ready = [name for name, let in waiting.items() if not _names_in(let, namespaces) & waiting.keys()]
        for name in ready or list(waiting):
            let = waiting.pop(name)
            scope = replace(root, variables=dict(values), focus=AtRoot(), current=AtRoot())
            values[name] = let_value(let, scope, namespaces) if ready else NotUnderstood("refers to itself")
    return values


def add_lets(scope: Scope, lets: tuple[Let, ...], namespaces: Mapping[str, str]) -> Scope:
    """Return the scope with a pattern's or a rule's variables, each seeing those before it and the outer ones."""
    for let in lets:
        value = let_value(let, scope, namespaces)
        scope = replace(scope, variables={**scope.variables, let.name: value})
    return scope


def let_value(let: Let, scope: Scope, namespaces: Mapping[str, str]) -> Bound:
    """Translate one variable's value where it is declared."""
    if let.value is None:
        return NotUnderstood("its value is XML content" if let.content is not None else "it has no value of its own")
    if let.type is not None:
        return NotUnderstood(f"its type is declared (as {let.type}), which converts the value")
    tree = parse_xpath(let.value, namespaces)
    return translate_value(tree, replace(scope, base=str(Path(let.origin.file).parent)))


def _given(name: str) -> Bound:
    return Document(None) if name == ORIGINAL else NotUnderstood("its value is given on the command line")


def _is_open(let: Let) -> bool:
    return let.value is None and not let.content


def _names_in(let: Let, namespaces: Mapping[str, str]) -> set[str]:
    tree: Syntax | NotUnderstood = parse_xpath(let.value or "()", namespaces)
    if isinstance(tree, NotUnderstood):
        return set()
    return {part.name for part in walk_syntax(tree) if isinstance(part, Reference)}
