"""Rules across records: a variable that decides another, as a code table if it is short, and keys."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import permutations
from math import log2

from constraint_sdc.discovery.proposal import RuleCandidate
from constraint_sdc.discovery.sample import SearchSample
from constraint_sdc.discovery.surprise import FEWEST_BITS, bits_against, poisson_bits
from constraint_sdc.evaluate.expression import And, Compare, Expression, Literal, Or, Variable
from constraint_sdc.evaluate.expression import Sequence as Listed

_MOST_ROWS = 30  # of a code table
_FEWEST_OF_ROW = 5  # records behind each row of a code table
_FEWEST_REPEATED = 2  # records for each value of a variable that decides another
Texts = Sequence[str | None]


def find_dependencies(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield the variables that decide another one; of two that decide each other, the first decides."""
    names = [name for name, texts in sample.texts.items() if _is_repeated(texts)]
    decided: set[tuple[str, str]] = set()
    tried = max(len(names) ** 2, 1)
    for one, other in permutations(names, 2):
        if (other, one) in decided:
            continue
        table = _table(sample.texts[one], sample.texts[other], sample)
        if table is None:
            continue
        bits = _surprise(table) - log2(tried)
        if bits >= FEWEST_BITS:
            decided.add((one, other))
            yield _code_table(one, other, table, bits) or RuleCandidate(
                "dependency", (one, other), bits, across=(one, other)
            )


def find_keys(sample: SearchSample) -> Iterator[RuleCandidate]:
    """Yield the variables with no value twice, where chance would repeat one: identifiers, not measurements."""
    for name, texts in sample.texts.items():
        if None in texts:
            continue
        counts = Counter(texts)
        repeated = [count for count in counts.values() if count > 1]
        pairs = sum(count * (count - 1) // 2 for count in repeated)
        if sum(repeated) <= sample.allowed(len(texts)) and _repeats_expected(texts, pairs) >= FEWEST_BITS:
            yield RuleCandidate("key", (name,), None, across=(name,))


def _is_repeated(texts: Texts) -> bool:
    known = [text for text in texts if text is not None]
    return 2 <= len(set(known)) <= len(known) / _FEWEST_REPEATED


def _table(one: Texts, other: Texts, sample: SearchSample) -> dict[str, Counter[str]] | None:
    """Return how often the second has each value for each value of the first; None if too many have two."""
    most = sample.allowed(sum(key is not None and value is not None for key, value in zip(one, other, strict=True)))
    table: dict[str, Counter[str]] = defaultdict(Counter)
    others = 0
    for key, value in zip(one, other, strict=True):
        if key is not None and value is not None:
            values = table[key]
            largest = max(values.values(), default=0)
            values[value] += 1
            # A value that does not become the most frequent one of its key is an exception, whichever that is.
            others += values[value] <= largest
            if others > most:
                return None
    return table if len(table) > 1 else None


def _surprise(table: dict[str, Counter[str]]) -> float:
    """Return the bits of every record after the first of its value agreeing with that first one."""
    counts: Counter[str] = Counter()
    for values in table.values():
        counts.update(values)
    records = counts.total()
    agree = sum((count / records) ** 2 for count in counts.values())
    exceptions = sum(values.total() - max(values.values()) for values in table.values())
    return bits_against(agree, records - len(table), exceptions)


def _code_table(one: str, other: str, table: dict[str, Counter[str]], bits: float) -> RuleCandidate | None:
    """Return the dependency as a table of codes, None if it has many rows, or rows with few records."""
    if len(table) > _MOST_ROWS or min(sum(counts.values()) for counts in table.values()) < _FEWEST_OF_ROW:
        return None
    by_value: dict[str, list[str]] = defaultdict(list)
    for key in sorted(table):
        by_value[max(table[key], key=table[key].__getitem__)].append(key)
    rows = tuple(_row(one, keys, other, value) for value, keys in sorted(by_value.items()))
    return RuleCandidate("code table", (one, other), bits, Or(rows)) if len(rows) > 1 else None


def _row(one: str, keys: list[str], other: str, value: str) -> Expression:
    listed = tuple(Literal(key) for key in keys)
    among: Expression = listed[0] if len(listed) == 1 else Listed(listed)
    return And((Compare("=", Variable(one), among), Compare("=", Variable(other), Literal(value))))


def _repeats_expected(texts: Texts, found: int) -> float:
    """Return the bits of so few repetitions among so many draws; whole numbers are drawn from their range."""
    known = [text for text in texts if text is not None]
    pairs = len(known) * (len(known) - 1) / 2
    if all(text.lstrip("-").isdigit() and text.isascii() for text in known):
        numbers = [int(text) for text in known]
        expected = pairs / (max(numbers) - min(numbers) + 1)
        return poisson_bits(expected, found)
    if any(text.replace(".", "").replace("-", "").isdigit() for text in known):
        return 0.0
    return float("inf")
