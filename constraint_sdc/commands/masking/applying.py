"""Where rules apply before and after masking: a rule that is no longer judged is no rule that holds.

A context that reads no masked value applies to the same nodes in both files, so the judge must have judged as many in
each. A context that reads masked values may apply to other records afterwards; these are counted. A rule that judged
some node before and judges none after is refused, unless the user said that it may be idle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from constraint_sdc.arrays import Flags
from constraint_sdc.constraints.constraint import Context
from constraint_sdc.data.table import Column, Table
from constraint_sdc.errors import NotPublishedError
from constraint_sdc.evaluate.expression import variables_of
from constraint_sdc.files.rows_file import local_name
from constraint_sdc.judge.finding import CheckResult
from constraint_sdc.judge.rule_set import Understood
from constraint_sdc.maskers.masked import RuleOutcome
from constraint_sdc.schematron.schema import Schema
from constraint_sdc.xpath.tokens import tokenize

_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class MaskedCells:
    """The records before masking, the values that are written in their place, and the variables taken out."""

    table: Table
    columns: Mapping[str, Column]
    removed: frozenset[str]

    def touched(self) -> frozenset[str]:
        """Return the variables that masking may change."""
        return self.removed | self.columns.keys()

    def after(self) -> dict[str, Column]:
        """Return the columns of the masked file."""
        return {name: c for name, c in {**self.table.columns, **self.columns}.items() if name not in self.removed}


def compare_contexts(
    outcomes: tuple[RuleOutcome, ...],
    before: CheckResult | None,
    after: CheckResult | None,
    understood: Understood,
    cells: MaskedCells,
    output: Path,
) -> tuple[RuleOutcome, ...]:
    """Return the outcomes with the records that each rule came to apply to, or no longer applies to.

    Exact where the evaluator understands the context; otherwise the difference of the two numbers. NotPublishedError
    when a rule was not judged where it should have been.
    """
    if before is None or after is None:
        return outcomes
    assert understood.schema is not None
    reading = dict(_reading_contexts(understood, cells.touched()))
    was, now = _applying(understood, cells, frozenset(rule for rule, reads in reading.items() if reads))
    judged = {result.rule: result.fired for result in before.results}
    may_be_idle = {result.rule for result in after.results if result.may_be_idle}
    wrong, compared = list[str](), list[RuleOutcome]()
    for outcome in outcomes:
        rule, first, then = outcome.rule, judged[outcome.rule], outcome.checked
        if first != then and (not reading[rule] or (not then and rule not in may_be_idle)):
            wrong.append(_difference(rule, first, then, reads=reading[rule]))
        if rule in now:
            if (counted := int(np.count_nonzero(now[rule]))) != then:
                wrong.append(f"{rule}: Saxon judged {_nodes(then)}, the evaluator {_nodes(counted)}")
            gone, new = (int(np.count_nonzero(flags)) for flags in (was[rule] & ~now[rule], now[rule] & ~was[rule]))
            outcome = replace(outcome, no_longer_applies=gone, newly_applies=new)
        compared.append(outcome)
    if wrong:
        what = f"the rules were not judged on the masked file as on the original; {output.name} was not written"
        raise NotPublishedError(what, details=tuple(wrong[:_MOST_LINES]))
    return tuple(compared)


def _difference(rule: str, first: int, then: int, *, reads: bool) -> str:
    later = f"{then:,}" if then else "none"
    reason = "" if reads else ", though its context reads no masked value"
    return f"{rule}: judged on {_nodes(first)} before and on {later} after{reason}"


def _nodes(count: int) -> str:
    return f"{count:,} node{'' if count == 1 else 's'}"


def _applying(
    understood: Understood, cells: MaskedCells, rules: frozenset[str]
) -> tuple[Mapping[str, Flags], Mapping[str, Flags]]:
    """Tell where these rules apply before and after, as far as the evaluator is certain of every record."""
    count = cells.table.records
    was, now = (understood.applies(rules, columns, count) for columns in (cells.table.columns, cells.after()))
    known = was.keys() & now.keys()
    return {rule: was[rule] for rule in known}, {rule: now[rule] for rule in known}


def _reading_contexts(understood: Understood, touched: frozenset[str]) -> Iterator[tuple[str, bool]]:
    """Yield for each rule whether its context may read a variable that masking changes.

    A rule also depends on the contexts before it in its pattern, which take their nodes first.
    """
    touched = touched | {local_name(name) for name in touched}
    schema, contexts = understood.schema, {rule.id: rule.context for rule in understood.rules}
    assert isinstance(schema, Schema)
    for pattern in schema.patterns:
        is_before = False
        for rule in pattern.rules:
            context = next((contexts.get(assertion.id) for assertion in rule.assertions), None)
            names = _names(rule.context) if context is None else _read(context)
            reads = names is None or not touched.isdisjoint(names) or rule.attribute("visit-each") is not None
            for assertion in rule.assertions:
                yield assertion.id, reads or is_before
            is_before = is_before or (reads and not pattern.is_group)


def _read(context: Context) -> frozenset[str]:
    condition = () if context.condition is None else variables_of(context.condition)
    return frozenset(condition) if context.variable is None else frozenset((*condition, context.variable))


def _names(context: str) -> frozenset[str] | None:
    """Return the names in a path without predicates and calls, which reads no value; None for any other context."""
    tokens = [token for token in tokenize(context) if token.kind != "space"]
    if any(token.kind != "name" and token.text not in ("/", "//", "|", "@") for token in tokens):
        return None
    return frozenset(token.text.rpartition("}")[2].rpartition(":")[2] for token in tokens)
