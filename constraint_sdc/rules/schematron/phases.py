"""Phases: which patterns are active."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from constraint_sdc.errors import RulesError
from constraint_sdc.model.schema import Pattern, Phase
from constraint_sdc.rules.schematron.element import Element
from constraint_sdc.rules.schematron.variables import read_lets

ALL = "#ALL"
DEFAULT = "#DEFAULT"
_ANY = "#ANY"


def read_phases(schema: Element, patterns: Collection[str]) -> tuple[Phase, ...]:
    """Read every phase; `patterns` are the ids of the concrete patterns that a phase may activate."""
    abstract = {p.get("id") for p in schema.elements("pattern", "group") if p.flag("abstract")}
    for active in (child for phase in schema.elements("phase") for child in phase.elements("active")):
        if active.require("pattern") in abstract:
            hint = "activate the patterns that are made from it"
            raise active.error(f"pattern {active.get('pattern')!r} is abstract, and has nothing to run", hint=hint)
    return tuple(_phase(element, patterns) for element in schema.elements("phase"))


def choose_phase(schema: Element, phases: Sequence[Phase], wanted: str | None) -> str:
    """Return the id of the phase to run, or #ALL; without a wish (or #DEFAULT) the schema's own default decides."""
    default = (schema.get("defaultPhase") or ALL).strip()
    known = (ALL, *(phase.id for phase in phases))
    if default not in known:
        raise schema.error(f"defaultPhase names an unknown phase {default!r}", hint=_listed(known))
    chosen = default if wanted in (None, DEFAULT) else wanted
    if chosen == _ANY:
        what = "the phase #ANY, which each document chooses by 'when', is not supported"
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

    Written as a predicate on the context, so that whoever reads the schema needs no further rule.
    """
    if pattern.documents is not None:
        return pattern
    inside = f"[ancestor-or-self::node() intersect root()/({start})]"
    return replace(pattern, rules=tuple(replace(rule, context=_with(rule.context, inside)) for rule in pattern.rules))


def _with(context: str, predicate: str) -> str:
    """Add a predicate to a match pattern: `.[...]` takes it as it is, anything else (a union, a path) in brackets."""
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
