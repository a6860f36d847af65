"""Equations between numbers: equal variables, sums, constant ratios, products and quotients.

A few records, chosen at random, give every combination of variables a fingerprint: the row of its values. Equal
fingerprints are candidates, and all other searched records test them. So a search over pairs finds sums of four.
Where a rule may have exceptions, one of them among these few records would hide it: others are chosen then, so often
that this is unlikely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, permutations
from math import ceil, log

import numpy as np

from constraint_sdc.arrays import Flags, Floats, Positions
from constraint_sdc.discovery.proposal import RuleCandidate
from constraint_sdc.discovery.sample import NumberColumn, SearchSample, scaled
from constraint_sdc.discovery.surprise import FEWEST_BITS, bits_of, share_equal
from constraint_sdc.evaluate.expression import Arithmetic, ArithmeticOp, Call, Compare, Expression, Literal, Variable

_PRINTS = 16  # records of a fingerprint
_FEWEST = 30  # complete records
_MOST_OF_TRIPLES = 40  # variables beyond which sums of three are not searched
_LARGEST_RATIO = 10_000
_HIDDEN = 1e-3  # chance that every choice of fingerprints has an exception


def find_equations(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield all equations that hold in every complete searched record, except for so few as are allowed."""
    columns = tuple(c for c in sample.numbers if len(np.unique(c.values[~np.isnan(c.values)])) > 2)
    rows = np.flatnonzero(sample.complete(columns))
    if len(rows) < _FEWEST:
        columns = tuple(c for c in columns if not np.isnan(c.values).any())
        rows = np.arange(sample.count)
    if len(rows) < _FEWEST or len(columns) < 2:
        return
    told: set[tuple[str, tuple[str, ...]]] = set()
    for turned in _turns(rows, sample.exceptions):
        chosen = _SearchedRows(turned, sample)
        for candidate in (*_sums(columns, chosen), *_ratios(columns, chosen), *_products(columns, chosen)):
            if (candidate.kind, candidate.variables) not in told:
                told.add((candidate.kind, candidate.variables))
                yield candidate


@dataclass(frozen=True, slots=True)
class _SearchedRows:
    """The records that are compared, those of the fingerprint first."""

    rows: Positions
    sample: SearchSample

    def __len__(self) -> int:
        return len(self.rows)

    def is_enough(self, equal: Flags, busy: Flags) -> bool:
        """Tell whether an equation holds often enough: zeros that equal zeros excuse no exception."""
        broken = len(equal) - int(equal.sum())
        return broken == 0 or broken <= self.sample.allowed(int(busy.sum()))


def _turns(rows: Positions, exceptions: float) -> Iterator[Positions]:
    """Yield the records as they are, and in other orders if some may be exceptions."""
    yield rows
    clean = (1 - exceptions) ** _PRINTS
    for turn in range(1, ceil(log(_HIDDEN) / log(1 - clean)) if exceptions else 1):
        yield np.random.default_rng(turn).permutation(rows)


# Sums, in whole numbers of the last decimal.


def _sums(columns: tuple[NumberColumn, ...], chosen: _SearchedRows) -> Iterator[RuleCandidate]:
    exact = [column for column in columns if column.decimals is not None]
    decimals = max((column.decimals or 0 for column in exact), default=0)
    exact = [c for c in exact if np.nanmax(np.abs(c.values)) * 10.0**decimals < 2.0**50]
    values = {column.name: scaled(column, decimals)[chosen.rows] for column in exact}
    by_name = {column.name: column for column in exact}
    for parts, total in _matches(values):
        added = np.sum([values[name] for name in parts], axis=0)
        tried = len(values) ** (len(parts) + 1)
        is_equal, busy = added == values[total], np.any([values[name] != 0 for name in (*parts, total)], axis=0)
        bits = bits_of(share_equal(added, values[total]), len(chosen), tried, int((~is_equal).sum()))
        if chosen.is_enough(is_equal, busy) and bits >= FEWEST_BITS:
            yield _sum_candidate([by_name[name] for name in parts], by_name[total], bits)


def _matches(values: dict[str, Floats]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield variables whose sum may be another one, by fingerprints."""
    prints = {name: column[:_PRINTS] for name, column in values.items()}
    single: dict[bytes, list[str]] = defaultdict(list)
    for name, one in prints.items():
        single[_key(one)].append(name)
    for same in single.values():
        yield from (((one,), other) for one, other in combinations(same, 2))
    pairs: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
    for pair in combinations(prints, 2):
        added = _key(prints[pair[0]] + prints[pair[1]])
        pairs[added].append(pair)
        yield from ((pair, total) for total in single.get(added, ()) if total not in pair)
    if len(prints) <= _MOST_OF_TRIPLES:
        place = {name: number for number, name in enumerate(prints)}
        for total, third in permutations(prints, 2):
            for two in pairs.get(_key(prints[total] - prints[third]), ()):
                if place[third] > place[two[1]] and total not in two:
                    yield (*two, third), total


def _key(values: Floats) -> bytes:
    return (values + 0.0).tobytes()  # -0.0 and 0.0 are one number


def _sum_candidate(parts: list[NumberColumn], total: NumberColumn, bits: float) -> RuleCandidate:
    has_decimals = any(column.decimals for column in (*parts, total))
    read = [Call("xs:decimal" if has_decimals else "number", (Variable(c.name),)) for c in (*parts, total)]
    added: Expression = read[0]
    for one in read[1:-1]:
        added = Arithmetic("+", added, one)
    names = tuple(column.name for column in (*parts, total))
    test = Compare("=", added, read[-1])
    return RuleCandidate("sum", names, bits, test, pattern="linear", parameters={"parts": added, "total": read[-1]})


# Constant ratios.


def _ratios(columns: tuple[NumberColumn, ...], chosen: _SearchedRows) -> Iterator[RuleCandidate]:
    exact = [column for column in columns if column.decimals is not None]
    for one, other in combinations(exact, 2):
        left, right = one.values[chosen.rows], other.values[chosen.rows]
        ratio = _ratio(left, right)
        if ratio is None or ratio == 1:
            continue
        # The ratio of doubles: equal but for their last digits.
        scale = np.abs(right * ratio.denominator)
        is_equal = np.abs(left * ratio.numerator - right * ratio.denominator) <= 1e-9 * scale
        tried = len(exact) ** 2 * _LARGEST_RATIO
        bits = bits_of(share_equal(left * float(ratio), right), len(chosen), tried, int((~is_equal).sum()))
        if chosen.is_enough(is_equal, (left != 0) | (right != 0)) and bits >= FEWEST_BITS:
            yield _ratio_candidate(one, other, ratio, bits)


def _ratio(left: Floats, right: Floats) -> Fraction | None:
    """Return the factor from one variable to another in the first record, if it is a small fraction."""
    first = np.flatnonzero(left)[:1]
    if not len(first):
        return None
    ratio = Fraction(float(right[first[0]]) / float(left[first[0]])).limit_denominator(_LARGEST_RATIO)
    return ratio if ratio and abs(ratio.numerator) <= _LARGEST_RATIO else None


def _ratio_candidate(one: NumberColumn, other: NumberColumn, ratio: Fraction, bits: float) -> RuleCandidate:
    left, right = (Call("xs:decimal", (Variable(c.name),)) for c in (one, other))
    factors = [_times(side, factor) for side, factor in ((left, ratio.numerator), (right, ratio.denominator))]
    test = Compare("=", factors[0], factors[1])
    parameters = {"parts": factors[0], "total": factors[1]}
    return RuleCandidate("ratio", (one.name, other.name), bits, test, pattern="linear", parameters=parameters)


def _times(side: Expression, factor: int) -> Expression:
    return side if factor == 1 else Arithmetic("*", Literal(Decimal(factor) if factor < 0 else factor), side)


# Products and quotients, in double arithmetic as XPath computes them.


def _products(columns: tuple[NumberColumn, ...], chosen: _SearchedRows) -> Iterator[RuleCandidate]:
    values = {column.name: column.values[chosen.rows] for column in columns}
    prints = {name: column[:_PRINTS] for name, column in values.items()}
    known: dict[bytes, list[str]] = defaultdict(list)
    for name, one in prints.items():
        known[_key(one)].append(name)
    told: set[frozenset[str]] = set()
    for names, op, computed in _computed(prints):
        for total in known.get(_key(computed), ()):
            # A product is also two quotients: it is told once.
            if total not in names and frozenset((*names, total)) not in told:
                for candidate in _product_candidate(names, op, total, values, chosen):
                    told.add(frozenset(candidate.variables))
                    yield candidate


def _computed(prints: dict[str, Floats]) -> Iterator[tuple[tuple[str, ...], ArithmeticOp, Floats]]:
    with np.errstate(all="ignore"):
        for one, other in combinations(prints, 2):
            yield (one, other), "*", prints[one] * prints[other]
        for one, other in permutations(prints, 2):
            yield (one, other), "div", prints[one] / prints[other]
        for name in prints:
            yield (name,), "div", 1.0 / prints[name]


def _product_candidate(
    names: tuple[str, ...], op: ArithmeticOp, total: str, values: dict[str, Floats], chosen: _SearchedRows
) -> Iterator[RuleCandidate]:
    left: Floats = np.ones(len(chosen)) if len(names) == 1 else values[names[0]]
    right = values[names[-1]]
    with np.errstate(all="ignore"):
        computed = left * right if op == "*" else left / right
    is_equal, busy = computed == values[total], (left != 0) & (right != 0)
    bits = bits_of(share_equal(computed, values[total]), len(chosen), 2 * len(values) ** 3, int((~is_equal).sum()))
    if not chosen.is_enough(is_equal, busy) or bits < FEWEST_BITS:
        return
    first: Expression = Literal(1) if len(names) == 1 else Call("number", (Variable(names[0]),))
    factors = Arithmetic(op, first, Call("number", (Variable(names[-1]),)))
    result = Call("number", (Variable(total),))
    parameters: dict[str, Expression] = {"factors": factors, "product": result}
    test = Compare("=", factors, result)
    yield RuleCandidate("product", (*names, total), bits, test, pattern="product", parameters=parameters)
