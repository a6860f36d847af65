"""A rule's context as a record or a variable of it, under a condition; or the reason why it is neither."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from constraint_sdc.constraints.constraint import Context
from constraint_sdc.evaluate.expression import And, Expression, Variable
from constraint_sdc.schematron.schema import Rule, Schema
from constraint_sdc.xpath.functions import answers_truth_or_text, is_predicate, words
from constraint_sdc.xpath.locality import Region, Regions, Surroundings, regions_of
from constraint_sdc.xpath.scope import Here, Scope
from constraint_sdc.xpath.syntax import (
    Binary,
    ContextItem,
    Filter,
    FunctionCall,
    NotUnderstood,
    Path,
    Root,
    Step,
    Syntax,
    parts_of,
    walk_syntax,
)
from constraint_sdc.xpath.translate import translate_tree
from constraint_sdc.xpath.xpath import parse_xpath


@dataclass(frozen=True, slots=True)
class PatternStep:
    """One step of a match pattern: a Clark name ("@name" for an attribute, "*" or "?" for others), predicates."""

    name: str
    predicates: tuple[Syntax, ...]
    after_any_depth: bool


@dataclass(frozen=True, slots=True)
class MatchPattern:
    """A match pattern as its steps; `is_absolute` when it is anchored at the root."""

    steps: tuple[PatternStep, ...]
    is_absolute: bool


def take_apart(tree: Syntax | NotUnderstood) -> MatchPattern | NotUnderstood:
    """Split a match pattern into its steps."""
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

    When the name of the record is unknown, a context of one element is treated as a variable.
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
    """Join the predicates on the steps of record and variable; a predicate further out looks outside the record."""
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


# Where the nodes of a rule's context are, and whether matching them looks only at the record itself.

_TRUTHS = words("and or = != < <= > >= eq ne lt le gt ge is")


@dataclass(frozen=True, slots=True)
class RecordShape:
    """What is known of the data: the record's element name, and every element name outside records.

    `attributes` are "@name" of those that other elements than records have. Both are None when the data has not been
    read. `is_guess` when the record's name was guessed from the rules:
    then nothing is judged yet, and a context of another name is treated as a variable.
    """

    record: str | None
    outside: Collection[str] | None = None
    attributes: Collection[str] | None = None
    is_guess: bool = False

    def is_on_records_alone(self, attribute: str) -> bool:
        """Tell whether the data has an attribute ("@name") on no other element than records."""
        return self.attributes is not None and attribute not in self.attributes


def context_regions(tree: Syntax | NotUnderstood, shape: RecordShape, around: Surroundings) -> Regions | NotUnderstood:
    """Return where the context's nodes are; `around` holds the variables that the context may use."""
    if isinstance(tree, Binary) and tree.op in ("|", "union"):
        left, right = (context_regions(part, shape, around) for part in (tree.left, tree.right))
        if isinstance(left, NotUnderstood):
            return left
        return right if isinstance(right, NotUnderstood) else left | right
    pattern = take_apart(tree)
    if isinstance(pattern, NotUnderstood):
        return pattern
    return _pattern_regions(pattern, shape, around)


def _pattern_regions(pattern: MatchPattern, shape: RecordShape, around: Surroundings) -> Regions | NotUnderstood:
    names = [step.name for step in pattern.steps]
    first = names.index(shape.record) if shape.record in names else None
    if first is None:
        if not _is_surely_variable(names, shape):
            return NotUnderstood("the context may match something outside the records", "/".join(names))
        first = max(len(names) - 2, 0)
        inside = len(names) - 1
    else:
        inside = first + 1
    for place, step in enumerate(pattern.steps):
        region = Region.INSIDE if place >= inside else Region.RECORD
        refusal = _predicates(step, region, around) if place >= first else _none(step)
        if refusal is not None:
            return refusal
    return frozenset({Region.INSIDE if len(names) > inside else Region.RECORD})


def _is_surely_variable(names: list[str], shape: RecordShape) -> bool:
    """Tell whether a context that does not name the record can match only inside one."""
    last = names[-1]
    if last in ("*", "?", "@*", "@?"):
        return False
    if shape.outside is None or last in shape.outside:
        return False
    return shape.is_guess or (len(names) == 1 and (not last.startswith("@") or shape.is_on_records_alone(last)))


def _none(step: PatternStep) -> NotUnderstood | None:
    if step.predicates:
        return NotUnderstood("the context asks about what encloses the record", step.predicates[0].text)
    return None


def _predicates(step: PatternStep, region: Region, around: Surroundings) -> NotUnderstood | None:
    place = frozenset({region})
    inner = replace(around, focus=place, current=place, in_predicate=region is Region.INSIDE)
    for predicate in step.predicates:
        if region is Region.RECORD and not asks_truth(predicate):
            return NotUnderstood("a number in brackets is a position among the records", predicate.text)
        found = regions_of(predicate, inner)
        if isinstance(found, NotUnderstood):
            return found
    return None


def asks_truth(tree: Syntax) -> bool:
    """Tell whether a predicate is certainly a condition and not a position."""
    match tree:
        case Binary(op):
            return op in _TRUTHS
        case FunctionCall(name):
            return answers_truth_or_text(name)
        case Step():
            return True
        case Path(_, right):
            return asks_truth(right)
        case Filter(base):
            return asks_truth(base)
        case _:
            return False


# Guess the record element from the rules alone, when there is no data.


def guess_record(schema: Schema, namespaces: Mapping[str, str]) -> tuple[str | None, frozenset[str]]:
    """Return the context element whose tests use child steps, and the other such elements, which enclose records.

    `Record` is the record if a rule on Record asks about V1. A context of several steps whose tests ask about no child,
    such as `Record/V3`, votes for the step before its last. The most votes win, the earliest among equals; the record
    is None when no rule votes.
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
