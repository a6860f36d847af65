"""What `rules discover` found, as text and JSON."""

from __future__ import annotations

from collections import Counter

from constraint_sdc import __version__
from constraint_sdc.discovery.proposal import Discovery, Proposal
from constraint_sdc.files.json_file import json_text
from constraint_sdc.reports.check.wording import counted, number
from constraint_sdc.reports.discovered_rules import proposal_label
from constraint_sdc.reports.terminal import align, clean, clipped

SCHEMA = "constraint-sdc/discovery"
SCHEMA_VERSION = 1


def discovery_line(found: Discovery) -> str:
    """Return what was found in one line."""
    kinds = Counter(one.kind for one in found.proposals)
    said = ", ".join(f"{number(count)} {kind}" for kind, count in kinds.items())
    return f"{counted(len(found.proposals), 'rule')} proposed{': ' + said if said else ''}"


def discovery_notes(found: Discovery) -> list[str]:
    """Return what readers must know."""
    notes = [
        f"searched in {counted(found.searched, 'record')}, tested on {counted(found.kept, 'record')} kept aside",
        f"not proposed: {number(found.refuted)} that fail on some record, {number(found.unsurprising)} that a permuted "
        f"file satisfies too, {number(found.implied)} that follow from others",
    ]
    stating = [one.id for one in found.proposals if one.states_values]
    if stating:
        notes.append(
            f"{counted(len(stating), 'rule')} with thresholds, rounded extremes or lists of values of the data: "
            "read them before you publish the rules"
        )
    broken = [one for one in found.proposals if one.exceptions]
    if broken:
        notes.append(
            f"{counted(len(broken), 'rule')} with exceptions, at most {100 * found.allowed:g}% of the "
            "records: they are written as warnings; are the exceptions errors, or is the rule wrong?"
        )
    if not found.kept:
        notes.append("no record was kept aside: nothing but the search itself supports the rules")
    return [*notes, *(f"not written: {name}: {why}" for name, why in found.unwritten)]


def render_discovery_text(found: Discovery) -> str:
    """Return the report as plain text."""
    lines = [discovery_line(found), ""]
    rows = [("rule", "says", "searched", "kept aside", "exceptions", "surprise"), *map(_cells, found.proposals)]
    if not found.allowed:
        rows = [(*row[:4], row[5]) for row in rows]
    lines += align(rows, right=(2, 3, 4, 5)) if found.proposals else []
    lines += ["", *(f"note: {note}" for note in discovery_notes(found))]
    return "\n".join(lines) + "\n"


def _cells(one: Proposal) -> tuple[str, ...]:
    bits = one.candidate.bits
    surprise = "" if bits is None else f"{number(round(bits))} bits"
    counts = map(number, (one.searched, one.kept, one.exceptions))
    return (clean(one.id), clipped(clean(proposal_label(one)), 70), *counts, surprise)


def render_discovery_json(found: Discovery) -> str:
    """Return the report as JSON under schemas/discovery.schema.json."""
    return json_text(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "tool": {"name": "constraint-sdc", "version": __version__},
            "data": {"file": found.data, "records": found.records},
            "searched": found.searched,
            "kept": found.kept,
            "seed": found.seed,
            "left_out": {"refuted": found.refuted, "unsurprising": found.unsurprising, "implied": found.implied},
            "rules": [_rule(one) for one in found.proposals],
            "notes": discovery_notes(found),
        }
    )


def _rule(one: Proposal) -> dict[str, object]:
    return {
        "id": one.id,
        "kind": one.kind,
        "says": proposal_label(one),
        "variables": list(one.candidate.variables),
        "searched": one.searched,
        "kept": one.kept,
        "exceptions": one.exceptions,
        "surprise_bits": None if one.candidate.bits is None else round(one.candidate.bits, 3),
        "states_values": one.states_values,
    }
