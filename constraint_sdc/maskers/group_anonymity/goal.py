"""Goals of group anonymity: which signal to change, and how (Chertov and Tavrov, Data group anonymity).

All names and conditions are texts as in the recipe; they become numbers when a file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from constraint_sdc.maskers.group_anonymity.goal_changes import (
    CHANGES,
    POSITIVE,
    TEXT,
    WORD,
    Change,
    change_from_json,
    change_to_json,
)
from constraint_sdc.settings.words import Scale


class SignalKind(Enum):
    """What is counted for every value of the parameter."""

    QUANTITY = "quantity"  # vital records
    CONCENTRATION = "concentration"  # vital records over those of the base
    DIFFERENCE = "concentration difference"  # the concentration less that of another vital set


@dataclass(frozen=True, slots=True)
class VitalSet:
    """A condition for vital records (docs/measures/subdomains.md) and for the base of comparison; None means all."""

    vital: str
    base: str | None = None


@dataclass(frozen=True, slots=True)
class Goal:
    """One signal over the values of `parameter`, and its changes, in their order.

    `order` are the parameter's values from left to right; empty means sorted as numbers, or as texts. With
    `normalise` the changed signal gets the mean and standard deviation of the original (formula 5 of the paper).
    `threshold` is the most that its swaps may distort, `weight` what its distortion counts in that of all goals.
    """

    parameter: str
    group: VitalSet
    signal: SignalKind = SignalKind.QUANTITY
    against: VitalSet | None = None
    order: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    normalise: bool = False
    weight: float = 1.0
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Influential:
    """A variable in which the records of a swap should agree: its weight, and how differences are measured.

    Numbers and ordinal codes are compared by their relative difference; categories cost `same` or `different`.
    """

    name: str
    weight: float = 1.0
    scale: Scale | None = None
    same: float = 0.0
    different: float = 1.0


# Goals and influential variables as JSON values: in recipes, plans and certificates alike.


def goal_from_json(entry: Mapping[str, Any]) -> Goal:
    """Return the goal from an entry of a recipe."""
    against = entry.get("against")
    return Goal(
        parameter=entry["parameter"],
        group=VitalSet(entry["vital"], entry.get("base")),
        signal=SignalKind(entry.get("signal", SignalKind.QUANTITY.value)),
        against=None if against is None else VitalSet(against["vital"], against.get("base")),
        order=tuple(str(value) for value in entry.get("order", ())),
        changes=tuple(change_from_json(change) for change in entry.get("change", ())),
        normalise=entry.get("normalise", False),
        weight=float(entry.get("weight", 1)),
        threshold=float(entry["threshold"]) if "threshold" in entry else None,
    )


def goal_to_json(goal: Goal) -> dict[str, object]:
    """Return a goal in the form of a recipe; numbers with a point are texts."""
    entry: dict[str, object] = {"parameter": goal.parameter, **_set_to_json(goal.group), "signal": goal.signal.value}
    if goal.against is not None:
        entry["against"] = _set_to_json(goal.against)
    if goal.order:
        entry["order"] = list(goal.order)
    entry["change"] = [change_to_json(change) for change in goal.changes]
    if goal.normalise:
        entry["normalise"] = True
    if goal.weight != 1.0:
        entry["weight"] = repr(goal.weight)
    if goal.threshold is not None:
        entry["threshold"] = repr(goal.threshold)
    return entry


def _set_to_json(group: VitalSet) -> dict[str, object]:
    return {"vital": group.vital, **({} if group.base is None else {"base": group.base})}


def influential_from_json(entry: Mapping[str, Any]) -> Influential:
    """Return the influential variable from an entry of a recipe."""
    return Influential(
        name=entry["variable"],
        weight=float(entry.get("weight", 1)),
        scale=Scale(entry["type"]) if "type" in entry else None,
        same=float(entry.get("same", 0)),
        different=float(entry.get("different", 1)),
    )


def influential_to_json(one: Influential) -> dict[str, object]:
    """Return an influential variable in the form of a recipe."""
    entry: dict[str, object] = {"variable": one.name, "weight": repr(one.weight)}
    if one.scale is not None:
        entry["type"] = one.scale.value
    if one.scale in (None, Scale.NOMINAL):
        entry |= {"same": repr(one.same), "different": repr(one.different)}
    return entry


# The goals of group anonymity as a recipe writes them, as JSON schema.


def _text(description: str) -> dict[str, Any]:
    return {"description": description, **TEXT}


GOALS: dict[str, Any] = {
    "description": "the signals to change.",
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["parameter", "vital", "change"],
        "properties": {
            "parameter": _text("Variable whose values are swapped."),
            "vital": _text("Condition that a record of the group satisfies."),
            "base": _text("Condition of the records that the group is compared with; default: all."),
            "signal": {"enum": ["quantity", "concentration", "concentration difference"]},
            "against": {
                "description": "The other group of a concentration difference.",
                "type": "object",
                "additionalProperties": False,
                "required": ["vital"],
                "properties": {
                    "vital": _text("Condition that a record of the group satisfies."),
                    "base": _text("Condition of the records that the group is compared with; default: all."),
                },
            },
            "order": {
                "description": "The parameter's values from left to right; default: numbers by size, else texts.",
                "type": "array",
                "items": WORD,
                "minItems": 2,
                "uniqueItems": True,
            },
            "change": {
                "description": "What is done to the signal, in this order.",
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "minProperties": 1,
                    "maxProperties": 1,
                    "properties": CHANGES,
                },
            },
            "weight": {"description": "How much its distortion counts in the total; default: 1.", **POSITIVE},
            "threshold": {"description": "The most distortion of its swaps; default: no bound.", **POSITIVE},
            "normalise": {
                "description": "Give the changed signal the mean and standard deviation of the original.",
                "type": "boolean",
            },
        },
    },
}

INFLUENTIAL: dict[str, Any] = {
    "description": "variables in which the two records of a swap should agree.",
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "additionalProperties": False,
        "required": ["variable"],
        "properties": {
            "variable": TEXT,
            "weight": {"description": "How much it counts; default: 1.", **POSITIVE},
            "type": {"enum": ["numeric", "ordinal", "nominal"]},
            "same": {"description": "What equal categories count; default: 0.", **POSITIVE},
            "different": {"description": "What different categories count; default: 1.", **POSITIVE},
        },
    },
}
