"""Why a rule is idle, in words; apart from the other sentences, so that a report of `check` loads no masker."""

from __future__ import annotations

from collections.abc import Callable

from constraint_sdc.settings.reason import Reason


def idle_sentence(reason: Reason) -> str:
    """Return a reason why a rule is idle as a sentence."""
    form = IDLE_SENTENCES[reason.code]
    words = {name: list(value) if isinstance(value, tuple) else value for name, value in reason.params}
    return form(**words) if callable(form) else form.format(**words)


_OF_SDMX = ("Obs", "Series")


def _idle_name(name: str, where: str, nearest: str | None, elsewhere: bool, known: list[str]) -> str:
    part = f"its {where}" if not where.startswith("$") else f"the variable {where}"
    absent = "which is never where it is looked for" if elsewhere else "which does not occur in the file"
    if nearest is not None:
        hint = f" (nearest name: {nearest})"
    else:
        hint = f" (records have: {', '.join(known)})" if known and not elsewhere else ""
    if nearest is None and name.rpartition("}")[2] in _OF_SDMX:
        hint = " (rows are Record in rules about tables; --sdmx elements reads the elements of a message of SDMX-ML)"
    return f"{part} names {name}, {absent}{hint}"


def _taken(may_be_taken: bool) -> str:
    return ", or earlier rules of the pattern take them all" if may_be_taken else ""


IDLE_SENTENCES: dict[str, str | Callable[..., str]] = {
    "idle-name": _idle_name,
    "idle-shadowed": "the rule at line {line} of the same pattern (context {context}) takes every node of its context",
    "idle-taken": "earlier rules of the pattern take every node of its context",
    "idle-condition": lambda may_be_taken: "no node satisfies the condition of its context" + _taken(may_be_taken),
    "idle-path": lambda may_be_taken: "no node is where its context looks for one" + _taken(may_be_taken),
    "idle-documents": "its context matches nothing in the documents of the pattern",
}
"""The sentence of every such code."""
