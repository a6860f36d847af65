"""What an XPath expression can see while it is translated: the context node, the variables, other documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from constraint_sdc.evaluate.expression import Expression, Outside, Variable
from constraint_sdc.schematron.confinement import real_path
from constraint_sdc.xpath.syntax import NotUnderstood, Step, step_name


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


ContextPlace: TypeAlias = Here | AtRoot | Document
ScopeValue: TypeAlias = Expression | ContextPlace

_MOST_REPEATS = 1000


class RefusedError(Exception):
    """Carries a `NotUnderstood` up to the public function, which returns it as a value."""

    def __init__(self, reason: str, text: str = "") -> None:
        self.answer = NotUnderstood(reason, text)
        super().__init__(str(self.answer))


@dataclass(frozen=True, slots=True)
class Scope:
    """The static and dynamic context of one expression.

    `focus` is the meaning of the dot; None inside another document, where only `current()` leads back to the record.
    `present` are variables known to exist where the expression is evaluated. `keys` are the schema's xsl:key
    declarations as paths without a document yet, for `key()` into another document. `given` are variables whose value
    the command line gives, wherever they are declared.
    """

    focus: ScopeValue | None
    current: ScopeValue | None
    base: str
    variables: Mapping[str, ScopeValue | NotUnderstood] = field(default_factory=dict)
    present: frozenset[str] = frozenset()
    keys: Mapping[str, Outside] = field(default_factory=dict)
    repeats: int = 1
    given: frozenset[str] = frozenset()

    def at(self, focus: ScopeValue | None) -> Scope:
        """Return the scope with another context item; a variable that is the context item exists."""
        present = self.present | {focus.name} if isinstance(focus, Variable) else self.present
        return replace(self, focus=focus, present=present)

    def repeated(self, times: int, text: str) -> Scope:
        """Return the scope inside an iteration; nested iterations multiply."""
        if self.repeats * times > _MOST_REPEATS:
            raise RefusedError("iterates over too many combinations", text)
        return replace(self, repeats=self.repeats * max(times, 1))

    def bind(self, name: str, value: ScopeValue) -> Scope:
        """Return the scope with one more variable."""
        return replace(self, variables={**self.variables, name: value})


def record_scope(base: str, *, variable: str | None = None) -> Scope:
    """Return the scope of a rule whose context is the record, or one variable of it."""
    focus: ScopeValue = Here() if variable is None else Variable(variable)
    return Scope(focus, focus, base).at(focus)


def resolve_href(href: str, base: str, text: str) -> str:
    """Resolve a document()/doc() argument to an absolute path as a processor would, from the rules' directory."""
    parts = urlsplit(href)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost") or parts.query or parts.fragment:
        raise RefusedError("only plain file names are understood as other documents", text)
    if not parts.path:
        raise RefusedError("document('') is the rule file itself", text)
    return str(real_path(Path(base, unquote(parts.path))))


def extend(source: Outside | Document, step: str, *, deep: bool, text: str) -> Outside:
    """Add one named step to a path into another document."""
    if isinstance(source, Document):
        return Outside(source.href, (step,), absolute=not deep)
    if deep:
        raise RefusedError("a path into another document may use // only at its beginning", text)
    return Outside(source.href, (*source.steps, step), source.absolute)


# One axis step from a record, a variable or a place in another document.

_UPWARDS = frozenset({"parent", "ancestor", "ancestor-or-self"})
_SIDEWAYS = frozenset({"preceding-sibling", "following-sibling", "preceding", "following"})


def take_step(origin: ScopeValue, step: Step, scope: Scope, *, deep: bool) -> ScopeValue:
    """Return where a step leads, or refuse with the reason."""
    if step.axis == "self" and step.test == "node()" and not deep:
        return origin
    match origin:
        case Here():
            return _from_record(step, deep)
        case Variable():
            return _from_variable(origin, step, scope, deep)
        case Document() | Outside():
            return extend(origin, _name(step), deep=deep, text=step.text)
        case AtRoot():
            raise RefusedError("is evaluated at the document's root, outside any record", step.text)
        case _:
            raise RefusedError("takes a step from something that is not a node of the record", step.text)


def _from_record(step: Step, deep: bool) -> Variable:
    if step.axis in _UPWARDS:
        raise RefusedError("looks at what encloses the record", step.text)
    if step.axis in _SIDEWAYS:
        raise RefusedError("looks at other records", step.text)
    if deep:
        raise RefusedError("searches the record at any depth", step.text)
    return Variable(_name(step))


def _from_variable(origin: Variable, step: Step, scope: Scope, deep: bool) -> ScopeValue:
    if step.axis == "parent" and step.test == "node()" and not deep:
        if origin.name in scope.present:
            return Here()
        raise RefusedError("steps back from a variable that may be absent", step.text)
    if step.test == "text()" and step.axis == "child":
        raise RefusedError(
            f"text() differs from the value when a comment splits it or it is empty; write {origin.name} alone",
            f"{origin.name}/text()",
        )
    raise RefusedError("looks inside or around a variable", f"{origin.name}/{step.text}")


def _name(step: Step) -> str:
    if step.test == "text()":
        raise RefusedError("text() differs from the value when a comment splits it; name the element alone", step.text)
    name = step_name(step)
    if name is None:
        raise RefusedError("only child elements and attributes with a plain name are variables", step.text)
    return name
