"""Phases: which patterns are active."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from constraint_sdc.errors import RulesError
from constraint_sdc.model.schema import Phase
from constraint_sdc.rules.element import Element
from constraint_sdc.rules.variables import read_lets

ALL = "#ALL"
DEFAULT = "#DEFAULT"
_ANY = "#ANY"


def read_phases(schema: Element, patterns: Collection[str]) -> tuple[Phase, ...]:
    """Read every phase; `patterns` are the ids of the concrete patterns that a phase may activate."""
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
    _check_from(schema, chosen)
    if chosen not in known:
        raise RulesError(f"unknown phase {chosen!r}", file=schema.origin.file, hint=_listed((*known, DEFAULT)))
    return str(chosen)


def _check_from(schema: Element, chosen: str | None) -> None:
    for phase in schema.elements("phase"):
        if phase.get("id") == chosen and "from" in phase.attributes:
            # Leaving it out would judge more nodes than the author meant.
            raise phase.error(f"phase {chosen!r} starts 'from' a part of the document, which is not supported")


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
