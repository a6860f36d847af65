"""Changes of a goal signal as a recipe writes them: Chertov and Tavrov, Data group anonymity in microfiles, table 2.

All names are texts as in the recipe; they become places of a signal when a file is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never
from typing import Literal as OneOf


@dataclass(frozen=True, slots=True)
class MovedExtremum:
    """Swap the values at two places of the signal, which moves the peak."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class AddedExtremum:
    """Add a false peak at a place; a height of None stands for the highest value of the signal."""

    at: str
    height: float | None = None


@dataclass(frozen=True, slots=True)
class ChangedApproximation:
    """Change the wavelet approximation at a level (reversed, flat, or these coefficients) and keep the details."""

    wavelet: str
    level: int
    approximation: OneOf["reverse", "flat"] | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class GivenSignal:
    """The signal itself, a number for every value of the parameter."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class ChangedTrend:
    """Multiply the polynomial trend of a degree by a factor, or replace it by one with these coefficients."""

    degree: int = 1
    factor: float | None = None
    coefficients: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Within:
    """A part of the signal: from one value of the parameter to another, both included."""

    first: str
    last: str


@dataclass(frozen=True, slots=True)
class ChangedPeriod:
    """Give the part of the signal that repeats itself another period."""

    source: int
    target: int
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class ChangedAmplitude:
    """Multiply what repeats itself in the signal by a factor; without a period, all distances from the mean."""

    factor: float
    period: int | None = None
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class AddedCycle:
    """Add a wave of a period and a height, with a crest at a place."""

    period: int
    height: float
    at: str
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class ChangedStatistics:
    """Give the parameter another mean or standard deviation among the vital records."""

    mean: float | None = None
    deviation: float | None = None


Change: TypeAlias = (
    MovedExtremum
    | AddedExtremum
    | ChangedApproximation
    | GivenSignal
    | ChangedTrend
    | ChangedPeriod
    | ChangedAmplitude
    | AddedCycle
    | ChangedStatistics
)


def named_values(change: Change) -> dict[str, str]:
    """Return the values of the parameter that a change names, by their place in its entry."""
    match change:
        case MovedExtremum(source, target):
            return {"from": source, "to": target}
        case AddedExtremum(at):
            return {"at": at}
        case AddedCycle(at=at, within=within):
            return {"at": at, **_ends(within)}
        case ChangedPeriod(within=within) | ChangedAmplitude(within=within):
            return _ends(within)
        case _:
            return {}


def _ends(within: Within | None) -> dict[str, str]:
    return {} if within is None else {"within from": within.first, "within to": within.last}


def kind_of(change: Change) -> str:
    """Return the word of a change in a recipe."""
    return next(iter(change_to_json(change)))


def change_from_json(entry: Mapping[str, Any]) -> Change:
    """Return a change from an entry of a recipe."""
    ((kind, told),) = entry.items()
    within = Within(str(told["within"]["from"]), str(told["within"]["to"])) if "within" in told else None
    match kind:
        case "move":
            return MovedExtremum(str(told["from"]), str(told["to"]))
        case "add":
            return AddedExtremum(str(told["at"]), _float(told, "height"))
        case "wavelet":
            wish = told.get("approximation", "reverse")
            if not isinstance(wish, str):
                wish = tuple(float(number) for number in wish)
            return ChangedApproximation(told.get("wavelet", "haar"), told.get("level", 1), wish)
        case "signal":
            return GivenSignal(tuple(float(number) for number in told))
        case "trend":
            given = tuple(float(number) for number in told["coefficients"]) if "coefficients" in told else None
            return ChangedTrend(told.get("degree", 1), _float(told, "factor"), given)
        case "period":
            return ChangedPeriod(told["from"], told["to"], within)
        case "amplitude":
            return ChangedAmplitude(float(told["factor"]), told.get("period"), within)
        case "cycle":
            return AddedCycle(told["period"], float(told["height"]), str(told["at"]), within)
        case "statistics":
            return ChangedStatistics(_float(told, "mean"), _float(told, "deviation"))
    raise ValueError(f"unknown change {kind!r}: the recipe's schema lists the changes")


def _float(told: Mapping[str, Any], entry: str) -> float | None:
    return float(told[entry]) if entry in told else None


def change_to_json(change: Change) -> dict[str, object]:
    """Return a change in the form of a recipe; numbers with a point are texts."""
    match change:
        case MovedExtremum(source, target):
            return {"move": {"from": source, "to": target}}
        case AddedExtremum(at, height):
            return {"add": {"at": at, **_said("height", height)}}
        case ChangedApproximation(wavelet, level, approximation):
            wish = approximation if isinstance(approximation, str) else [repr(number) for number in approximation]
            return {"wavelet": {"wavelet": wavelet, "level": level, "approximation": wish}}
        case GivenSignal(values):
            return {"signal": [repr(number) for number in values]}
        case ChangedTrend(degree, factor, coefficients):
            given = {} if coefficients is None else {"coefficients": [repr(number) for number in coefficients]}
            return {"trend": {"degree": degree, **_said("factor", factor), **given}}
        case ChangedPeriod(source, target, within):
            return {"period": {"from": source, "to": target, **_within(within)}}
        case ChangedAmplitude(factor, period, within):
            return {"amplitude": {"factor": repr(factor), **_whole("period", period), **_within(within)}}
        case AddedCycle(period, height, at, within):
            return {"cycle": {"period": period, "height": repr(height), "at": at, **_within(within)}}
        case ChangedStatistics(mean, deviation):
            return {"statistics": {**_said("mean", mean), **_said("deviation", deviation)}}
    assert_never(change)


def _said(name: str, number: float | None) -> dict[str, object]:
    return {} if number is None else {name: repr(number)}


def _whole(name: str, number: int | None) -> dict[str, object]:
    return {} if number is None else {name: number}


def _within(within: Within | None) -> dict[str, object]:
    return {} if within is None else {"within": {"from": within.first, "to": within.last}}


# The changes as JSON schema.

TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
WORD: dict[str, Any] = {"type": ["integer", "string"]}
NUMBER: dict[str, Any] = {**WORD, "pattern": "^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}
POSITIVE: dict[str, Any] = {**WORD, "pattern": "^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$", "minimum": 0}
_PERIOD: dict[str, Any] = {"type": "integer", "minimum": 2}
MOST_DEGREE = 9


def _entry(description: str, properties: dict[str, Any], required: tuple[str, ...] = ()) -> dict[str, Any]:
    asked = {"required": list(required)} if required else {}
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        **asked,
        "properties": properties,
    }


_WITHIN = _entry("A part of the signal, both ends included.", {"from": WORD, "to": WORD}, ("from", "to"))

CHANGES: dict[str, Any] = {
    "move": _entry("Two values of the signal are exchanged.", {"from": WORD, "to": WORD}, ("from", "to")),
    "add": _entry("A false peak.", {"at": WORD, "height": NUMBER}, ("at",)),
    "wavelet": _entry(
        "Another wavelet approximation; the details are kept.",
        {
            "wavelet": TEXT,
            "level": {"type": "integer", "minimum": 1},
            "approximation": {
                "if": {"type": "string"},
                "then": {"enum": ["reverse", "flat"]},
                "else": {"type": "array", "items": NUMBER, "minItems": 1},
            },
        },
    ),
    "signal": {
        "description": "The signal itself, a number for every value of the parameter.",
        "type": "array",
        "items": NUMBER,
        "minItems": 2,
    },
    "trend": _entry(
        "Another polynomial trend; the distances from the trend are kept.",
        {
            "degree": {"type": "integer", "minimum": 1, "maximum": MOST_DEGREE},
            "factor": NUMBER,
            "coefficients": {"type": "array", "items": NUMBER, "minItems": 1, "maxItems": MOST_DEGREE},
        },
    ),
    "period": _entry(
        "Another period of what repeats itself.", {"from": _PERIOD, "to": _PERIOD, "within": _WITHIN}, ("from", "to")
    ),
    "amplitude": _entry(
        "Another amplitude of what repeats itself, or of the whole signal.",
        {"factor": NUMBER, "period": _PERIOD, "within": _WITHIN},
        ("factor",),
    ),
    "cycle": _entry(
        "A wave is added.",
        {"period": _PERIOD, "height": NUMBER, "at": WORD, "within": _WITHIN},
        ("period", "height", "at"),
    ),
    "statistics": _entry(
        "Another mean or standard deviation of the parameter among the vital records.",
        {"mean": NUMBER, "deviation": POSITIVE},
    ),
}
