"""A Schematron schema after loading: includes, extends and abstract patterns are resolved.

The loader builds it, the transpiler turns it into XSLT, the recogniser reads its tests. XPath stays text here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf
from typing import TypeAlias

from constraint_sdc.settings.reason import Reason

Severity: TypeAlias = OneOf["error", "warning", "information"]
Binding: TypeAlias = OneOf["xslt1", "xslt2", "xslt3"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something was written: file path and line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class TextPart:
    """Literal text of a message."""

    text: str


@dataclass(frozen=True, slots=True)
class ValuePart:
    """`<value-of select>`: a value from the document, hidden in reports unless the user asks for it."""

    select: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class NamePart:
    """`<name path>`: the name of the context node or of the node that `path` selects."""

    path: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class MarkupPart:
    """`<emph>`, `<dir>`, `<span>` or an element of another namespace, with its own parts inside.

    `name` is in Clark notation; `attributes` are name/value pairs.
    """

    name: str
    attributes: tuple[tuple[str, str], ...]
    parts: tuple[MessagePart, ...]


MessagePart: TypeAlias = TextPart | ValuePart | NamePart | MarkupPart


@dataclass(frozen=True, slots=True)
class Let:
    """A variable: `value` is XPath, or None when `content` (serialised XML) is its value; `type` is `@as`."""

    name: str
    value: str | None
    content: str | None
    type: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Note:
    """A diagnostic or property that assertions name by id; `attributes` are role, scheme, see, icon, fpi, lang."""

    id: str
    parts: tuple[MessagePart, ...]
    attributes: tuple[tuple[str, str], ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Notes:
    """Diagnostics and properties, of a schema or of one assertion."""

    diagnostics: tuple[Note, ...] = ()
    properties: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class LintExemption:
    """Codes of `rules lint` from which the author exempts a rule, and why."""

    codes: tuple[str, ...]
    why: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assert or report. `id` is unique in the schema; `has_own_id` tells whether the author wrote it.

    `severity` is decided as the standard orders it: @severity, else @role, else @flag, else error.
    `attributes` keeps every attribute as written (role, flag, severity, subject, see, icon, fpi ...); `xml:lang` is the
    nearest in scope.
    `may_be_idle` if the author says that the rule may check nothing in some files. `exemptions` are from findings about
    the rule itself, on it and on what is around it. `own_notes` take the place of the
    schema's notes of the same id, because parameters of an abstract pattern are put into them.
    """

    id: str
    has_own_id: bool
    kind: OneOf["assert", "report"]
    test: str
    parts: tuple[MessagePart, ...]
    severity: Severity
    diagnostics: tuple[str, ...]
    properties: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]
    origin: Origin
    may_be_idle: bool = False
    own_notes: Notes = field(default_factory=Notes)
    exemptions: tuple[LintExemption, ...] = ()

    def attribute(self, name: str) -> str | None:
        """Return an attribute as the author wrote it, or None."""
        return dict(self.attributes).get(name)


@dataclass(frozen=True, slots=True)
class Rule:
    """A context with its assertions; within a pattern the first rule that matches a node takes it."""

    id: str | None
    context: str
    lets: tuple[Let, ...]
    assertions: tuple[Assertion, ...]
    attributes: tuple[tuple[str, str], ...]
    origin: Origin

    def attribute(self, name: str) -> str | None:
        """Return an attribute as the author wrote it, or None."""
        return dict(self.attributes).get(name)


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, or (`is_group`) a 2025 group, in which every matching rule fires instead of the first."""

    id: str
    name: str
    documents: str | None
    is_group: bool
    lets: tuple[Let, ...]
    rules: tuple[Rule, ...]
    attributes: tuple[tuple[str, str], ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Phase:
    """A named selection of patterns, with variables of its own."""

    id: str
    active: tuple[str, ...]
    lets: tuple[Let, ...]
    origin: Origin


@dataclass(frozen=True, slots=True)
class Parameter:
    """A 2025 schema-level `<param>`: a value that may be given from outside."""

    name: str
    value: str | None
    type: str | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class Schema:
    """A flat schema. `patterns` holds those of the chosen phase only; `lets` the schema's, then the phase's own.

    `foreign` are serialised top-level XSLT elements (xsl:key, xsl:function, ...) with their line. `sha256` has the
    digest of each of `files`, of the bytes that were read. `warnings` are what users must be told of the schema.
    """

    title: str
    binding: Binding
    namespaces: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]
    lets: tuple[Let, ...]
    phase: str
    phases: tuple[Phase, ...]
    patterns: tuple[Pattern, ...]
    diagnostics: tuple[Note, ...]
    properties: tuple[Note, ...]
    foreign: tuple[tuple[str, Origin], ...]
    origin: Origin
    files: tuple[str, ...] = field(default=())
    sha256: tuple[str, ...] = field(default=())
    warnings: tuple[Reason, ...] = field(default=())
    attributes: tuple[tuple[str, str], ...] = field(default=())

    @property
    def is_xpath1(self) -> bool:
        """Tell whether tests follow XPath 1.0 comparison and arithmetic rules."""
        return self.binding == "xslt1"

    def diagnostics_of(self, assertion: Assertion) -> tuple[Note, ...]:
        """Return the diagnostics that an assertion names, in its order."""
        return _named(assertion.diagnostics, self.diagnostics, assertion.own_notes.diagnostics)

    def properties_of(self, assertion: Assertion) -> tuple[Note, ...]:
        """Return the properties that an assertion names, in its order."""
        return _named(assertion.properties, self.properties, assertion.own_notes.properties)

    def assertions(self) -> tuple[Assertion, ...]:
        """Return every assertion of the phase, in document order."""
        return tuple(a for pattern in self.patterns for rule in pattern.rules for a in rule.assertions)

    def mentions(self, variable: str) -> bool:
        """Tell whether `$variable` occurs anywhere in the schema, even in plain text."""
        return re.search(rf"\$\s*{re.escape(variable)}(?![\w.-])", repr(self)) is not None

    def only(self, ids: frozenset[str]) -> Schema:
        """Return the schema with these assertions alone.

        Every rule of an affected pattern stays, even without assertions: it still takes its nodes from later rules.
        With all assertions it is the schema itself, patterns without any included, so that rules keep their numbers.
        """
        if ids.issuperset(assertion.id for assertion in self.assertions()):
            return self
        patterns = []
        for pattern in self.patterns:
            if any(a.id in ids for rule in pattern.rules for a in rule.assertions):
                rules = tuple(
                    replace(rule, assertions=tuple(a for a in rule.assertions if a.id in ids)) for rule in pattern.rules
                )
                patterns.append(replace(pattern, rules=rules))
        return replace(self, patterns=tuple(patterns))

    def without_tests(self) -> Schema:
        """Return the schema with assertions that always hold: its contexts alone are left."""

        def bare(rule: Rule) -> Rule:
            held = (replace(a, kind="assert", test="true()", parts=(), diagnostics=()) for a in rule.assertions)
            return replace(rule, assertions=tuple(held))

        patterns = (replace(p, rules=tuple(map(bare, p.rules))) for p in self.patterns)
        return replace(self, patterns=tuple(patterns))


def _named(ids: tuple[str, ...], shared: tuple[Note, ...], own: tuple[Note, ...]) -> tuple[Note, ...]:
    by_id = {note.id: note for note in (*shared, *own)}
    return tuple(by_id[name] for name in ids if name in by_id)


# Numbers and plain quoted words in the rule are not microdata, so they are shown unchanged.
_CONSTANT = re.compile(r"""['"]?((?<=['"])[^'"]*(?=['"])|-?[0-9]+(?:\.[0-9]+)?)['"]?""")
_NAME = re.compile(r"(?:[^\W\d][\w.-]*:)?([^\W\d][\w.-]*)")


def _local(path: str | None) -> str | None:
    """Return the name that a path of one plain step selects."""
    step = _NAME.fullmatch(path.strip()) if path else None
    return step.group(1) if step else None


def hidden_message(parts: tuple[MessagePart, ...]) -> str:
    """Return the message with names in place of microdata values, white space collapsed.

    >>> hidden_message((TextPart("sum of "), ValuePart("V9", Origin("a.sch", 1)), TextPart(" is off")))
    'sum of [V9] is off'
    >>> hidden_message((NamePart("c:V3", Origin("a.sch", 1)), TextPart(" < "), ValuePart("'0'", Origin("a.sch", 1))))
    'V3 < 0'
    """
    return " ".join("".join(_hidden(part) for part in parts).split())


def _hidden(part: MessagePart) -> str:
    match part:
        case TextPart(text):
            return text
        case ValuePart(select):
            constant = _CONSTANT.fullmatch(select.strip())
            return constant.group(1) if constant else f"[{' '.join(select.split())}]"
        case NamePart(path):
            return _local(path) or "[name]"
        case MarkupPart(_, _, parts):
            return "".join(_hidden(inner) for inner in parts)
