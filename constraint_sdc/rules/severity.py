"""How serious a finding is: @severity, else @role, else @flag; the assertion's own words before its rule's."""

from __future__ import annotations

from collections.abc import Iterable

from constraint_sdc.model.schema import Severity
from constraint_sdc.rules.element import Element

_WORDS: dict[str, Severity] = {
    "fatal": "error",
    "error": "error",
    "warning": "warning",
    "warn": "warning",
    "caution": "warning",
    "information": "information",
    "info": "information",
    "informational": "information",
    "hint": "information",
    "notice": "information",
}


def decide_severity(levels: Iterable[Element]) -> Severity:
    """Return the first severity word found, asking each level (assertion, rule, pattern) in turn; error by default.

    A word that is not a severity (`role="title-check"`) is no answer, and the next place is asked.
    """
    for element in levels:
        for name in ("severity", "role", "flag"):
            word = (element.get(name) or "").strip().lower()
            if word in _WORDS:
                return _WORDS[word]
    return "error"
