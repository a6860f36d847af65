"""The rule set that is checked, and what all kinds of findings ask about it; each answer is computed once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from constraint_sdc.constraints.constraint import EditRule
from constraint_sdc.data.table import Column
from constraint_sdc.judge.finding import RuleResult
from constraint_sdc.lint.consequences import Consequences, find_consequences
from constraint_sdc.lint.finding import LeftOut, RulePlace
from constraint_sdc.lint.hidden import Hidden, hidden_rules
from constraint_sdc.lint.stated import StatedRule, is_stated, stated_rules
from constraint_sdc.schematron.schema import Origin, Schema


@dataclass(frozen=True, slots=True)
class LintData:
    """A file of rows that the rules judge: its columns, and what the check found for each rule."""

    records: int
    columns: Mapping[str, Column]
    results: Mapping[str, RuleResult]


@dataclass(frozen=True)
class LintSubject:
    """A schema with its rules as understood, and optionally data.

    Rules that `are_translated` from another language have a policy for missing values, stated or that of the language.
    """

    schema: Schema
    rules: tuple[EditRule, ...]
    data: LintData | None = None
    are_translated: bool = False

    @property
    def is_xpath1(self) -> bool:
        """Tell whether tests follow XPath 1.0."""
        return self.schema.is_xpath1

    @cached_property
    def by_id(self) -> Mapping[str, EditRule]:
        """Return the rules by their ids."""
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def hidden(self) -> Mapping[str, Hidden]:
        """Return the rules that earlier rules of their pattern hide."""
        return hidden_rules(self.schema, self.rules)

    @cached_property
    def stated(self) -> tuple[StatedRule, ...]:
        """Return the rules whose whole meaning is known."""
        return stated_rules(self.rules, xpath1=self.is_xpath1)

    @cached_property
    def consequences(self) -> Consequences:
        """Return what the rules say together."""
        return find_consequences(self.stated, frozenset(self.hidden), pass_over_missing=self.are_translated)

    @cached_property
    def _instances(self) -> Mapping[str, Origin]:
        """Return where the author wrote the rules of abstract patterns: at the pattern that gives the parameters."""
        made = [pattern for pattern in self.schema.patterns if "is-a" in dict(pattern.attributes)]
        return {a.id: pattern.origin for pattern in made for rule in pattern.rules for a in rule.assertions}

    def place(self, rule: str) -> RulePlace:
        """Return where a rule is written."""
        return RulePlace(rule, self._instances.get(rule, self.by_id[rule].origin))

    def places(self, *rules: str) -> tuple[RulePlace, ...]:
        """Return where several rules are written."""
        return tuple(map(self.place, rules))

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the rules about which logic says nothing."""
        return tuple(LeftOut(self.place(rule.id), rule.constraint.reason) for rule in self.rules if not is_stated(rule))
