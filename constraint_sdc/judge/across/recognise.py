"""Recognise tests about all records of a file in the usual forms; whatever is not certain is not recognised.

Recognised are sum, count, min, max, avg and count(distinct-values()) over records or one item of each, in comparisons
and arithmetic with constants; and uniqueness in the forms `count(//R[V = current()/V]) = 1`,
`not(V = preceding-sibling::R/V)` and `count(key('name', V)) = 1`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.contexts import MatchPattern, take_apart
from constraint_sdc.constraints.lets import ORIGINAL
from constraint_sdc.data.table import Layout
from constraint_sdc.evaluate.expression import Expression, Literal, Outside, Variable, walk
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.judge.across.file_test import Aggregate, AggregateKind, ComputedTest, FileTest, UniqueTest
from constraint_sdc.schematron.schema import Assertion, Let, Pattern, Rule, Schema
from constraint_sdc.xpath.functions import is_predicate
from constraint_sdc.xpath.lookups import plain_keys
from constraint_sdc.xpath.scope import AtRoot, Document, Here, Scope
from constraint_sdc.xpath.syntax import (
    Binary,
    Constant,
    ContextItem,
    Filter,
    FunctionCall,
    LoopBinding,
    NotUnderstood,
    Path,
    Reference,
    Root,
    Step,
    Syntax,
    Unary,
    is_plain_name,
    step_name,
)
from constraint_sdc.xpath.translate import translate_tree, translate_value
from constraint_sdc.xpath.xpath import parse_xpath

_KINDS: Mapping[str, AggregateKind] = {"sum": "sum", "count": "count", "min": "min", "max": "max", "avg": "avg"}
_ONLY_ONE = frozenset({("=", 1), ("eq", 1), ("<", 2), ("lt", 2), ("<=", 1), ("le", 1)})
_EXACTLY = frozenset({"=", "eq"})
_EQUAL = frozenset({"=", "eq"})
_DEEPEST = 20  # variables inside variables


class OtherFormError(Exception):
    """The test has another form than those that are recognised."""


def recognise_across(schema: Schema, rules: Iterable[EditRule], layout: Layout) -> dict[str, FileTest]:
    """Return the tests that can be added up, by the rule's id; only the first rule of a pattern is looked at.

    A later rule fires where the earlier ones do not, and in a group every rule is a first one. Tests in XPath 1.0 mode
    convert otherwise, so only uniqueness is recognised there.
    """
    if not layout.is_uniform or layout.record in layout.wrappers:
        return {}
    edits = {rule.id: rule for rule in rules}
    found: dict[str, FileTest] = {}
    for pattern, rule in first_rules(schema):
        for assertion in assertions_across(rule, edits):
            try:
                found[assertion.id] = Recogniser(schema, pattern, rule, layout).test(assertion, edits[assertion.id])
            except OtherFormError:
                continue
    return found


def first_rules(schema: Schema) -> Iterator[tuple[Pattern, Rule]]:
    """Yield the rules that fire wherever their context matches, with their patterns."""
    for pattern in schema.patterns:
        if pattern.documents is None:
            for rule in pattern.rules if pattern.is_group else pattern.rules[:1]:
                if rule.attribute("subject") is None and rule.attribute("visit-each") is None:
                    yield pattern, rule


def assertions_across(rule: Rule, edits: Mapping[str, EditRule]) -> Iterator[Assertion]:
    """Yield the assertions of a rule whose verdict does not depend on their own record alone."""
    for assertion in rule.assertions:
        if assertion.attribute("subject") is None and not edits[assertion.id].has_local_verdict:
            yield assertion


@dataclass(slots=True)
class Recogniser:
    """Recognises the tests of one rule; `nowhere` collects the variables that `//V` names."""

    sees_file: ClassVar[bool] = True

    schema: Schema
    pattern: Pattern
    rule: Rule
    layout: Layout
    nowhere: set[str] = field(default_factory=set)

    @property
    def _namespaces(self) -> dict[str, str]:
        return dict(self.schema.namespaces)

    def test(self, assertion: Assertion, edit: EditRule) -> FileTest:
        """Return the test of an assertion; a report must not be true."""
        at_root, condition, alone = self._context(edit)
        tree = self._parsed(assertion.test)
        if assertion.kind == "report":
            tree = FunctionCall("not", (tree,), f"not({tree.text})")
        test: ComputedTest | UniqueTest | None = None if at_root else self._unique(tree)
        if test is None:
            test = self._compared(tree, at_root=at_root)
        return FileTest(assertion.id, test, at_root, condition, alone, frozenset(self.nowhere))

    def _parsed(self, text: str) -> Syntax:
        tree = parse_xpath(text, self._namespaces)
        if isinstance(tree, NotUnderstood):
            raise OtherFormError
        return tree

    def _context(self, edit: EditRule) -> tuple[bool, Expression | None, frozenset[str]]:
        """Tell whether the rule fires at the root element, under which condition otherwise, and what must be alone."""
        apart = take_apart(self._parsed(self.rule.context))
        if not isinstance(apart, MatchPattern):
            raise OtherFormError
        names = tuple(step.name for step in apart.steps)
        if names == self.layout.wrappers[:1] and not apart.steps[0].predicates:
            return True, None, frozenset() if apart.is_absolute else frozenset(names)
        context, path = edit.context, (*self.layout.wrappers, self.layout.record)
        if context is None or context.variable is not None or names != path[-len(names) :]:
            raise OtherFormError
        if context.is_absolute and names != path:
            raise OtherFormError
        if context.condition is not None and not self._is_mine(context.condition):
            raise OtherFormError
        return False, context.condition, frozenset()

    # Uniqueness.

    def _unique(self, tree: Syntax) -> UniqueTest | None:
        match tree:
            case Binary(op, FunctionCall("count", (counted,)), Constant(int() as limit)) if (op, limit) in _ONLY_ONE:
                name = self._same_in_file(counted)
                return None if name is None else UniqueTest(name, is_required=op in _EXACTLY)
            case FunctionCall("not", (Binary(op, left, right),)) if op in _EQUAL:
                name = self._same_beside(left, right) or self._same_beside(right, left)
                return None if name is None or op == "eq" else UniqueTest(name, is_required=False)
            case _:
                return None

    def _same_in_file(self, counted: Syntax) -> str | None:
        """Return V if the tree selects all records that have the same V: `//R[V = current()/V]`, `key('name', V)`."""
        match counted:
            case FunctionCall("key", (Constant(str() as key), Step() as step)):
                path = plain_keys(self.schema, self._namespaces).get(key)
                name = own_variable(step)
                is_same = path is not None and path.steps == (self.layout.record, name)
                return name if is_same else None
            case Path(left, Filter(base, Binary("=", one, other), _), deep):
                records = Path(left, base, deep, counted.text)
                if not self._is_records(records, at_root=False):
                    return None
                return same_variable(one, other) or same_variable(other, one)
            case _:
                return None

    def _same_beside(self, own: Syntax, others: Syntax) -> str | None:
        """Return V if the trees are `V` and `preceding-sibling::R/V`, where all records are siblings."""
        match own, others:
            case Step(), Path(Step(axis, record, _), Step() as step, False) if (
                axis in ("preceding-sibling", "following-sibling")
                and record == self.layout.record
                and len(self.layout.wrappers) == 1
            ):
                name = own_variable(own)
                return name if name is not None and name == own_variable(step) else None
            case _:
                return None

    # Aggregates in comparisons.

    def _compared(self, tree: Syntax, *, at_root: bool) -> ComputedTest:
        if self.schema.is_xpath1:
            raise OtherFormError
        found: dict[str, Aggregate] = {}
        rewritten = self._rewritten(tree, found, at_root=at_root, depth=0)
        scope = Scope(AtRoot(), AtRoot(), ".")
        compared = ComputedTest(rewritten, scope, tuple(found.items()))
        if not found or not is_computed_from_aggregates(compared):
            raise OtherFormError
        return compared

    def _rewritten(self, tree: Syntax, found: dict[str, Aggregate], *, at_root: bool, depth: int) -> Syntax:
        """Return the tree with variables in place of aggregates, and with the values of its own variables."""

        def again(part: Syntax) -> Syntax:
            return self._rewritten(part, found, at_root=at_root, depth=depth)

        match tree:
            case FunctionCall(name, (argument,), text) if name in _KINDS or name in ("exists", "empty"):
                reference = named_aggregate(self._aggregate(name, argument, at_root=at_root), found, text)
                if name in _KINDS:
                    return reference
                truth = FunctionCall("boolean", (reference,), text)
                return truth if name == "exists" else FunctionCall("not", (truth,), text)
            case Reference(name):
                if depth > _DEEPEST:
                    raise OtherFormError
                value, is_at_root = self._let(name)
                return self._rewritten(value, found, at_root=at_root and not is_at_root, depth=depth + 1)
            case FunctionCall(name, arguments, text):
                return FunctionCall(name, tuple(map(again, arguments)), text)
            case Binary(op, left, right, text):
                return Binary(op, again(left), again(right), text)
            case Unary(op, operand, text):
                return Unary(op, again(operand), text)
            case Constant():
                return tree
            case _:
                raise OtherFormError

    def _let(self, name: str) -> tuple[Syntax, bool]:
        """Return the value of a variable that is declared once, and whether it is computed outside the rule."""
        schema, inside = self.schema, [let for let in self.rule.lets if let.name == name]
        outside: list[Let] = [let for let in (*self.pattern.lets, *schema.lets) if let.name == name]
        declared = [*inside, *outside]
        is_given = name == ORIGINAL or any(parameter.name == name for parameter in schema.parameters)
        if len(declared) != 1 or is_given:
            raise OtherFormError
        (let,) = declared
        if let.type is not None or let.content or not (let.value or "").strip():
            raise OtherFormError
        return self._parsed(let.value or ""), not inside

    def _aggregate(self, name: str, argument: Syntax, *, at_root: bool) -> Aggregate:
        kind: AggregateKind = _KINDS.get(name, "count")
        match argument:
            case FunctionCall("distinct-values", (values,)) if name == "count":
                kind, argument = "distinct", values
        condition, item = self._items(argument, at_root=at_root)
        if item is None and kind != "count":
            raise OtherFormError
        for expression in (condition, item):
            if expression is not None and not self._is_mine(expression):
                raise OtherFormError
        return Aggregate(kind, condition, item)

    def _items(self, tree: Syntax, *, at_root: bool) -> tuple[Expression | None, Expression | None]:
        """Return the condition on records and the item of each that a tree selects."""
        here = Scope(Here(), AtRoot(), ".")
        match tree:
            case LoopBinding("for", ((name, source),), body):
                condition = self._records(source, at_root=at_root)
                return condition, self._translated(body, replace(here, focus=AtRoot()).bind(name, Here()))
            case Path(Root(), Step("child", test), True) if is_plain_name(test) and test != self.layout.record:
                if not self.sees_file or test in self.layout.wrappers:
                    raise OtherFormError
                self.nowhere.add(test)
                return None, Variable(test)
        rest: list[Syntax] = []
        while not self._is_records(tree, at_root=at_root):
            match tree:
                case Path(left, right, False) | Binary("!", left, right):
                    rest.insert(0, right)
                    tree = left
                case _:
                    raise OtherFormError
        condition = self._records(tree, at_root=at_root)
        if not rest:
            return condition, None
        way = rest[0]
        for right in rest[1:]:
            way = Path(way, right, False, f"{way.text}/{right.text}")
        return condition, self._translated(way, here)

    def _translated(self, tree: Syntax, scope: Scope) -> Expression:
        value = translate_value(tree, scope)
        if isinstance(value, NotUnderstood | Here | AtRoot | Document):
            raise OtherFormError
        return value

    def _is_records(self, tree: Syntax, *, at_root: bool) -> bool:
        try:
            self._records(tree, at_root=at_root)
        except OtherFormError:
            return False
        return True

    def _records(self, tree: Syntax, *, at_root: bool) -> Expression | None:
        """Return the condition under which a tree selects records: it selects all of them, or those of a predicate."""
        predicates, steps = self._flattened(tree)
        if not self._leads_to_records(steps, at_root=at_root):
            raise OtherFormError
        conditions = [translate_tree(predicate, Scope(Here(), AtRoot(), ".")) for predicate in predicates]
        if len(conditions) > 1:
            raise OtherFormError
        for condition in conditions:
            if isinstance(condition, NotUnderstood) or not is_predicate(condition):
                raise OtherFormError
            return condition
        return None

    def _flattened(self, tree: Syntax) -> tuple[list[Syntax], tuple[str, ...]]:
        return flattened(tree)

    def _leads_to_records(self, steps: tuple[str, ...], *, at_root: bool) -> bool:
        layout = self.layout
        if steps == ("//", layout.record) or steps == ("/", *layout.wrappers, layout.record):
            return True
        path = (*layout.wrappers[1:], layout.record)
        return at_root and steps in (path, (".", *path), (".//", layout.record), ("descendant", layout.record))

    def _is_mine(self, expression: Expression) -> bool:
        """Tell whether the evaluator takes an expression, which must not look into other documents."""
        if any(isinstance(part, Outside) for part in walk(expression)):
            return False
        return refuses(expression, xpath1=self.schema.is_xpath1) is None


def named_aggregate(aggregate: Aggregate, found: dict[str, Aggregate], text: str) -> Reference:
    """Keep an aggregate under a name that no rule can have, and return a variable of this name."""
    name = f"{{aggregate}}{len(found)}"
    found[name] = aggregate
    return Reference(name, text)


def is_computed_from_aggregates(compared: ComputedTest) -> bool:
    """Tell whether the test can be computed once its aggregates are known, as far as that is known before."""
    for value in (1, 1.0):
        variables = {name: Literal(value) for name, _ in compared.aggregates}
        expression = translate_tree(compared.tree, replace(compared.scope, variables=variables))
        if isinstance(expression, NotUnderstood) or refuses(expression, xpath1=False) is not None:
            return False
    return True


def flattened(tree: Syntax) -> tuple[list[Syntax], tuple[str, ...]]:
    """Return the predicates of a path's last step, and its steps as words: names after "/", "//", "." or ".//"."""
    predicates: list[Syntax] = []
    words: list[str] = []
    is_last = True
    while True:
        left: Syntax | None = None
        deep = False
        if isinstance(tree, Path):
            left, deep, tree = tree.left, tree.deep, tree.right
        while isinstance(tree, Filter) and is_last:
            predicates.insert(0, tree.predicate)
            tree = tree.base
        is_last = False
        if not isinstance(tree, Step) or not is_plain_name(tree.test):
            raise OtherFormError
        words.insert(0, tree.test)
        if left is None and tree.axis == "descendant":
            words.insert(0, "descendant")
        elif tree.axis != "child":
            raise OtherFormError
        match left:
            case None:
                return predicates, tuple(words)
            case Root():
                return predicates, ("//" if deep else "/", *words)
            case ContextItem():
                return predicates, (".//" if deep else ".", *words)
            case _ if deep:
                raise OtherFormError
        tree = left


def own_variable(step: Syntax) -> str | None:
    """Return the variable that a step from a record leads to."""
    if not isinstance(step, Step) or step.axis not in ("child", "attribute") or not is_plain_name(step.test):
        return None
    return step_name(step)


def same_variable(own: Syntax, other: Syntax) -> str | None:
    """Return V if the trees are `V` and `current()/V`."""
    match other:
        case Path(FunctionCall("current", ()), Step() as step, False):
            name = own_variable(own)
            return name if name is not None and name == own_variable(step) else None
        case _:
            return None


def variables_of(test: FileTest) -> frozenset[str]:
    """Return the variables that a test reads."""
    if isinstance(test.test, UniqueTest):
        expressions: list[Expression | None] = [Variable(test.test.variable)]
    else:
        expressions = [part for _, one in test.test.aggregates for part in (one.condition, one.item)]
    parts = (part for one in (*expressions, test.condition) if one is not None for part in walk(one))
    return frozenset(part.name for part in parts if isinstance(part, Variable))
