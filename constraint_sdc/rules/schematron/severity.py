"""How serious a finding is: @severity, else @role, else @flag; the assertion's own words before its rule's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from constraint_sdc.model.schema import Let, Severity
from constraint_sdc.rules.schematron.element import Element

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


def decide_severity(levels: Iterable[Element], lets: Iterable[Let]) -> Severity:
    """Return the first severity word found, asking each level (assertion, rule, pattern) in turn; error by default.

    A word that is not a severity (`role="title-check"`) is no answer, and the next place is asked. A word may be a
    variable (2025: `role="$level"`, set by the phase); `lets` are those in scope, the innermost last, and one whose
    value is a plain text is understood.
    """
    texts = {let.name: _plain_text(let) for let in lets}
    for element in levels:
        for name in ("severity", "role", "flag"):
            word = _spelt_out((element.get(name) or "").strip(), texts).lower()
            if word in _WORDS:
                return _WORDS[word]
    return "error"


def _spelt_out(word: str, texts: Mapping[str, str]) -> str:
    return texts.get(word[1:], "") if word.startswith("$") else word


def _plain_text(let: Let) -> str:
    """Return the text of a quoted string, or of content without markup; "" for anything that must be computed."""
    if let.value is None:
        return (let.content or "").strip()
    value = let.value.strip()
    is_quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"" and value[0] not in value[1:-1]
    return value[1:-1].strip() if is_quoted else ""
