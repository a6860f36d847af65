"""Turn a schema into edit rules: every assertion with its context, its expression and its constraint."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraint_sdc.constraints.constraint import (
    AllOf,
    Constraint,
    Context,
    EditRule,
    Formula,
    Kind,
    OpaqueAtom,
    PresentAtom,
)
from constraint_sdc.constraints.contexts import (
    MatchPattern,
    RecordShape,
    context_regions,
    guess_record,
    take_apart,
    understand_context,
)
from constraint_sdc.constraints.lets import add_let_regions, add_lets, message_texts, schema_regions, schema_variables
from constraint_sdc.constraints.normalise import normalise
from constraint_sdc.constraints.recognise import recognise
from constraint_sdc.constraints.simplify import negate, simplify
from constraint_sdc.evaluate.expression import Expression, Not, Variable
from constraint_sdc.schematron.schema import Assertion, Pattern, Rule, Schema
from constraint_sdc.xpath.locality import Regions, Surroundings, Unproven, regions_of
from constraint_sdc.xpath.lookups import plain_keys
from constraint_sdc.xpath.scope import AtRoot, Here, Scope, ScopeValue
from constraint_sdc.xpath.syntax import NotUnderstood, Step, Syntax, step_name, walk_syntax
from constraint_sdc.xpath.translate import translate_tree
from constraint_sdc.xpath.xpath import parse_xpath

# When a rule fires: its own context holds, and no earlier rule of the pattern takes the node.


@dataclass(frozen=True, slots=True)
class Earlier:
    """A rule's context as later rules see it.

    `node` is the name of the nodes it matches, None when not fixed; `names` are the record's variables it reads.
    """

    node: str | None
    context: Context | NotUnderstood
    place: Regions | NotUnderstood
    text: str
    names: tuple[str, ...]
    xpath1: bool

    def may_take_from(self, later: Earlier) -> bool:
        """Tell whether this context can match a node that the later one matches too."""
        return self.node is None or later.node is None or self.node == later.node

    def formula(self) -> Formula:
        """Return the condition on the record under which the context matches its node."""
        if isinstance(self.context, NotUnderstood):
            return OpaqueAtom(self.text, self.names, str(self.context))
        parts: list[Formula] = []
        if self.context.variable is not None:
            parts.append(PresentAtom(self.context.variable))
        if self.context.condition is not None:
            parts.append(normalise(self.context.condition, xpath1=self.xpath1))
        return simplify(AllOf(tuple(parts)))


def premise_of(mine: Earlier, before: Sequence[Earlier]) -> Formula | None:
    """Return the condition under which a rule fires, or None when it always does."""
    formula = simplify(AllOf((mine.formula(), *(negate(other.formula()) for other in before))))
    return None if formula == AllOf(()) else formula


def understand(
    schema: Schema,
    *,
    record: str | None = None,
    outside: Collection[str] | None = None,
    attributes: Collection[str] | None = None,
    overridden: frozenset[str] = frozenset(),
) -> tuple[EditRule, ...]:
    """Return one edit rule per assertion, in document order.

    `record` is the record element's name (Clark notation) as the data has it; without it the name is guessed from the
    contexts whose tests ask about children. `outside` are all element names outside records, needed to prove that a
    context such as `V3` matches only inside them; `attributes` are "@name" of those that other elements than records
    have, needed for a context such as `@V3`. `overridden` are variables whose value the command line gives;
    `original` among them is the document that value-domain rules look into.
    """
    namespaces = dict(schema.namespaces)
    shape = RecordShape(record, outside, attributes)
    if record is None:
        shape = RecordShape(*guess_record(schema, namespaces), is_guess=True)
    keys = plain_keys(schema, namespaces)
    root = Scope(AtRoot(), AtRoot(), str(Path(schema.origin.file).parent), keys=keys, given=overridden)
    root = replace(root, variables=schema_variables(schema, root, namespaces))
    around = schema_regions(schema, overridden, namespaces)
    reader = _SchemaReader(schema, namespaces, shape, root, around)
    return tuple(rule for pattern in schema.patterns for rule in reader.pattern(pattern))


@dataclass(frozen=True, slots=True)
class _FiringRule:
    """A Schematron rule during translation: its context in every form that its assertions need."""

    rule: Rule
    pattern: Pattern
    context: Context | NotUnderstood
    premise: Formula | None
    place: Regions | NotUnderstood
    scope: Scope | NotUnderstood
    around: Surroundings


@dataclass(frozen=True, slots=True)
class _SchemaReader:
    schema: Schema
    namespaces: dict[str, str]
    shape: RecordShape
    root: Scope
    around: Surroundings

    def pattern(self, pattern: Pattern) -> Iterator[EditRule]:
        """Read a pattern's rules in order, because an earlier rule takes its nodes from a later one."""
        scope = add_lets(self.root, pattern.lets, self.namespaces)
        around = add_let_regions(self.around, pattern.lets, self.namespaces)
        earlier: list[Earlier] = []
        for rule in pattern.rules:
            read = self._rule(rule, pattern, scope, around, earlier)
            for assertion in rule.assertions:
                yield self._assertion(assertion, read)

    def _rule(
        self, rule: Rule, pattern: Pattern, scope: Scope, around: Surroundings, earlier: list[Earlier]
    ) -> _FiringRule:
        tree = parse_xpath(rule.context, self.namespaces)
        apart = take_apart(tree)
        context = understand_context(apart, scope, self.shape.record)
        if isinstance(context, Context):
            context = self._within_records(context)
        names: dict[str, None] = {}
        place = context_regions(tree, self.shape, replace(around, names=names))
        mine = Earlier(_node_name(apart), context, place, rule.context, tuple(names), self.schema.is_xpath1)
        before = [] if pattern.is_group else [other for other in earlier if other.may_take_from(mine)]
        earlier.append(mine)
        unlocal = next((other.place for other in before if isinstance(other.place, NotUnderstood)), None)
        focus = self._focus(apart, place)
        inner: Scope | NotUnderstood = focus if isinstance(focus, NotUnderstood) else self._inside(scope, focus, rule)
        local = unlocal if unlocal is not None and not isinstance(place, NotUnderstood) else place
        regions = frozenset() if isinstance(place, NotUnderstood) else place
        inner_around = add_let_regions(replace(around, focus=regions, current=regions), rule.lets, self.namespaces)
        return _FiringRule(rule, pattern, context, premise_of(mine, before), local, inner, inner_around)

    def _inside(self, scope: Scope, focus: ScopeValue, rule: Rule) -> Scope:
        return add_lets(replace(scope.at(focus), current=focus), rule.lets, self.namespaces)

    def _within_records(self, context: Context) -> Context | NotUnderstood:
        last = context.steps[-1]
        if last in (self.shape.outside or ()):
            return NotUnderstood("the context is outside the records", last)
        is_sure = self.shape.is_guess or self.shape.is_on_records_alone(last)
        if len(context.steps) == 1 and last.startswith("@") and not is_sure:
            return NotUnderstood("the attribute occurs, or may occur, on other elements; write Record/@name", last)
        return context

    def _focus(self, apart: MatchPattern | NotUnderstood, place: Regions | NotUnderstood) -> ScopeValue | NotUnderstood:
        name = _node_name(apart)
        if name is None:
            return apart if isinstance(apart, NotUnderstood) else NotUnderstood("the context has no fixed element name")
        if name == self.shape.record:
            return Here()
        is_other = self.shape.outside is not None and name in self.shape.outside
        if is_other or (isinstance(place, NotUnderstood) and self.shape.is_guess):
            return NotUnderstood("the context is outside the records", name)
        return Variable(name)

    def _assertion(self, assertion: Assertion, read: _FiringRule) -> EditRule:
        tree = parse_xpath(assertion.test, self.namespaces)
        visited = read.rule.attribute("visit-each")
        expression = self._expression(tree, assertion, read.scope) if visited is None else _visits(visited)
        names: dict[str, None] = {}
        looks = self._looks(tree, visited, replace(read.around, names=names))
        refusal = _refusal(looks, read)
        constraint = self._constraint(expression, tree, names, read, refusal)
        is_local = refusal is None and self._messages_are_local(assertion, read)
        return EditRule(
            assertion,
            read.pattern.id,
            read.rule.context,
            read.context if isinstance(read.context, Context) and read.pattern.documents is None else None,
            None if isinstance(expression, NotUnderstood) else expression,
            constraint,
            is_local,
            has_local_verdict=refusal is None,
            premise=read.premise,
        )

    def _looks(
        self, tree: Syntax | NotUnderstood, visited: str | None, around: Surroundings
    ) -> Regions | NotUnderstood:
        """Return where a test looks; with `visit-each` it looks from the items that are visited."""
        if visited is None:
            return regions_of(tree, around)
        items = regions_of(parse_xpath(visited, self.namespaces), around)
        if isinstance(items, NotUnderstood):
            return items
        return regions_of(tree, replace(around, focus=items, current=items))

    def _expression(
        self, tree: Syntax | NotUnderstood, assertion: Assertion, scope: Scope | NotUnderstood
    ) -> Expression | NotUnderstood:
        if isinstance(scope, NotUnderstood):
            return scope
        expression = translate_tree(tree, replace(scope, base=str(Path(assertion.origin.file).parent)))
        if isinstance(expression, NotUnderstood) or assertion.kind == "assert":
            return expression
        return Not(expression)

    def _constraint(
        self,
        expression: Expression | NotUnderstood,
        tree: Syntax | NotUnderstood,
        names: dict[str, None],
        read: _FiringRule,
        refusal: NotUnderstood | None,
    ) -> Constraint:
        if isinstance(tree, NotUnderstood):
            return _unread(Kind.OPAQUE, tree, read.rule.context, ())
        if refusal is not None:
            names_in_text = tuple(self._mentioned(tree))
            if not isinstance(refusal, Unproven):
                return _unread(Kind.CROSS_RECORD, refusal, tree.text, names_in_text)
            why = expression if isinstance(expression, NotUnderstood) else refusal
            return _unread(Kind.OPAQUE, why, tree.text, names_in_text)
        if isinstance(expression, NotUnderstood):
            return _unread(Kind.OPAQUE, expression, tree.text, tuple(names))
        return recognise(expression, read.premise, xpath1=self.schema.is_xpath1)

    def _mentioned(self, tree: Syntax) -> Iterator[str]:
        around = {self.shape.record, *(self.shape.outside or ())}
        names = (step_name(part) for part in walk_syntax(tree) if isinstance(part, Step))
        yield from dict.fromkeys(name for name in names if name is not None and name not in around)

    def _messages_are_local(self, assertion: Assertion, read: _FiringRule) -> bool:
        texts: Iterable[str] = message_texts(self.schema, assertion, read.rule)
        trees = (parse_xpath(text, self.namespaces) for text in texts)
        return not any(isinstance(regions_of(tree, read.around), NotUnderstood) for tree in trees)


def _visits(visited: str) -> NotUnderstood:
    return NotUnderstood("the rule visits other nodes than its context", f"visit-each {visited}")


def _refusal(looks: Regions | NotUnderstood, read: _FiringRule) -> NotUnderstood | None:
    """Return why the verdict may depend on more than the record, or None."""
    if read.pattern.documents is not None:
        return NotUnderstood("the pattern judges other documents")
    return next((found for found in (read.place, looks) if isinstance(found, NotUnderstood)), None)


def _node_name(apart: MatchPattern | NotUnderstood) -> str | None:
    if isinstance(apart, NotUnderstood):
        return None
    name = apart.steps[-1].name
    return None if name.lstrip("@") in ("*", "?") else name


def _unread(kind: Kind, why: NotUnderstood, text: str, names: tuple[str, ...]) -> Constraint:
    return Constraint(kind, OpaqueAtom(text, names, str(why)), names, str(why))
