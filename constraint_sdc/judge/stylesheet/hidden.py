"""A schema whose report contains no value of the data: what would compute a text is replaced by what the author wrote.

Contexts, tests and variables stay, so the findings are the same. `svrl_report` hides what is left: texts of errors, and
the order in which rules fire.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from constraint_sdc.judge.stylesheet.sheet import quoted
from constraint_sdc.schematron.patterns import plain_text
from constraint_sdc.schematron.schema import (
    Assertion,
    Let,
    MarkupPart,
    MessagePart,
    NamePart,
    Note,
    Notes,
    Pattern,
    Rule,
    Schema,
    TextPart,
    ValuePart,
    hidden_message,
)
from constraint_sdc.schematron.xslt import xslt_name

_HIDDEN = TextPart("[hidden]")
_LEVELS = ("role", "flag", "severity")


def without_values(schema: Schema) -> Schema:
    """Return the schema with messages, diagnostics, properties and levels that depend on no value."""
    lets = schema.lets + tuple(Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters)
    return replace(
        schema,
        patterns=tuple(_pattern(pattern, lets) for pattern in schema.patterns),
        diagnostics=_notes(schema.diagnostics),
        properties=_notes(schema.properties),
    )


def _pattern(pattern: Pattern, lets: tuple[Let, ...]) -> Pattern:
    inner = lets + pattern.lets
    rules = tuple(_rule(rule, inner) for rule in pattern.rules)
    return replace(pattern, rules=rules, attributes=_levels(pattern.attributes, inner))


def _rule(rule: Rule, lets: tuple[Let, ...]) -> Rule:
    inner = lets + rule.lets
    assertions = tuple(_assertion(assertion, inner) for assertion in rule.assertions)
    return replace(rule, assertions=assertions, attributes=_levels(rule.attributes, inner))


def _assertion(assertion: Assertion, lets: tuple[Let, ...]) -> Assertion:
    own = Notes(_notes(assertion.own_notes.diagnostics), _notes(assertion.own_notes.properties))
    return replace(
        assertion,
        parts=tuple(_parts(assertion.parts)),
        attributes=_levels(assertion.attributes, lets),
        own_notes=own,
    )


def _notes(notes: tuple[Note, ...]) -> tuple[Note, ...]:
    return tuple(
        replace(note, parts=tuple(_parts(note.parts)), attributes=_levels(note.attributes, ())) for note in notes
    )


def _parts(parts: tuple[MessagePart, ...]) -> Iterator[MessagePart]:
    """Yield message parts that are constant; the name of the node itself stays, because its location says it too."""
    for part in parts:
        match part:
            case TextPart() | NamePart(None):
                yield part
            case ValuePart() | NamePart():
                yield TextPart(hidden_message((part,)))
            case MarkupPart(name) if xslt_name(name) not in ("", "text"):
                yield _HIDDEN
            case MarkupPart():
                yield replace(part, parts=tuple(_parts(part.parts)))
            case _:
                assert_never(part)


def _levels(attributes: tuple[tuple[str, str], ...], lets: Iterable[Let]) -> tuple[tuple[str, str], ...]:
    """Return attributes whose computed levels have the author's own text as value."""
    texts = {let.name: plain_text(let) for let in lets}
    return tuple((name, _level(value, texts) if name in _LEVELS else value) for name, value in attributes)


def _level(value: str, texts: dict[str, str | None]) -> str:
    word = value.strip()
    known = texts.get(word[1:]) if word.startswith("$") else None
    is_computed = word.startswith("$") or "{" in word or "}" in word
    return f"{{{quoted(word if known is None else known)}}}" if is_computed else value
