"""What an XPath expression can see while it is translated: the context node, the variables, other documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from constraint_sdc.model.expression import Expression, Outside, Variable
from constraint_sdc.rules.syntax import NotUnderstood


@dataclass(frozen=True, slots=True)
class Here:
    """The record element itself."""


@dataclass(frozen=True, slots=True)
class AtRoot:
    """The document node of the data: where pattern and schema variables are evaluated."""


@dataclass(frozen=True, slots=True)
class Document:
    """The root of another document; `href` as in `Outside`."""

    href: str | None


Place: TypeAlias = Here | AtRoot | Document
Value: TypeAlias = Expression | Place

_MOST_REPEATS = 1000


class RefusedError(Exception):
    """Carries a `NotUnderstood` up to the public function, which returns it as a value."""

    def __init__(self, reason: str, text: str = "") -> None:
        self.answer = NotUnderstood(reason, text)
        super().__init__(str(self.answer))


@dataclass(frozen=True, slots=True)
class Scope:
    """The static and dynamic context of one expression.

    `focus` is what the dot means; None inside another document, where only `current()` leads back to the record.
    `present` are variables known to exist where the expression is evaluated. `keys` are the schema's xsl:key
    declarations as paths without a document yet, for `key()` into another document. `given` are variables whose value
    the command line gives, wherever they are declared.
    """

    focus: Value | None
    current: Value | None
    base: str
    variables: Mapping[str, Value | NotUnderstood] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    keys: Mapping[str, Outside] = field(default_factory=dict)
    repeats: int = 1
    given: frozenset[str] = frozenset()

    def at(self, focus: Value | None) -> Scope:
        """Return the scope with another context item; a variable that is the context item exists."""
        present = self.present | {focus.name} if isinstance(focus, Variable) else self.present
        return replace(self, focus=focus, present=present)

    def repeated(self, times: int, text: str) -> Scope:
        """Return the scope inside an iteration; nested iterations multiply."""
        if self.repeats * times > _MOST_REPEATS:
            raise RefusedError("goes through too many combinations", text)
        return replace(self, repeats=self.repeats * max(times, 1))

    def bind(self, name: str, value: Value) -> Scope:
        """Return the scope with one more variable."""
        return replace(self, variables={**self.variables, name: value})


def record_scope(base: str, *, variable: str | None = None) -> Scope:
    """Return the scope of a rule whose context is the record, or one variable of it."""
    focus: Value = Here() if variable is None else Variable(variable)
    return Scope(focus, focus, base).at(focus)


def resolve_href(href: str, base: str, text: str) -> str:
    """Resolve a document()/doc() argument to an absolute path as a processor would, from the rules' directory."""
    parts = urlsplit(href)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
        raise RefusedError("only plain file names are understood as other documents", text)
    if not parts.path:
        raise RefusedError("document('') is the rule file itself", text)
    return str(Path(base, unquote(parts.path)).resolve())


def extend(source: Outside | Document, step: str, *, deep: bool, text: str) -> Outside:
    """Add one named step to a path into another document."""
    if isinstance(source, Document):
        return Outside(source.href, (step,), absolute=not deep)
    if deep:
        raise RefusedError("a path into another document may use // only at its beginning", text)
    return Outside(source.href, (*source.steps, step), source.absolute)
