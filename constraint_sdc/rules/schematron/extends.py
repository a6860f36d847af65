"""Abstract rules: `extends rule` takes over the variables and assertions of an abstract rule at that place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from constraint_sdc.rules.schematron.element import Element


def extend_rules(pattern: Element, shared: Mapping[str, Element]) -> Element:
    """Return the pattern with every `extends` resolved and its abstract rules gone.

    An abstract rule is looked up in the pattern itself, then among those of the whole schema (`shared`).
    """
    own = {rule.require("id"): rule for rule in abstract_rules(pattern)}
    abstract = {**shared, **own} if own else shared
    children = tuple(
        _extended(child, abstract, ()) if isinstance(child, Element) and child.kind == "rule" else child
        for child in pattern.children
        if isinstance(child, str) or not (child.kind == "rule" and child.flag("abstract"))
    )
    return replace(pattern, children=children)


def abstract_rules(container: Element) -> tuple[Element, ...]:
    """Return the abstract rules directly inside a pattern, group or `rules`."""
    return tuple(rule for rule in container.elements("rule") if rule.flag("abstract"))


_MOST_CHILDREN = 100_000  # abstract rules that extend each other twice over would otherwise grow without bound


def _extended(rule: Element, abstract: Mapping[str, Element], trail: tuple[str, ...]) -> Element:
    children: list[Element | str] = []
    for child in rule.children:
        if isinstance(child, Element) and child.kind == "extends":
            children.extend(_content(child, abstract, trail))
            if len(children) > _MOST_CHILDREN:
                raise child.error(f"extends makes a rule of more than {_MOST_CHILDREN} parts")
        else:
            children.append(child)
    return replace(rule, children=tuple(children))


def _content(extends: Element, abstract: Mapping[str, Element], trail: tuple[str, ...]) -> tuple[Element | str, ...]:
    name = extends.require("rule")
    if name in trail:
        raise extends.error(f"extends goes round in a circle: {' -> '.join((*trail[trail.index(name) :], name))}")
    if name not in abstract:
        hint = f"abstract rules: {', '.join(abstract)}" if abstract else "the schema has no abstract rule"
        raise extends.error(f"extends names an unknown abstract rule {name!r}", hint=hint)
    return _extended(abstract[name], abstract, (*trail, name)).children
