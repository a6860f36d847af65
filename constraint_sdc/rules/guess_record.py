"""Guess the record element from the rules alone, when there is no data to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from constraint_sdc.model.schema import Rule, Schema
from constraint_sdc.rules.contexts import take_apart
from constraint_sdc.rules.syntax import ContextItem, FunctionCall, NotUnderstood, Path, Step, Syntax, parts_of
from constraint_sdc.rules.xpath import parse_xpath


def guess_record(schema: Schema, namespaces: Mapping[str, str]) -> tuple[str | None, frozenset[str]]:
    """Return the context element whose tests use child steps, and the other such elements, which enclose records.

    `Record` is the record if a rule on Record asks about V1. A context of several steps whose tests ask about no child,
    such as `Record/V3`, votes for the step before its last. The most votes win, the earliest among equals; the record
    is None when no rule gives a hint.
    """
    votes: Counter[str] = Counter()
    for pattern in schema.patterns:
        for rule in pattern.rules:
            name = _vote(rule, namespaces)
            if name is not None:
                votes[name] += max(1, len(rule.assertions))
    record = max(votes, key=lambda name: votes[name]) if votes else None
    return record, frozenset(votes) - {record or ""}


def _vote(rule: Rule, namespaces: Mapping[str, str]) -> str | None:
    context = take_apart(parse_xpath(rule.context, namespaces))
    if isinstance(context, NotUnderstood):
        return None
    last = context.steps[-1]
    texts = [a.test for a in rule.assertions] + [let.value for let in rule.lets if let.value is not None]
    trees = [parse_xpath(text, namespaces) for text in texts]
    asks = any(not isinstance(tree, NotUnderstood) and asks_children(tree) for tree in trees)
    asks = asks or any(asks_children(predicate) for predicate in last.predicates)
    candidate = last.name if asks else context.steps[-2].name if len(context.steps) > 1 else None
    return None if candidate is None or candidate.startswith("@") or candidate in ("*", "?") else candidate


def asks_children(tree: Syntax) -> bool:
    """Tell whether an expression takes a child or attribute step from its context node."""
    match tree:
        case Step(axis):
            return axis in ("child", "attribute")
        case Path(ContextItem() | FunctionCall("current", ()), Step(axis), False):
            return axis in ("child", "attribute")
        case Path(left, _):
            return asks_children(left)
        case _:
            return any(asks_children(part) for part in parts_of(tree))
