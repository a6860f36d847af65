"""The goals of group anonymity as a recipe writes them, as JSON schema."""

from __future__ import annotations

from typing import Any

_TEXT: dict[str, Any] = {"type": "string", "minLength": 1}
_WORD: dict[str, Any] = {"type": ["integer", "string"]}
_NUMBER: dict[str, Any] = {**_WORD, "pattern": "^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$"}
_POSITIVE: dict[str, Any] = {**_WORD, "pattern": "^[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?$", "minimum": 0}


def _text(description: str) -> dict[str, Any]:
    return {"description": description, **_TEXT}


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
                "items": _WORD,
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
                    "properties": {
                        "move": {
                            "description": "Two values of the signal are exchanged.",
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["from", "to"],
                            "properties": {"from": _WORD, "to": _WORD},
                        },
                        "add": {
                            "description": "A false peak.",
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["at"],
                            "properties": {"at": _WORD, "height": _NUMBER},
                        },
                        "wavelet": {
                            "description": "Another wavelet approximation; the details are kept.",
                            "type": "object",
                            "additionalProperties": False,
                            "properties": {
                                "wavelet": _TEXT,
                                "level": {"type": "integer", "minimum": 1},
                                "approximation": {
                                    "if": {"type": "string"},
                                    "then": {"enum": ["reverse", "flat"]},
                                    "else": {"type": "array", "items": _NUMBER, "minItems": 1},
                                },
                            },
                        },
                        "signal": {
                            "description": "The signal itself, a number for every value of the parameter.",
                            "type": "array",
                            "items": _NUMBER,
                            "minItems": 2,
                        },
                    },
                },
            },
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
            "variable": _TEXT,
            "weight": {"description": "How much it counts; default: 1.", **_POSITIVE},
            "type": {"enum": ["numeric", "ordinal", "nominal"]},
            "same": {"description": "What equal categories count; default: 0.", **_POSITIVE},
            "different": {"description": "What different categories count; default: 1.", **_POSITIVE},
        },
    },
}
