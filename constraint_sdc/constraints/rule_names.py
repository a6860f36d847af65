"""The names that every rule of a schema looks for in a file of rows, and the values that its test reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from constraint_sdc.constraints.contexts import take_apart
from constraint_sdc.schematron.schema import Let, Pattern, Rule, Schema
from constraint_sdc.xpath.names import (
    ANYWHERE,
    AROUND,
    ELSEWHERE,
    NOTHING,
    Bound,
    FileNames,
    NameLooked,
    NamesRead,
    NameWalk,
    NodePlace,
    NodePlaces,
)
from constraint_sdc.xpath.syntax import NotUnderstood
from constraint_sdc.xpath.xpath import parse_xpath

_ORIGINAL = "original"
_XSLT = "http://www.w3.org/1999/XSL/Transform"
# Where the parent of a node that a context matches may be.
_ANY_PARENT = frozenset({NodePlace.AROUND, NodePlace.OTHER_RECORD, NodePlace.OTHER_VARIABLE})
_OWN = {NodePlace.OTHER_RECORD: NodePlace.RECORD, NodePlace.OTHER_VARIABLE: NodePlace.NODE}


@dataclass(frozen=True, slots=True)
class ValuesRead:
    """The variables of its record that a test reads, and the path from the context node to that record."""

    names: tuple[str, ...]
    record: str


@dataclass(frozen=True, slots=True)
class RuleNames:
    """The names that an assertion looks for in its context and in its test, variables included.

    `reads` is None where it is not known what the test reads: other records, or constructs that are not understood.
    """

    context: tuple[NameLooked, ...]
    test: tuple[NameLooked, ...]
    reads: ValuesRead | None


def rule_names(schema: Schema, file: FileNames, given: frozenset[str] = frozenset()) -> dict[str, RuleNames]:
    """Return the names of every assertion by its id; `given` are variables whose value the command line gives.

    A pattern that names other documents looks for nothing in this file.
    """
    reader = _NameReader(file, dict(schema.namespaces), given)
    lets = [Let(p.name, p.value, None, p.type, p.origin) for p in schema.parameters] + list(schema.lets)
    outer = _Lets(reader, tuple(lets), AROUND, None, is_ordered=False)
    return {name: names for pattern in schema.patterns for name, names in reader.pattern(pattern, outer)}


def values_read(
    schema: Schema, record: str, outside: frozenset[str], given: frozenset[str] = frozenset()
) -> dict[str, ValuesRead | None]:
    """Return the values that each test reads, by the assertion's id, before the variables of the file are known."""
    names = rule_names(schema, FileNames(record, frozenset(), outside, is_open=True), given)
    return {name: found.reads for name, found in names.items()}


# Longer chains of variables are not followed: what they read is not known.
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class _Lets:
    """The variables of one level and of those around it; each is walked once, where it is declared."""

    reader: _NameReader
    lets: tuple[Let, ...]
    focus: NodePlaces
    outer: _Lets | None
    is_ordered: bool = True
    variable: str | None = None
    walked: dict[int, Bound | None] = field(default_factory=dict)

    def resolve(self, name: str, before: int | None = None, depth: int = 0) -> Bound | None:
        """Return what a variable stands for, seen from behind the first `before` variables of this level."""
        seen = self.lets if before is None or not self.is_ordered else self.lets[:before]
        for place in reversed(range(len(seen))):
            if seen[place].name == name:
                return self._once(place, depth)
        if self.outer is not None:
            return self.outer.resolve(name, depth=depth)
        return (ELSEWHERE, NamesRead()) if name in self.reader.given or name == _ORIGINAL else None

    def _once(self, place: int, depth: int) -> Bound | None:
        if place not in self.walked:
            self.walked[place] = None  # the answer to a variable that refers to itself
            self.walked[place] = self._value(self.lets[place], place, depth)
        return self.walked[place]

    def _value(self, let: Let, place: int, depth: int) -> Bound | None:
        met, value = NamesRead(), (let.value or "").strip()
        if let.name in self.reader.given or (let.name == _ORIGINAL and not value and not let.content):
            return ELSEWHERE, met
        if let.content:
            met.reads_more = _XSLT in let.content or "{" in let.content
            return ANYWHERE if met.reads_more else ELSEWHERE, met
        if not value or depth > _DEEPEST:
            return None if value else (NOTHING, met)
        walk = NameWalk(
            self.reader.file,
            met,
            current=self.focus,
            variable=self.variable,
            resolve=lambda name: self.resolve(name, place, depth + 1),
            where=f"${let.name}",
        )
        return walk.walk(parse_xpath(value, self.reader.namespaces), self.focus), met


@dataclass(frozen=True, slots=True)
class _NameReader:
    file: FileNames
    namespaces: Mapping[str, str]
    given: frozenset[str]

    def pattern(self, pattern: Pattern, outer: _Lets) -> Iterator[tuple[str, RuleNames]]:
        """Yield the names of a pattern's assertions."""
        if pattern.documents is not None:
            yield from ((a.id, RuleNames((), (), None)) for rule in pattern.rules for a in rule.assertions)
            return
        lets = _Lets(self, pattern.lets, AROUND, outer)
        for rule in pattern.rules:
            yield from self._rule(rule, lets)

    def _rule(self, rule: Rule, outer: _Lets) -> Iterator[tuple[str, RuleNames]]:
        tree = parse_xpath(rule.context, self.namespaces)
        met = NamesRead()
        found = NameWalk(self.file, met, resolve=outer.resolve, where="context").walk(tree, _ANY_PARENT)
        place = frozenset(_OWN.get(place, place) for place in found)
        variable = self._variable(rule)
        lets = _Lets(self, rule.lets, place, outer, variable=variable)
        for assertion in rule.assertions:
            read = NamesRead()
            walk = NameWalk(self.file, read, current=place, variable=variable, resolve=lets.resolve, where="test")
            focus, visited = place, rule.attribute("visit-each")
            if visited is not None:
                focus = walk.walk(parse_xpath(visited, self.namespaces), place)
            walk.walk(parse_xpath(assertion.test, self.namespaces), focus, asked=True)
            yield assertion.id, RuleNames(tuple(met.looked), tuple(read.looked), _reads(read, place))

    def _variable(self, rule: Rule) -> str | None:
        """Return the name of the context node if it has one fixed name."""
        apart = take_apart(parse_xpath(rule.context, self.namespaces))
        name = None if isinstance(apart, NotUnderstood) else apart.steps[-1].name
        return None if name is None or name.lstrip("@") in ("*", "?") else name


def _reads(read: NamesRead, place: NodePlaces) -> ValuesRead | None:
    if read.reads_more or not place:
        return None
    if place == {NodePlace.RECORD}:
        return ValuesRead(tuple(read.values), ".")
    return ValuesRead(tuple(read.values), "..") if place == {NodePlace.NODE} else None
