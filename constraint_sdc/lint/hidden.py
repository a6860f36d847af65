"""Rules that never fire because earlier rules of their pattern take every node: the first rule that matches wins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from constraint_sdc.constraints.constraint import AllOf, EditRule, Formula
from constraint_sdc.constraints.simplify import negate, simplify
from constraint_sdc.lint.solver import Solver
from constraint_sdc.lint.stated import context_formula
from constraint_sdc.schematron.schema import Origin, Rule, Schema


@dataclass(frozen=True, slots=True)
class Hidden:
    """The earlier rules of the pattern that take the nodes of a rule: where they are written, and their contexts.

    It is one rule if one alone takes all nodes, else all before the hidden one.
    """

    by: tuple[Origin, ...]
    contexts: tuple[str, ...]


def hidden_rules(schema: Schema, rules: Iterable[EditRule]) -> dict[str, Hidden]:
    """Return the assertions that can never fire, by their ids."""
    by_id = {rule.id: rule for rule in rules}
    solver = Solver({})
    found: dict[str, Hidden] = {}
    for pattern in schema.patterns:
        if pattern.is_group or pattern.documents is not None:
            continue
        for place, rule in enumerate(pattern.rules[1:], 1):
            hidden = _hidden(rule, pattern.rules[:place], by_id, solver, schema.is_xpath1)
            found |= {} if hidden is None else {assertion.id: hidden for assertion in rule.assertions}
    return found


def _hidden(
    rule: Rule, before: tuple[Rule, ...], by_id: Mapping[str, EditRule], solver: Solver, xpath1: bool
) -> Hidden | None:
    edit = _edit(rule, by_id)
    if edit is None:
        return None
    same = [other for other in before if other.context.split() == rule.context.split()]
    if same:
        return _by(same[:1])
    own = _own(edit, xpath1)
    if own is None or edit.premise is None or solver.solve((), own).answer != "yes":
        return None
    if solver.solve((), edit.premise).answer != "no":
        return None
    return _by(list(_alone(own, edit, before, by_id, solver, xpath1))[:1] or before)


def _alone(
    own: Formula,
    edit: EditRule,
    before: tuple[Rule, ...],
    by_id: Mapping[str, EditRule],
    solver: Solver,
    xpath1: bool,
) -> Iterator[Rule]:
    """Yield the earlier rules of which one alone takes every node of a context."""
    for rule in before:
        other = _edit(rule, by_id)
        taken = None if other is None else _own(other, xpath1)
        if other is None or taken is None or other.context is None or edit.context is None:
            continue
        if other.context.steps[-1] == edit.context.steps[-1]:
            left = simplify(AllOf((own, negate(taken))))
            if solver.solve((), left).answer == "no":
                yield rule


def _own(edit: EditRule, xpath1: bool) -> Formula | None:
    return None if edit.context is None else context_formula(edit.context, xpath1=xpath1)


def _edit(rule: Rule, by_id: Mapping[str, EditRule]) -> EditRule | None:
    return by_id[rule.assertions[0].id] if rule.assertions else None


def _by(rules: Iterable[Rule]) -> Hidden:
    listed = tuple(rules)
    return Hidden(tuple(rule.origin for rule in listed), tuple(rule.context for rule in listed))
