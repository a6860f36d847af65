"""The patterns of a schema that can fire: `is-a` and `extends` resolved, abstract ones gone."""

from __future__ import annotations

from constraint_sdc.rules.schematron.abstract import check_parameters, instantiate
from constraint_sdc.rules.schematron.element import Element
from constraint_sdc.rules.schematron.extends import abstract_rules, extend_rules
from constraint_sdc.rules.schematron.foreign import declared_variables


def concrete_patterns(schema: Element) -> list[Element]:
    """Return the concrete patterns and groups of a schema in document order."""
    written = list(schema.elements("pattern", "group"))
    abstract = {p.require("id"): p for p in written if p.flag("abstract")}
    shared = {r.require("id"): r for box in schema.elements("rules", "pattern", "group") for r in abstract_rules(box)}
    outside = _declared_outside_patterns(schema)
    concrete = []
    for pattern in written:
        if pattern.flag("abstract"):
            continue
        if "is-a" not in pattern.attributes:
            _check_no_parameters(pattern)
            concrete.append(extend_rules(pattern, shared))
        else:
            made = extend_rules(instantiate(pattern, _abstract_of(pattern, abstract)), shared)
            check_parameters(made, outside)
            concrete.append(made)
    _check_once(concrete)
    return concrete


def _abstract_of(pattern: Element, abstract: dict[str, Element]) -> Element:
    name = pattern.require("is-a").strip()
    if name not in abstract:
        hint = f"abstract patterns: {', '.join(abstract)}" if abstract else "the schema has no abstract pattern"
        raise pattern.error(f"is-a names an unknown abstract pattern {name!r}", hint=hint)
    found = abstract[name]
    if found.kind != pattern.kind:
        # A group fires every rule and a pattern only the first: one cannot stand in for the other.
        raise pattern.error(f"a {pattern.kind} cannot be made from the abstract {found.kind} {name!r}")
    return found


def _check_once(concrete: list[Element]) -> None:
    seen: set[str] = set()
    for pattern in concrete:
        name = pattern.get("id")
        if name in seen:
            raise pattern.error(f"{pattern.kind} {name!r} is brought in twice, and would report everything twice")
        seen |= {name} if name else set()


def _check_no_parameters(pattern: Element) -> None:
    for param in pattern.elements("param"):
        raise param.error(f"param has no meaning in a {pattern.kind} that is neither abstract nor has 'is-a'")


def _declared_outside_patterns(schema: Element) -> frozenset[str]:
    boxes = (schema, *schema.elements("phase"))
    return declared_variables(schema) | {e.require("name") for box in boxes for e in box.elements("let", "param")}
