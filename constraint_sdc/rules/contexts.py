"""A rule's context as a record or a variable of it, under a condition; or the reason why it is neither."""

from __future__ import annotations

from dataclasses import dataclass, replace

from constraint_sdc.model.constraint import Context
from constraint_sdc.model.expression import And, Expression, Variable
from constraint_sdc.rules.functions import is_predicate
from constraint_sdc.rules.scope import Here, Scope
from constraint_sdc.rules.syntax import Filter, FunctionCall, NotUnderstood, Path, Root, Step, Syntax, walk_syntax
from constraint_sdc.rules.translate import translate_tree


@dataclass(frozen=True, slots=True)
class PatternStep:
    """One step of a match pattern: a Clark name ("@name" for an attribute, "*" or "?" for others), predicates."""

    name: str
    predicates: tuple[Syntax, ...]
    after_any_depth: bool


@dataclass(frozen=True, slots=True)
class MatchPattern:
    """A match pattern taken apart; `is_absolute` when it is anchored at the root."""

    steps: tuple[PatternStep, ...]
    is_absolute: bool


def take_apart(tree: Syntax | NotUnderstood) -> MatchPattern | NotUnderstood:
    """Take a match pattern apart into its steps."""
    if isinstance(tree, NotUnderstood):
        return tree
    steps: list[PatternStep] = []
    rest: Syntax = tree
    while True:
        deep = False
        left: Syntax | None = None
        if isinstance(rest, Path):
            left, deep, rest = rest.left, rest.deep, rest.right
        step = _pattern_step(rest, deep)
        if step is None:
            return NotUnderstood("the context is not a plain path of element names", tree.text)
        steps.insert(0, step)
        if left is None or (isinstance(left, Root) and deep):
            return MatchPattern(tuple(steps), is_absolute=False)
        if isinstance(left, Root):
            return MatchPattern(tuple(steps), is_absolute=True)
        rest = left


def _pattern_step(tree: Syntax, deep: bool) -> PatternStep | None:
    predicates: list[Syntax] = []
    while isinstance(tree, Filter):
        predicates.insert(0, tree.predicate)
        tree = tree.base
    if not isinstance(tree, Step) or tree.axis not in ("child", "attribute"):
        return None
    name = "?" if tree.test in ("node()", "text()") else tree.test
    return PatternStep("@" + name if tree.axis == "attribute" else name, tuple(predicates), deep)


def understand_context(
    pattern: MatchPattern | NotUnderstood, scope: Scope, record: str | None
) -> Context | NotUnderstood:
    """Return the context as the record (named `record`) or a variable of it; `scope` is that of the data's root.

    When the name of the record is not known, a context of one element is taken for a variable.
    """
    if isinstance(pattern, NotUnderstood):
        return pattern
    names = tuple(step.name for step in pattern.steps)
    if any(name.lstrip("@") in ("*", "?") for name in names):
        return NotUnderstood("the context has no fixed element name", "/".join(names))
    if any(step.after_any_depth for step in pattern.steps[1:]):
        return NotUnderstood("the context uses // inside a path", "/".join(names))
    variable = None if names[-1] == record else names[-1]
    if variable is not None and len(names) > 1 and record is not None and names[-2] != record:
        return NotUnderstood("the context is neither the record nor a variable of it", "/".join(names))
    condition = _condition(pattern, scope, variable)
    if isinstance(condition, NotUnderstood):
        return condition
    return Context(names, pattern.is_absolute, variable, condition)


def _condition(pattern: MatchPattern, scope: Scope, variable: str | None) -> Expression | NotUnderstood | None:
    """Join the predicates on the record's step and on the variable's; one further out looks outside the record."""
    count = len(pattern.steps)
    parts: list[Expression] = []
    for place, step in enumerate(pattern.steps):
        is_last = place == count - 1
        on_record = is_last if variable is None else place == count - 2
        for predicate in step.predicates:
            if not is_last and not on_record:
                return NotUnderstood("the context asks about what encloses the record", predicate.text)
            focus = Variable(variable) if variable is not None and is_last else Here()
            part = _predicate(predicate, scope.at(focus), is_last)
            if isinstance(part, NotUnderstood):
                return part
            parts.append(part)
    return None if not parts else parts[0] if len(parts) == 1 else And(tuple(parts))


def _predicate(tree: Syntax, scope: Scope, is_last: bool) -> Expression | NotUnderstood:
    # In a match pattern current() is the node being matched: the dot of the last step only.
    if not is_last and any(isinstance(part, FunctionCall) and part.name == "current" for part in walk_syntax(tree)):
        return NotUnderstood("current() inside the context", tree.text)
    condition = translate_tree(tree, replace(scope, current=scope.focus))
    if isinstance(condition, NotUnderstood) or is_predicate(condition):
        return condition
    return NotUnderstood("a number in brackets is a position among the records", tree.text)
