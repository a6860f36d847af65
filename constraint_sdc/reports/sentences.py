"""The sentence of every reason: the one place where codes of `settings/reason_codes.py` become words.

A sentence is a template whose fields are the code's parameters, or a function of them. Several names are joined by
commas, and a reason inside a reason is worded first. The sentences themselves stand with what they are about. An
operator, masker, measure or attack of another distribution brings its own codes and sentences, as a mapping
`sentences`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from constraint_sdc.reports.evidence_text import EVIDENCE_SENTENCES
from constraint_sdc.reports.idle_text import IDLE_SENTENCES
from constraint_sdc.reports.lint.lint_sentences import LINT_SENTENCES
from constraint_sdc.reports.masking.masking_sentences import MASKING_SENTENCES
from constraint_sdc.reports.note_sentences import NOTE_SENTENCES, Sentence
from constraint_sdc.settings.reason import FOREIGN, Param, Reason, is_reason_json, reason_from_json


def sentence(reason: Reason) -> str:
    """Return the reason as a sentence; a code without a sentence is shown as a code.

    >>> from constraint_sdc.settings.reason import because
    >>> sentence(because("groups-of-correlated", size=3))
    'no rule ties them; groups of 3, most correlated together'
    """
    known = SENTENCES if FOREIGN not in reason.code else brought_sentences()
    if reason.code not in known:
        return str(reason)
    words: dict[str, Any] = {name: _worded(value) for name, value in reason.params}
    words.update(reason.quoted)
    form = known[reason.code]
    if callable(form):
        return form(**words)
    return form.format(**{name: _joined(word) for name, word in words.items()})


def sentences(reasons: Iterable[Reason]) -> list[str]:
    """Return every reason in words."""
    return [sentence(reason) for reason in reasons]


def worded(said: str | Reason) -> str:
    """Return a sentence that may be given as its reason."""
    return sentence(said) if isinstance(said, Reason) else said


def brought_sentences() -> dict[str, Sentence]:
    """Return the sentences that operators, maskers, measures and attacks of other distributions bring with them."""
    # Only a reason of another distribution needs the registries, which load much.
    from constraint_sdc.maskers.registry import MASKERS
    from constraint_sdc.measures.registry import MEASURES
    from constraint_sdc.operators.registry import OPERATORS

    members: list[object] = [
        *OPERATORS.loadable_others(),
        *MASKERS.loadable_others(),
        *MEASURES.loadable_others(),
    ]
    return {code: form for member in members for code, form in getattr(member, "sentences", {}).items()}


def _worded(value: Param) -> object:
    """Return a parameter with the reasons inside it as sentences."""
    if isinstance(value, Reason):
        return sentence(value)
    return [_worded(item) for item in value] if isinstance(value, tuple) else value


def _joined(word: object) -> object:
    return ", ".join(map(str, word)) if isinstance(word, list) else word


# JSON for readers: every reason together with its sentence, under two keys.

_SPOKEN = {
    "reason": "because",
    "strategy_reason": "strategy",
    "partition_reason": "partition",
    "what_reason": "what",
    "condition_reasons": "conditions",
    "derivation_reasons": "derivations",
    "assumption_reasons": "assumptions",
    "warning_reasons": "warnings",
    "not_promised_reasons": "not_promised",
    "note_reasons": "notes",
    "missed_reasons": "missed",
    "evidence_reasons": "evidence",
}


def with_sentences(content: Any) -> Any:
    """Return JSON content with the sentence of every reason before it."""
    if isinstance(content, list):
        return [with_sentences(item) for item in content]
    if not isinstance(content, dict):
        return content
    found: dict[str, Any] = {}
    for name, value in content.items():
        if name in _SPOKEN and is_reason_json(value):
            found |= {_SPOKEN[name]: sentence(reason_from_json(value)), name: value}
        elif name in _SPOKEN and isinstance(value, list):
            found |= {_SPOKEN[name]: [sentence(reason_from_json(one)) for one in value], name: value}
        else:
            found[name] = with_sentences(value)
    return found


SENTENCES: dict[str, Sentence] = {
    **MASKING_SENTENCES,
    **NOTE_SENTENCES,
    **IDLE_SENTENCES,
    **EVIDENCE_SENTENCES,
    **LINT_SENTENCES,
    "idle-allowed": lambda rule, reasons: f"rule {rule} is idle, which is allowed: {'; '.join(reasons)}",
}
"""The sentence of every code."""
