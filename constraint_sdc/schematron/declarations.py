"""Phases: which patterns are active."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from xml.sax.saxutils import quoteattr

from constraint_sdc.errors import RulesError
from constraint_sdc.schematron.element import XSLT_NAMESPACE, Element
from constraint_sdc.schematron.schema import Let, Origin, Parameter, Pattern, Phase
from constraint_sdc.schematron.xslt import xslt_name

# `let` and schema-level `param`: the variables of a schema, phase, pattern or rule.

_QNAME = re.compile(r"[^\W\d][\w.\-]*(:[^\W\d][\w.\-]*)?")


def read_lets(scope: Element) -> tuple[Let, ...]:
    """Read the variables declared directly in an element; the same name twice in one scope is an error.

    One declaration that reaches a rule in two ways (two abstract rules extend a third) counts once.
    """
    return tuple(_let(element) for element in _once(scope, "let", "variable").values())


def read_parameters(schema: Element) -> tuple[Parameter, ...]:
    """Read the schema-level parameters (2025), whose values may be given from outside."""
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


def check_defined_once(lets: Iterable[Let]) -> None:
    """Refuse a name that is defined twice in the current schema, phase and pattern.

    They are one scope: each of their variables has one value for the whole document. A variable of a rule is scoped to
    the rule and may hide one of them.
    """
    first: dict[str, Let] = {}
    for let in lets:
        other = first.setdefault(let.name, let)
        if other is not let:
            what = f"variable {let.name!r} is defined twice in the current schema, phase and pattern"
            hint = f"first defined at {other.origin}; rename one of them"
            raise RulesError(what, file=let.origin.file, line=let.origin.line, hint=hint)


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


# XSLT elements at the top of a schema (`xsl:key`, `xsl:function`, ...), and the `key` element of Schematron 1.5.

_CONTAINERS = ("pattern", "group", "rules", "rule", "phase", "diagnostics", "properties")


def foreign_declarations(schema: Element, concrete: Sequence[Element]) -> tuple[tuple[str, Origin], ...]:
    """Return the schema's XSLT declarations as text, then the keys of 1.5 in the schema and its concrete patterns.

    Elements of any other namespace are documentation and have no effect, as the standard says; `xslt` has refused an
    element of XSLT that is not admitted.
    """
    return (*_declarations(schema), *_keys(schema, concrete))


def _declarations(schema: Element) -> Iterator[tuple[str, Origin]]:
    for child in schema.elements(""):
        if xslt_name(child.tag):
            yield child.xml, child.origin
    for element in schema.walk():
        for child in element.elements("") if element.kind in _CONTAINERS else ():
            if name := xslt_name(child.tag):
                raise child.error(f"xsl:{name} must stand directly under schema")


def _keys(schema: Element, concrete: Sequence[Element]) -> Iterator[tuple[str, Origin]]:
    rules = (rule for pattern in concrete for rule in pattern.elements("rule"))
    for parent in (schema, *concrete, *rules):
        for key in parent.elements("key"):
            yield _key(key, parent), key.origin


def _key(key: Element, parent: Element) -> str:
    """Write `<key name path>` of 1.5, whose nodes are those of the rule around it, or 1.6's with its own `match`."""
    match = key.get("match") or parent.get("context")
    use = key.get("path") or key.get("use")
    if match is None or use is None:
        raise key.error("key needs a 'path', and outside a rule also a 'match'")
    attributes = {"name": key.require("name"), "match": match, "use": use}
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f'<xsl:key xmlns:xsl="{XSLT_NAMESPACE}" {written}/>'


ALL = "#ALL"
DEFAULT = "#DEFAULT"
_ANY = "#ANY"


def read_phases(schema: Element, patterns: Collection[str]) -> tuple[Phase, ...]:
    """Read every phase; `patterns` are the ids of the concrete patterns that a phase may activate."""
    abstract = {p.get("id") for p in schema.elements("pattern", "group") if p.flag("abstract")}
    for active in (child for phase in schema.elements("phase") for child in phase.elements("active")):
        if active.require("pattern") in abstract:
            hint = "activate the patterns that instantiate it"
            raise active.error(f"pattern {active.get('pattern')!r} is abstract and has no rules to run", hint=hint)
    return tuple(_phase(element, patterns) for element in schema.elements("phase"))


def choose_phase(schema: Element, phases: Sequence[Phase], wanted: str | None) -> str:
    """Return the id of the phase to run, or #ALL; None and #DEFAULT stand for the schema's own default."""
    default = (schema.get("defaultPhase") or ALL).strip()
    known = (ALL, *(phase.id for phase in phases))
    if default not in known:
        raise schema.error(f"defaultPhase names an unknown phase {default!r}", hint=_listed(known))
    chosen = default if wanted in (None, DEFAULT) else wanted
    if chosen == _ANY:
        what = "the phase #ANY, in which each document selects its phase by 'when', is not supported"
        raise RulesError(what, file=schema.origin.file, hint=_listed((*known, DEFAULT)))
    if chosen not in known:
        raise RulesError(f"unknown phase {chosen!r}", file=schema.origin.file, hint=_listed((*known, DEFAULT)))
    return str(chosen)


def active_patterns(
    schema: Element, patterns: Sequence[Pattern], phases: Sequence[Phase], chosen: str
) -> list[Pattern]:
    """Return the patterns that the chosen phase activates, in document order."""
    if chosen == ALL:
        return list(patterns)
    active = next(phase.active for phase in phases if phase.id == chosen)
    start = next(e.get("from") for e in schema.elements("phase") if e.get("id") == chosen)
    running = [pattern for pattern in patterns if pattern.id in active]
    return running if start is None else [_started_from(pattern, start) for pattern in running]


def _started_from(pattern: Pattern, start: str) -> Pattern:
    """Let the rules match only at or below the nodes where the phase starts (2025); other documents are not narrowed.

    Written as a predicate on the context, so that readers of the schema need no special case.
    """
    if pattern.documents is not None:
        return pattern
    inside = f"[ancestor-or-self::node() intersect root()/({start})]"
    return replace(pattern, rules=tuple(replace(rule, context=_with(rule.context, inside)) for rule in pattern.rules))


def _with(context: str, predicate: str) -> str:
    """Add a predicate to a match pattern; anything but `.[...]` (a union, a path) is put in parentheses first."""
    return context + predicate if context.lstrip().startswith(".") else f"({context}){predicate}"


def _phase(element: Element, patterns: Collection[str]) -> Phase:
    active = []
    for child in element.elements("active"):
        name = child.require("pattern").strip()
        if name not in patterns:
            hint = f"patterns: {', '.join(patterns)}" if patterns else "no pattern has an id"
            raise child.error(f"phase {element.get('id')!r} activates an unknown pattern {name!r}", hint=hint)
        active.append(name)
    return Phase(element.require("id"), tuple(active), read_lets(element), element.origin)


def _listed(phases: Sequence[str]) -> str:
    return f"use one of: {', '.join(phases)}"
