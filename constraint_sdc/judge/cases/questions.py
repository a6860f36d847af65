"""Which rules are judged by cases: those whose verdict on a record is a function of values that are known by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.judge.rule_set import Understood
from constraint_sdc.schematron.schema import Rule, Schema


@dataclass(frozen=True, slots=True)
class CaseQuestion:
    """Rules that are judged together: records that share the values of `names` have the same verdict of all of them."""

    names: tuple[str, ...]
    rules: frozenset[str]


@dataclass(frozen=True, slots=True)
class CaseRules:
    """How the rules of a schema are divided: questions that are asked of every case, and rules of the whole file."""

    questions: tuple[CaseQuestion, ...] = ()
    whole_file: frozenset[str] = frozenset()

    @property
    def by_case(self) -> frozenset[str]:
        """Return the ids of the rules that are judged by cases."""
        return frozenset().union(*(question.rules for question in self.questions))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the variables that the rules judged by cases read."""
        return tuple(dict.fromkeys(name for question in self.questions for name in question.names))


def divide_rules(understood: Understood) -> CaseRules:
    """Divide the rules: by cases if the verdict is certain to depend on nothing but named values of the record.

    The proof is that of `Reads` and of `has_local_verdict`. A rule that shows its violations at another node, its
    subject, or that visits other nodes than its context, stays with the whole file.
    """
    schema, layout = understood.schema, understood.layout
    if schema is None:
        return CaseRules()
    every = frozenset(assertion.id for assertion in schema.assertions())
    if not layout.is_uniform or layout.record in layout.wrappers:
        return CaseRules((), every)
    plain = _plain_rules(schema)
    routes = understood.routes
    local = routes.vectorised_ids() | routes.by_record
    names: dict[str, frozenset[str]] = {}
    for rule in understood.rules:
        if rule.id in plain and rule.id in local and _is_certain(rule):
            names[rule.id] = _names(rule, understood)
    return CaseRules(_questions(names), every - names.keys())


def _is_certain(rule: EditRule) -> bool:
    return rule.has_local_verdict and rule.reads is not None and rule.reads.is_certain


def _names(rule: EditRule, understood: Understood) -> frozenset[str]:
    """Return the variables that can change a verdict, or that are counted as missing with it."""
    assert rule.reads is not None
    counted = understood.missing.reads.get(rule.id)
    return frozenset(rule.reads.names) | frozenset(() if counted is None else counted.names)


def _plain_rules(schema: Schema) -> frozenset[str]:
    plain = (
        assertion.id
        for pattern in schema.patterns
        for rule in pattern.rules
        if not _is_elsewhere(rule)
        for assertion in rule.assertions
        if not assertion.attribute("subject")
    )
    return frozenset(plain)


def _is_elsewhere(rule: Rule) -> bool:
    return rule.attribute("subject") is not None or rule.attribute("visit-each") is not None


def _questions(names: dict[str, frozenset[str]]) -> tuple[CaseQuestion, ...]:
    """Join rules whose values another rule reads too: its cases are cases of theirs."""
    widest = _widest(names.values())
    rules: dict[frozenset[str], set[str]] = {one: set() for one in widest}
    for rule, read in names.items():
        rules[next(one for one in widest if read <= one)].add(rule)
    return tuple(CaseQuestion(tuple(sorted(one)), frozenset(ids)) for one, ids in rules.items())


def _widest(sets: Iterable[frozenset[str]]) -> list[frozenset[str]]:
    """Return the sets that are part of no other, in their order."""
    different = list(dict.fromkeys(sets))
    return [one for one in different if not any(one < other for other in different)]
