"""Orders of two numbers, and rules with one condition: a code, a zero, a missing value or a threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations

import numpy as np

from constraint_sdc.arrays import Flags, Singles
from constraint_sdc.discovery.proposal import RuleCandidate
from constraint_sdc.discovery.rounding import roundest_between
from constraint_sdc.discovery.sample import NumberColumn, SearchSample
from constraint_sdc.discovery.surprise import FEWEST_BITS, bits_of, share_in_order
from constraint_sdc.evaluate.expression import Call, Compare, CompareOp, Expression, Literal, Not, Or, Variable

_FEWEST = 20  # records to which a rule must apply


@dataclass(frozen=True, slots=True)
class Statement:
    """A condition or a consequence: where it is true, where its values are there, and how a rule says it.

    `chance` is the share of records in which an order holds if values are dealt out at random.
    """

    variables: tuple[str, ...]
    truth: Flags
    applies: Flags
    expression: Expression
    chance: float = 1.0


def find_orders(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield the orders that hold in all searched records, and would not by chance."""
    for order in _orders(sample):
        smaller, larger = order.variables
        count, broken = int(order.applies.sum()), int((order.applies & ~order.truth).sum())
        bits = bits_of(order.chance, count, len(sample.numbers) ** 2, broken)
        if count >= _FEWEST and broken <= sample.allowed(count) and bits >= FEWEST_BITS:
            parameters: dict[str, Expression] = {"smaller": Variable(smaller), "larger": Variable(larger)}
            yield RuleCandidate(
                "order", order.variables, bits, order.expression, pattern="order", parameters=parameters
            )


def find_conditional_rules(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield the rules with one condition that hold in all searched records to which they apply."""
    orders = [order for order in _orders(sample) if not bool(order.truth[order.applies].all())]
    simple = list(_simple(sample))
    conditions = [*simple, *_codes(sample)]
    consequences = [*simple, *_codes(sample), *orders]
    tried = len(conditions) * len(consequences)
    broken = _counts(conditions, [one.applies & ~one.truth for one in consequences])
    used = _counts(conditions, [one.applies for one in consequences])
    for place, condition in enumerate(conditions):
        few = broken[place] <= np.floor(sample.exceptions * used[place] + 1e-9)
        for other in np.flatnonzero(few & (used[place] >= _FEWEST)):
            counts = int(used[place, other]), int(broken[place, other])
            yield from _conditional(condition, consequences[other], counts, tried)
    yield from _thresholds(sample, orders)


def _counts(conditions: list[Statement], marks: list[Flags]) -> Singles:
    """Return how often each mark is set where each condition holds."""
    if not conditions or not marks:
        return np.zeros((len(conditions), len(marks)), np.float32)
    where = np.array([one.truth & one.applies for one in conditions], np.float32)
    return where @ np.array(marks, np.float32).T


def _conditional(
    condition: Statement, consequence: Statement, counts: tuple[int, int], tried: int
) -> Iterator[RuleCandidate]:
    """Yield the rule if it is surprising; `counts` are the records that test it and those that break it."""
    if set(condition.variables) & set(consequence.variables):
        return
    # Not the chance of the consequence counts, but that the condition has anything to do with it.
    used, broken = counts
    bits = bits_of(_share(consequence.truth, consequence.applies), used, tried, broken)
    if bits >= FEWEST_BITS:
        names = tuple(dict.fromkeys((*condition.variables, *consequence.variables)))
        test = Or((Not(condition.expression), consequence.expression))
        parameters = {"condition": condition.expression, "consequence": consequence.expression}
        yield RuleCandidate("if-then", names, bits, test, pattern="governs", parameters=parameters)


def _simple(sample: SearchSample) -> Iterator[Statement]:
    """Yield zero, more than zero, present and missing."""
    for column in sample.numbers:
        there = ~np.isnan(column.values)
        zero = column.values == 0
        if _FEWEST <= int(zero.sum()) <= int(there.sum()) - _FEWEST and float(np.nanmin(column.values)) >= 0:
            yield Statement((column.name,), zero, there, Compare("=", column.read(), Literal(0)))
            yield Statement((column.name,), there & ~zero, there, Compare(">", column.read(), Literal(0)))
    everywhere = np.ones(sample.count, np.bool_)
    for name, present in sample.present.items():
        if _FEWEST <= int(present.sum()) <= sample.count - _FEWEST:
            filled = Compare("!=", Call("string", (Variable(name),)), Literal(""))
            yield Statement((name,), present, everywhere, filled)
            yield Statement((name,), ~present, everywhere, Not(filled))


def _codes(sample: SearchSample) -> Iterator[Statement]:
    for column in sample.codes:
        there = column.codes >= 0
        for code, text in enumerate(column.texts):
            truth = column.codes == code
            if int(truth.sum()) >= _FEWEST:
                test = Compare("=", Variable(column.name), Literal(text))
                yield Statement((column.name,), truth, there, test)


def _orders(sample: SearchSample) -> Iterator[Statement]:
    for smaller, larger in permutations(sample.numbers, 2):
        there = ~np.isnan(smaller.values) & ~np.isnan(larger.values)
        if not there.any():
            continue
        truth = there & (smaller.values <= larger.values)
        chance = share_in_order(smaller.values[there], larger.values[there])
        left, right = (Call("number", (Variable(one.name),)) for one in (smaller, larger))
        test = Compare("<=", left, right)
        yield Statement((smaller.name, larger.name), truth, there, test, chance)


def _share(truth: Flags, there: Flags) -> float:
    return float(truth.sum() / max(int(there.sum()), 1))


# Thresholds: an order that fails in some records may hold in all below, or above, a value of a third variable.


def _thresholds(sample: SearchSample, orders: list[Statement]) -> Iterator[RuleCandidate]:
    tried = 2 * len(orders) * max(len(sample.numbers), 1)
    for order in orders:
        broken = order.applies & ~order.truth
        for column in sample.numbers:
            if column.name not in order.variables:
                for condition in _beyond_broken(column, broken):
                    used = int((condition.truth & order.applies).sum())
                    if used >= _FEWEST:
                        yield from _conditional(condition, order, (used, 0), tried)


def _beyond_broken(column: NumberColumn, broken: Flags) -> Iterator[Statement]:
    """Yield the conditions on a variable below and above all values that it has in the broken records."""
    there = ~np.isnan(column.values)
    found = column.values[broken & there]
    if not len(found) or bool((broken & ~there).any()):
        return
    below, above = there & (column.values < found.min()), there & (column.values > found.max())
    if below.any():
        limit = roundest_between(float(column.values[below].max()), float(found.min()))
        yield Statement((column.name,), below, there, _limited(column, "<", limit))
    if above.any():
        limit = roundest_between(float(found.max()), float(column.values[above].min()))
        yield Statement((column.name,), above, there, _limited(column, ">=", limit))


def _limited(column: NumberColumn, op: CompareOp, limit: Decimal) -> Expression:
    value = Literal(int(limit)) if limit == int(limit) else Literal(limit)
    return Compare(op, column.read(), value)
