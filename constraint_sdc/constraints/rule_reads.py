"""Which variables of its record can change the verdict of each rule: its test, its variables, and its context.

Within a pattern an earlier rule may take the node, so its context counts too if it can match the same node.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from constraint_sdc.constraints.contexts import take_apart
from constraint_sdc.schematron.schema import Let, Pattern, Rule, Schema
from constraint_sdc.xpath.reads import (
    AROUND,
    ELSEWHERE,
    NO_NODES,
    RECORD,
    VARIABLE,
    BoundReads,
    ReadPlaces,
    Reads,
    ReadsMet,
    ReadsWalk,
)
from constraint_sdc.xpath.syntax import Binary, NotUnderstood, Syntax
from constraint_sdc.xpath.xpath import parse_xpath

_ORIGINAL = "original"
_XSLT = "http://www.w3.org/1999/XSL/Transform"
# Longer chains of variables are not followed: what they read is not known.
_DEEPEST = 50


def rule_reads(
    schema: Schema, record: str, outside: Collection[str], given: frozenset[str] = frozenset()
) -> dict[str, Reads]:
    """Return what every assertion can read, by its id.

    `record` is the record element (Clark notation), `outside` are the elements around records, and "@name" of the
    attributes that other elements than records have; `given` are variables whose value the command line gives.
    """
    reader = _ReadsReader(record, frozenset(outside), dict(schema.namespaces), given)
    lets = [Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters] + list(schema.lets)
    outer = _LetReads(reader, tuple(lets), AROUND, None, is_ordered=False)
    return {name: reads for pattern in schema.patterns for name, reads in reader.pattern(pattern, outer)}


@dataclass(frozen=True, slots=True)
class _LetReads:
    """The variables of one level and of those around it; each is walked once, where it is declared.

    Names that a level declares twice are not told apart where the order does not count: what both read is read.
    """

    reader: _ReadsReader
    lets: tuple[Let, ...]
    focus: ReadPlaces
    outer: _LetReads | None
    is_ordered: bool = True
    walked: dict[int, BoundReads | None] = field(default_factory=dict)

    def resolve(self, name: str, before: int | None = None, depth: int = 0) -> BoundReads | None:
        """Return what a variable stands for, seen from behind the first `before` variables of this level."""
        seen = self.lets if before is None or not self.is_ordered else self.lets[:before]
        places = [place for place, let in enumerate(seen) if let.name == name]
        if places:
            return self._joined(places if not self.is_ordered else places[-1:], depth)
        if self.outer is not None:
            return self.outer.resolve(name, depth=depth)
        return (ELSEWHERE, ReadsMet()) if name in self.reader.given or name == _ORIGINAL else None

    def _joined(self, places: list[int], depth: int) -> BoundReads | None:
        origins, met = NO_NODES, ReadsMet()
        for place in places:
            found = self._once(place, depth)
            if found is None:
                return None
            origins |= found[0]
            met.add(found[1])
        return origins, met

    def _once(self, place: int, depth: int) -> BoundReads | None:
        if place not in self.walked:
            self.walked[place] = None  # the answer to a variable that refers to itself
            self.walked[place] = self._value(self.lets[place], place, depth)
        return self.walked[place]

    def _value(self, let: Let, place: int, depth: int) -> BoundReads | None:
        met, value = ReadsMet(), (let.value or "").strip()
        if let.name in self.reader.given or (let.name == _ORIGINAL and not value and not let.content):
            return ELSEWHERE, met
        if let.content:
            return None if _XSLT in let.content or "{" in let.content else (ELSEWHERE, met)
        if not value:
            return NO_NODES, met
        if depth > _DEEPEST:
            return None
        walk = ReadsWalk(met, self.focus, lambda name: self.resolve(name, place, depth + 1))
        follow = walk.nodes if let.type is None else walk.value
        return follow(parse_xpath(value, self.reader.namespaces), self.focus, value), met


@dataclass(frozen=True, slots=True)
class _ContextReads:
    """One alternative of a rule's context: the name of its nodes, None if not fixed, where they are, what it reads."""

    node: str | None
    place: ReadPlaces
    met: ReadsMet

    def may_take_from(self, later: _ContextReads) -> bool:
        """Tell whether this alternative can match a node that the later one matches too."""
        return self.node is None or later.node is None or self.node == later.node


@dataclass(frozen=True, slots=True)
class _ReadsReader:
    record: str
    outside: frozenset[str]
    namespaces: Mapping[str, str]
    given: frozenset[str]

    def pattern(self, pattern: Pattern, outer: _LetReads) -> Iterator[tuple[str, Reads]]:
        """Yield what a pattern's assertions read."""
        if pattern.documents is not None:
            everything = Reads((), (pattern.documents,))
            yield from ((assertion.id, everything) for rule in pattern.rules for assertion in rule.assertions)
            return
        lets = _LetReads(self, pattern.lets, AROUND, outer)
        earlier: list[_ContextReads] = []
        for rule in pattern.rules:
            contexts = [self._context(part, lets) for part in _alternatives(parse_xpath(rule.context, self.namespaces))]
            before = [] if pattern.is_group else earlier
            taking = [one for one in before if any(one.may_take_from(mine) for mine in contexts)]
            yield from self._rule(rule, lets, [*taking, *contexts], frozenset().union(*(c.place for c in contexts)))
            earlier += contexts

    def _rule(
        self, rule: Rule, outer: _LetReads, contexts: list[_ContextReads], place: ReadPlaces
    ) -> Iterator[tuple[str, Reads]]:
        lets = _LetReads(self, rule.lets, place, outer)
        around = ReadsMet()
        for context in contexts:
            around.add(context.met)
        focus, visited = place, rule.attribute("visit-each")
        if visited is not None:
            walk = ReadsWalk(around, place, lets.resolve)
            focus = walk.nodes(parse_xpath(visited, self.namespaces), place, visited)
        for assertion in rule.assertions:
            met = ReadsMet()
            met.add(around)
            walk = ReadsWalk(met, focus | place, lets.resolve)
            walk.truth(parse_xpath(assertion.test, self.namespaces), focus, assertion.test)
            yield assertion.id, met.found()

    def _context(self, tree: Syntax | NotUnderstood, lets: _LetReads) -> _ContextReads:
        """Read one alternative of a context; only predicates on the record or on its variable tell what they read."""
        met = ReadsMet()
        apart = take_apart(tree)
        if isinstance(apart, NotUnderstood):
            met.anything[str(apart) if isinstance(tree, NotUnderstood) else " ".join(tree.text.split())] = None
            return _ContextReads(None, AROUND, met)
        names = [step.name for step in apart.steps]
        name = names[-1]
        is_below_record = names[-2:-1] == [self.record] and name.lstrip("@") not in ("*", "?")
        place = VARIABLE if is_below_record else self._place(name)
        if place == VARIABLE:
            met.names[name] = None
        for number, step in enumerate(apart.steps):
            is_last = number == len(apart.steps) - 1
            here = place if is_last else self._place(step.name) & RECORD or AROUND
            walk = ReadsWalk(met, here if is_last else here | place, lets.resolve)
            for predicate in step.predicates:
                walk.truth(predicate, here)
        return _ContextReads(None if place == AROUND else name, place, met)

    def _place(self, name: str) -> ReadPlaces:
        if name.lstrip("@") in ("*", "?") or name in self.outside:
            return AROUND
        return RECORD if name == self.record else VARIABLE


def _alternatives(tree: Syntax | NotUnderstood) -> list[Syntax | NotUnderstood]:
    if isinstance(tree, Binary) and tree.op in ("|", "union"):
        return [*_alternatives(tree.left), *_alternatives(tree.right)]
    return [tree]
