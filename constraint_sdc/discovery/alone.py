"""Rules about one variable: no negative value, whole numbers, an interval with rounded ends, a list of values."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from constraint_sdc.discovery.proposal import RuleCandidate
from constraint_sdc.discovery.rounding import rounded_outwards
from constraint_sdc.discovery.sample import SearchSample
from constraint_sdc.evaluate.expression import And, Arithmetic, Call, Compare, Expression, Literal, Variable
from constraint_sdc.evaluate.expression import Sequence as Listed


def find_rules_alone(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield what each variable by itself satisfies; nothing about it is surprising, but it describes the file."""
    coded = {column.name for column in sample.codes if not column.rare}
    for column in sample.codes:
        values = Listed(tuple(Literal(text) for text in column.texts))
        test = Compare("=", Variable(column.name), values)
        parameters: dict[str, Expression] = {"variable": Variable(column.name), "values": values}
        yield RuleCandidate("set", (column.name,), None, test, pattern="value-set", parameters=parameters)
    for number in sample.numbers:
        if number.name in coded:
            continue
        variable = Variable(number.name)
        low, high = map(_literal, rounded_outwards(float(np.nanmin(number.values)), float(np.nanmax(number.values))))
        read = Call("number", (variable,))
        known = number.values[~np.isnan(number.values)]
        if int((known < 0).sum()) <= sample.allowed(len(known)):
            yield RuleCandidate("not negative", (number.name,), None, Compare(">=", read, Literal(0)))
        test_of = And((Compare("<=", low, read), Compare("<=", read, high)))
        ends: dict[str, Expression] = {"variable": variable, "low": low, "high": high}
        yield RuleCandidate("interval", (number.name,), None, test_of, pattern="interval", parameters=ends)
        if number.is_whole or 0 < int((known % 1 != 0).sum()) <= sample.allowed(len(known)):
            whole = Compare("=", Arithmetic("mod", read, Literal(1)), Literal(0))
            only: dict[str, Expression] = {"variable": variable}
            yield RuleCandidate("whole numbers", (number.name,), None, whole, pattern="whole-number", parameters=only)


def _literal(value: Decimal) -> Literal:
    return Literal(int(value)) if value == int(value) else Literal(value)
