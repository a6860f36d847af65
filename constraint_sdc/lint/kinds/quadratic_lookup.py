"""`quadratic-lookup`: a test looks through all records, for every record."""

from __future__ import annotations

from collections.abc import Iterator

from constraint_sdc.constraints.constraint import EditRule, Kind
from constraint_sdc.constraints.contexts import guess_record, take_apart
from constraint_sdc.lint.finding import LintFinding
from constraint_sdc.lint.kind import LintKind
from constraint_sdc.lint.subject import LintSubject
from constraint_sdc.schematron.schema import Severity
from constraint_sdc.settings.reason import because
from constraint_sdc.xpath.syntax import (
    Filter,
    FunctionCall,
    NotUnderstood,
    Path,
    Reference,
    Root,
    Step,
    Syntax,
    parts_of,
    walk_syntax,
)
from constraint_sdc.xpath.xpath import parse_xpath

_ORIGINAL = "original"
_AXES = frozenset({"preceding", "following", "preceding-sibling", "following-sibling"})


def find_quadratic_lookups(subject: LintSubject) -> Iterator[LintFinding]:
    """Yield the rules on records whose test walks over all records; a look-up by key is not one.

    A value domain is no more than information: the evaluator of `check` looks its values up in a table.
    """
    namespaces = dict(subject.schema.namespaces)
    record, around = guess_record(subject.schema, namespaces)
    for rule in subject.rules:
        if _node(rule, namespaces) in (None, *(around - {record or ""})):
            continue
        tree = parse_xpath(rule.assertion.test, namespaces)
        walked = None if isinstance(tree, NotUnderstood) else _walks_all(tree)
        if walked is not None:
            is_domain = rule.constraint.kind is Kind.VALUE_DOMAIN
            reason = because("lint-quadratic", is_domain=is_domain, quotes={"path": walked})
            severity: Severity = "information" if is_domain else "warning"
            yield LintFinding("quadratic-lookup", severity, subject.place(rule.id), reason)


def _node(rule: EditRule, namespaces: dict[str, str]) -> str | None:
    """Return the name of the nodes of a context; None for the root and for contexts without a fixed name."""
    apart = take_apart(parse_xpath(rule.context_text, namespaces))
    return None if isinstance(apart, NotUnderstood) else apart.steps[-1].name


def _walks_all(tree: Syntax) -> str | None:
    """Return the first path over all records, as written."""
    if isinstance(tree, FunctionCall) and tree.name == "key":
        return None
    if isinstance(tree, Path) and _starts_at_file(tree):
        return tree.text or "/"
    if isinstance(tree, Step) and tree.axis in _AXES:
        return tree.text
    if isinstance(tree, Filter) and isinstance(tree.base, Step) and _is_nearest(tree):
        return _walks_all(tree.predicate)
    return next((found for part in parts_of(tree) if (found := _walks_all(part)) is not None), None)


def _is_nearest(tree: Filter) -> bool:
    """Tell `preceding-sibling::Record[1]`, which ends at the first node, from a search."""
    return tree.predicate.text.strip() == "1"


def _starts_at_file(tree: Syntax) -> bool:
    start: Syntax = tree
    steps = 0
    while isinstance(start, Path):
        steps += 1
        start = start.left
    while isinstance(start, Filter):
        start = start.base
    is_file = isinstance(start, Root) or (isinstance(start, Reference) and start.name == _ORIGINAL)
    is_key = any(isinstance(part, FunctionCall) and part.name == "key" for part in walk_syntax(tree))
    return is_file and steps > 0 and not is_key


REGISTERED = {"quadratic-lookup": LintKind("quadratic-lookup", "warning", find_quadratic_lookups)}
