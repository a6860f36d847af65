"""Value domains: a variable all of whose values occur among those of another one, such as the id of a parent.

Where they are is no question here, so a permuted file would satisfy such a rule too. What may be surprising is which
values they are: numbers of a range that the other variable has many gaps in, texts of a form that allows more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import gcd, log2, prod

import numpy as np

from constraint_sdc.data.codes import code_texts
from constraint_sdc.data.table import Column, column_of
from constraint_sdc.data.text import Text
from constraint_sdc.discovery.proposal import RuleCandidate
from constraint_sdc.discovery.sample import SearchSample
from constraint_sdc.discovery.surprise import FEWEST_BITS

_FEWEST_DIFFERENT = 5
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,6})?")
_PLACES = 6
Texts = Sequence[str | None]


def find_domains(sample: SearchSample, columns: Mapping[str, Column]) -> Iterator[RuleCandidate]:
    """Yield the variables whose searched values occur among those that another one has anywhere in the file.

    A variable with few values is no domain: a list of them is the simpler rule. Equal variables are equations.
    """
    listed = {column.name for column in sample.codes}
    values = {name: _distinct(texts) for name, texts in sample.texts.items()}
    of_numbers = {name: all(map(_NUMBER.fullmatch, texts)) for name, texts in values.items() if texts}
    tried = max(len(of_numbers) ** 2, 1)
    for name in of_numbers:
        if name in listed or len(values[name]) < _FEWEST_DIFFERENT:
            continue
        domain: frozenset[str] | None = None
        for other in of_numbers:
            if name == other or of_numbers[name] != of_numbers[other] or len(values[other]) < _FEWEST_DIFFERENT:
                continue
            domain = distinct_texts(columns[name]) if domain is None else domain
            bits = _surprise(sample, other, name, domain, of_numbers[name]) - log2(tried)
            if bits >= FEWEST_BITS:
                yield RuleCandidate("value domain", (other, name), bits, across=(other, name))


def _surprise(sample: SearchSample, name: str, other: str, domain: frozenset[str], is_number: bool) -> float:
    texts = [text for text in sample.texts[name] if text is not None]
    outside = sum(text not in domain for text in texts)
    is_same = all(a is None or a == b for a, b in zip(sample.texts[name], sample.texts[other], strict=True))
    if is_same or outside > sample.allowed(len(texts)):
        return 0.0
    found = frozenset(texts) & domain
    chance = _share_of_grid(found, domain) if is_number else _share_of_form(found, domain)
    return -len(found) * log2(chance)


def _share_of_grid(found: frozenset[str], domain: frozenset[str]) -> float:
    """Return the share of the numbers between the least and the largest found, in their steps, that a domain has."""
    numbers = {_whole(text) for text in found}
    allowed = {_whole(text) for text in domain if _NUMBER.fullmatch(text)}
    low, high = min(numbers), max(numbers)
    step = gcd(*(number - low for number in numbers)) or 1
    among = sum(low <= number <= high and (number - low) % step == 0 for number in allowed)
    return among / ((high - low) // step + 1)


def _whole(text: str) -> int:
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(_PLACES, "0"))


def _share_of_form(found: frozenset[str], domain: frozenset[str]) -> float:
    """Return the share of the texts of the domain's form that it has: any of its characters at each place."""
    longest = max(map(len, domain))
    characters = [{text[place : place + 1] for text in domain} for place in range(longest)]
    possible = prod(map(len, characters))
    return max(len(domain) / possible, len(found) / possible)


def _distinct(texts: Texts) -> frozenset[str]:
    return frozenset(text for text in texts if text is not None)


def distinct_texts(column: Column) -> frozenset[str]:
    """Return the different values of a column, without the missing ones."""
    found = code_texts(Text.of_column(column))
    return frozenset(text for text in column.take(found.first).texts() if text)


def with_mixed_characters(column: Column, chance: np.random.Generator) -> Column:
    """Return a column whose texts have at each place the character of another record: like values, and not these.

    Numbers are aligned at their ends.

    >>> with_mixed_characters(column_of("A", ["F07", "F12"]), np.random.default_rng(5)).texts()
    ['F17', 'F02']
    """
    texts = [text or "" for text in column.texts()]
    longest = max(map(len, texts), default=0)
    is_number = all(_NUMBER.fullmatch(text) for text in texts if text)
    padded = [text.rjust(longest, "\0") if is_number else text.ljust(longest, "\0") for text in texts]
    places = [[padded[row][place] for row in chance.permutation(len(padded))] for place in range(longest)]
    return column_of(column.name, ["".join(row).replace("\0", "") for row in zip(*places, strict=True)])
