"""Abstract patterns: each `is-a` becomes a concrete pattern, its parameters put in place of `$name`.

As the standard has it, the replacement is of text, before any query is parsed: a value may be any piece of XPath.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from xml.sax.saxutils import escape

from constraint_sdc.errors import RulesError
from constraint_sdc.rules.schematron.element import Element

_QUERIES = frozenset({"context", "test", "select", "value", "path", "subject", "documents", "visit-each"})

_LITERAL_OR_COMMENT = re.compile(r"""'[^']*'|"[^"]*"|\(:.*?:\)""", re.DOTALL)
_REFERENCE = re.compile(r"\$\s*([\w.\-]+(?::[\w.\-]+)?)(\s*(?::=|in\b|as\b))?")
_TAG = re.compile(r"<[^>]*>")


def instantiate(instance: Element, abstract: Element) -> Element:
    """Return the abstract pattern's content under the instance's name and parameters."""
    _check_instance(instance)
    values = _values(instance, abstract)
    children = tuple(
        _substitute(child, values) if isinstance(child, Element) else child
        for child in abstract.children
        if isinstance(child, str) or child.kind not in ("param", "title")
    )
    attributes = {
        name: _replace(value, values) for name, value in abstract.attributes.items() if name not in ("id", "abstract")
    }
    # An author describes an instance where it is written: its own title and documentation come first.
    own = tuple(instance.elements("title", "p")) or tuple(abstract.elements("title"))
    return replace(
        abstract, attributes={**attributes, **instance.attributes}, children=own + children, origin=instance.origin
    )


def _check_instance(instance: Element) -> None:
    for child in instance.elements("let", "rule", "key"):
        raise child.error(
            f"a {instance.kind} with 'is-a' takes its rules from the abstract {instance.kind}, and has no {child.kind}",
            hint=f"write a second {instance.kind}, or put it into the abstract one",
        )


def _values(instance: Element, abstract: Element) -> dict[str, str]:
    given = {name: value for name, value, _ in _parameters(instance) if value is not None}
    declared = {name: value for name, value, _ in _parameters(abstract)}
    for name, value, element in _parameters(instance):
        if declared and name not in declared:
            hint = f"it declares: {', '.join(declared)}"
            raise element.error(f"abstract {abstract.kind} {abstract.get('id')!r} has no parameter {name!r}", hint=hint)
        if value is None and declared.get(name) is None:
            raise element.error(f"param {name!r} has no 'value' attribute")
    defaults = {name: _replace(value, given) for name, value in declared.items() if value is not None}
    for name in declared:
        if name not in given and name not in defaults:
            raise _missing(instance, name)
    return defaults | given


def _parameters(pattern: Element) -> Iterator[tuple[str, str | None, Element]]:
    seen: set[str] = set()
    for element in pattern.elements("param"):
        name = (element.get("name") or element.get("formal") or element.require("name")).strip()
        if name in seen:
            raise element.error(f"param {name!r} is given twice")
        seen.add(name)
        yield name, element.get("value") or element.get("actual"), element


def _substitute(element: Element, values: Mapping[str, str]) -> Element:
    attributes = {name: _replace(value, values) for name, value in element.attributes.items()}
    children = tuple(child if isinstance(child, str) else _substitute(child, values) for child in element.children)
    escaped = {name: escape(value, {'"': "&quot;"}) for name, value in values.items()}
    xml = _TAG.sub(lambda tag: _replace(tag.group(), escaped), element.xml)
    return replace(element, attributes=attributes, children=children, xml=xml)


def _replace(text: str, values: Mapping[str, str]) -> str:
    """Replace every `$name` by its value, the longest name first and never part of a longer name, in one pass.

    >>> _replace("$low <= $lower and $low-est", {"low": "1", "lower": "2"})
    '1 <= 2 and $low-est'
    """
    if "$" not in text or not values:
        return text
    names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
    return re.sub(rf"\$({names})(?![\w\-]|\.\w)", lambda found: values[found.group(1)], text)


def check_parameters(instance: Element, declared_outside: Collection[str]) -> None:
    """Raise an error if an instantiated pattern still uses a `$name` that nothing declares: a missing parameter."""
    known = {let.require("name") for let in instance.walk() if let.kind == "let"} | set(declared_outside)
    for element in instance.walk():
        for name in sorted(_QUERIES & element.attributes.keys()):
            for variable in _free_variables(element.attributes[name]):
                if variable not in known and element.kind:
                    raise _missing(instance, variable)


def _free_variables(query: str) -> Iterator[str]:
    code = _LITERAL_OR_COMMENT.sub(" ", query)
    if "function" in code:  # the parameters of an inline function look like any other variable
        return
    found = [(match.group(1), match.group(2)) for match in _REFERENCE.finditer(code)]
    bound = {name for name, binds in found if binds}
    yield from (name for name, _ in found if name not in bound)


def _missing(instance: Element, name: str) -> RulesError:
    return instance.error(
        f"abstract {instance.kind} {instance.get('is-a')!r} needs a parameter {name!r}, which is not given",
        hint=f'add <param name="{name}" value="..."/>',
    )
