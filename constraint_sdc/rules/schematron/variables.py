"""`let` and schema-level `param`: the variables of a schema, phase, pattern or rule."""

from __future__ import annotations

import re

from constraint_sdc.model.schema import Let, Parameter
from constraint_sdc.rules.schematron.element import Element

_QNAME = re.compile(r"[^\W\d][\w.\-]*(:[^\W\d][\w.\-]*)?")


def read_lets(scope: Element) -> tuple[Let, ...]:
    """Read the variables declared directly in an element; the same name twice in one scope is an error.

    One declaration that reaches a rule by two ways (both abstract rules extend a third) is still one.
    """
    return tuple(_let(element) for element in _once(scope, "let", "variable").values())


def read_parameters(schema: Element) -> tuple[Parameter, ...]:
    """Read the parameters of the schema itself (2025), whose values may be given from outside."""
    lets = _once(schema, "let", "variable")
    parameters = _once(schema, "param", "param")
    for name, element in parameters.items():
        if name in lets:
            raise element.error(f"param {name!r} is also declared by a let", hint=f"at {lets[name].origin}")
    return tuple(Parameter(name, e.get("value"), e.get("as"), e.origin) for name, e in parameters.items())


def _once(scope: Element, kind: str, word: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in scope.elements(kind):
        name = _name(element)
        first = found.setdefault(name, element)
        if first.source != element.source:
            hint = f"first declared at {first.origin}"
            raise element.error(f"{word} {name!r} is declared twice in one {scope.kind}", hint=hint)
    return found


def _let(element: Element) -> Let:
    name, value = _name(element), element.get("value")
    content = element.inner_xml()
    if value is not None and content.strip():
        raise element.error(f"variable {name!r} has both a 'value' attribute and content")
    return Let(name, value, None if value is not None else content.strip(), element.get("as"), element.origin)


def _name(element: Element) -> str:
    name = element.require("name").strip()
    if not _QNAME.fullmatch(name):
        raise element.error(f"{name!r} is not a variable name")
    return name
