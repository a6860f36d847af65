"""Recognise tests about the records of each parent in the usual forms; whatever is not certain is not recognised.

With records `/Data/Household/Person`: `sum(../Person/Income) = ../Total` at the records, `count(Person[Head = 1]) = 1`
at the parent, and uniqueness among siblings. Aggregates are those over all records of a file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.constraints.contexts import MatchPattern, take_apart
from constraint_sdc.data.table import Layout
from constraint_sdc.evaluate.expression import And, Expression, Literal, Not, Outside, Sequence, Variable, walk
from constraint_sdc.evaluate.truth import refuses
from constraint_sdc.judge.across.file_test import PARENT, Aggregate, ParentTest, UniqueTest
from constraint_sdc.judge.across.recognise import (
    OtherFormError,
    Recogniser,
    assertions_across,
    first_rules,
    named_aggregate,
    own_variable,
    same_variable,
)
from constraint_sdc.schematron.schema import Assertion, Schema
from constraint_sdc.xpath.functions import is_predicate
from constraint_sdc.xpath.scope import AtRoot, Here, Scope
from constraint_sdc.xpath.syntax import (
    Binary,
    Conditional,
    ContextItem,
    Filter,
    FunctionCall,
    Listing,
    LoopBinding,
    NotUnderstood,
    Path,
    Reference,
    Step,
    Syntax,
    walk_syntax,
)
from constraint_sdc.xpath.translate import translate_tree

_DEEPEST = 20  # variables inside variables
_EMPTY_SUM = " of nothing"


def recognise_parents(schema: Schema, rules: Iterable[EditRule], layout: Layout) -> dict[str, ParentTest]:
    """Return the tests that can be added up parent by parent, by the rule's id; as with `recognise_across`."""
    if not layout.is_uniform or layout.record in layout.wrappers or len(set(layout.wrappers)) < len(layout.wrappers):
        return {}
    edits = {rule.id: rule for rule in rules}
    found: dict[str, ParentTest] = {}
    for pattern, rule in first_rules(schema):
        for assertion in assertions_across(rule, edits):
            recogniser = ParentRecogniser(schema, pattern, rule, layout)
            try:
                found[assertion.id] = recogniser.parent_test(assertion, edits[assertion.id])
            except OtherFormError:
                continue
    return found


def sum_of_nothing(aggregate: str) -> str:
    """Return the name of an aggregate where it is the sum of nothing, which is an integer."""
    return aggregate + _EMPTY_SUM


@dataclass(slots=True)
class ParentRecogniser(Recogniser):
    """Recognises the tests of one rule whose context is the record or its parent."""

    sees_file: ClassVar[bool] = False

    at_parent: bool = False

    def parent_test(self, assertion: Assertion, edit: EditRule) -> ParentTest:
        """Return the test of an assertion; a report must not be true."""
        predicates = self._parent_context()
        self.at_parent = predicates is not None
        tree = self._parsed(assertion.test)
        if assertion.kind == "report":
            tree = FunctionCall("not", (tree,), f"not({tree.text})")
        condition = None if predicates is not None else self._context(edit)[1]
        unique = None if self.at_parent else self._unique(tree)
        if self.schema.is_xpath1 and (unique is None or condition is not None):
            raise OtherFormError
        if unique is not None:
            return ParentTest(assertion.id, unique, False, condition)
        found: dict[str, Aggregate] = {}
        for predicate in predicates or ():
            condition = self._computed(predicate, found, is_condition=True)
        test = self._computed(tree, found)
        if not found:
            raise OtherFormError
        return ParentTest(assertion.id, test, self.at_parent, condition, tuple(found.items()))

    def _parent_context(self) -> tuple[Syntax, ...] | None:
        """Return the predicates of a context that is the parent of the records; None if it is another."""
        apart, wrappers = take_apart(self._parsed(self.rule.context)), self.layout.wrappers
        if not isinstance(apart, MatchPattern):
            raise OtherFormError
        names = tuple(step.name for step in apart.steps)
        if names[-1] != wrappers[-1]:
            return None
        *outer, last = apart.steps
        is_there = names == (wrappers if apart.is_absolute else wrappers[-len(names) :])
        is_plain = not any(step.predicates or step.after_any_depth for step in outer) and len(last.predicates) < 2
        if not is_there or not is_plain or (outer and last.after_any_depth):
            raise OtherFormError
        return last.predicates

    # Paths.

    def _leads_to_records(self, steps: tuple[str, ...], *, at_root: bool) -> bool:  # noqa: ARG002 - as in the base class
        record = self.layout.record
        if self.at_parent:
            return steps in ((record,), (".", record), (".//", record), ("descendant", record))
        return steps == ("..", record)

    def _flattened(self, tree: Syntax) -> tuple[list[Syntax], tuple[str, ...]]:
        """Return the predicates and the steps of a path, of which the first may be the one to the parent."""
        match tree:
            case Path(Step() as up, right, False) if self._is_up(up):
                predicates, steps = Recogniser._flattened(self, right)
                return predicates, ("..", *steps)
        return Recogniser._flattened(self, tree)

    def _is_up(self, step: Step) -> bool:
        is_parent = step.axis == "parent" and step.test in ("node()", self.layout.wrappers[-1])
        return is_parent and not self.at_parent

    def _parent_value(self, tree: Syntax) -> str | None:
        """Return the value of the parent that a path leads to: a child that is no record, or an attribute."""
        match tree:
            case Path(Step() as up, Step() as step, False) if self._is_up(up):
                name = own_variable(step)
            case Step() as step if self.at_parent:
                name = own_variable(step)
            case Path(ContextItem(), Step() as step, False) if self.at_parent:
                name = own_variable(step)
            case _:
                return None
        return None if name == self.layout.record else name

    def _own_value(self, tree: Syntax) -> bool:
        """Tell whether a path leads to a variable of the record where the rule fires."""
        match tree:
            case Step() as step if not self.at_parent:
                return own_variable(step) is not None
            case Path(ContextItem(), Step() as step, False) if not self.at_parent:
                return own_variable(step) is not None
            case _:
                return False

    # Uniqueness among siblings.

    def _same_in_file(self, counted: Syntax) -> str | None:
        match counted:
            case Path(Step() as up, Filter(Step("child", record), Binary("=", one, other)), False) if (
                self._is_up(up) and record == self.layout.record
            ):
                return same_variable(one, other) or same_variable(other, one)
            case _:
                return None

    def _same_beside(self, own: Syntax, others: Syntax) -> str | None:
        match own, others:
            case Step(), Path(Step(axis, record), Step() as step, False) if (
                axis in ("preceding-sibling", "following-sibling") and record == self.layout.record
            ):
                name = own_variable(own)
                return name if name is not None and name == own_variable(step) else None
            case _:
                return None

    # Computed tests.

    def _computed(self, tree: Syntax, found: dict[str, Aggregate], *, is_condition: bool = False) -> Expression:
        """Return a tree as an expression over aggregates, values of the parent and, at records, their own."""
        if self._is_records(tree, at_root=False):
            tree = FunctionCall("exists", (tree,), tree.text)
        rewritten = self._rewritten(tree, found, at_root=False, depth=0)
        values = {name: Variable(name) for name in self._values_named(rewritten)}
        place = AtRoot() if self.at_parent else Here()
        for number in (1, 1.0):
            literals = {name: Literal(number) for name in found}
            expression = translate_tree(rewritten, Scope(place, place, ".", {**values, **literals}))
            if isinstance(expression, NotUnderstood) or refuses(expression, xpath1=False) is not None:
                raise OtherFormError
            if is_condition and not is_predicate(expression):
                raise OtherFormError
        aggregates = {name: _with_empty_sum(name, one) for name, one in found.items()}
        expression = translate_tree(rewritten, Scope(place, place, ".", {**values, **aggregates}))
        if isinstance(expression, NotUnderstood) or any(isinstance(part, Outside) for part in walk(expression)):
            raise OtherFormError
        return expression

    def _values_named(self, tree: Syntax) -> set[str]:
        return {one.name for one in walk_syntax(tree) if isinstance(one, Reference) and one.name.startswith(PARENT)}

    def _rewritten(self, tree: Syntax, found: dict[str, Aggregate], *, at_root: bool, depth: int) -> Syntax:
        """Return the tree with variables in place of aggregates and of the values of the parent."""

        def again(part: Syntax) -> Syntax:
            return self._rewritten(part, found, at_root=at_root, depth=depth)

        if (name := self._parent_value(tree)) is not None:
            return Reference(PARENT + name, tree.text)
        if self._own_value(tree):
            return tree
        match tree:
            case FunctionCall("not" | "boolean" as called, (argument,), text) if self._is_records(
                argument, at_root=False
            ):
                function = "empty" if called == "not" else "exists"
                return again(FunctionCall(function, (argument,), text))
            case LoopBinding("every" | "some" as keyword, ((name, source),), body, text):
                return self._quantified(keyword, name, source, body, found, text)
            case Reference(name):
                if depth > _DEEPEST:
                    raise OtherFormError
                value, is_at_root = self._let(name)
                if is_at_root:
                    raise OtherFormError
                return self._rewritten(value, found, at_root=False, depth=depth + 1)
            case Conditional(test, then, otherwise, text):
                return Conditional(again(test), again(then), again(otherwise), text)
            case Listing(items, text):
                return Listing(tuple(map(again, items)), text)
            case _:
                return Recogniser._rewritten(self, tree, found, at_root=at_root, depth=depth)

    def _quantified(
        self, keyword: str, name: str, source: Syntax, body: Syntax, found: dict[str, Aggregate], text: str
    ) -> Syntax:
        """Return `some` as the presence of a record that satisfies the body, and `every` as the absence of others."""
        condition = self._records(source, at_root=False)
        truth = translate_tree(body, Scope(AtRoot(), AtRoot(), ".").bind(name, Here()))
        if isinstance(truth, NotUnderstood):
            raise OtherFormError
        wanted = truth if keyword == "some" else Not(truth)
        both = wanted if condition is None else And((condition, wanted))
        if not self._is_mine(both):
            raise OtherFormError
        exists = FunctionCall("boolean", (named_aggregate(Aggregate("count", both, None), found, text),), text)
        return exists if keyword == "some" else FunctionCall("not", (exists,), text)


def _with_empty_sum(name: str, aggregate: Aggregate) -> Expression:
    return Sequence((Variable(name), Variable(sum_of_nothing(name)))) if aggregate.kind == "sum" else Variable(name)


def values_read(tests: Iterable[ParentTest]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the variables of records and the values of parents that some tests read."""
    names: set[str] = set()
    for test in tests:
        expressions = [part for _, one in test.aggregates for part in (one.condition, one.item)]
        if isinstance(test.test, UniqueTest):
            names.add(test.test.variable)
        else:
            expressions.append(test.test)
        expressions.append(test.condition)
        given = {place for name, _ in test.aggregates for place in (name, sum_of_nothing(name))}
        parts = (part for one in expressions if one is not None for part in walk(one))
        names.update(part.name for part in parts if isinstance(part, Variable) and part.name not in given)
    parents = frozenset(name.removeprefix(PARENT) for name in names if name.startswith(PARENT))
    return frozenset(name for name in names if not name.startswith(PARENT)), parents
