"""Conditions on records, and which records satisfy them."""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from typing import TypeAlias, assert_never

import numpy as np

from constraint_sdc.arrays import Flags, Floats

# Cut a line of a recipe into names, numbers, texts and symbols, each with its column.


class WordKind(Enum):
    """The kind of a word, as error messages name it."""

    NAME = "a name"
    NUMBER = "a number"
    TEXT = "a text in quotes"
    SYMBOL = "a symbol"
    END = "the end"


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is the word without quotes; `column` counts from 1. One in backquotes (`is_quoted`) is not a keyword."""

    kind: WordKind
    text: str
    column: int
    is_quoted: bool = False

    def is_plain(self, *texts: str) -> bool:
        """Tell whether it is one of these symbols or keywords."""
        return self.kind in (WordKind.NAME, WordKind.SYMBOL) and not self.is_quoted and self.text in texts

    def __str__(self) -> str:
        if self.kind is WordKind.END:
            return "nothing"
        return f"'{self.text}'"


_NOT_NAME = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|'(?P<single>(?:[^']|'')*)'"
    r'|"(?P<double>(?:[^"]|"")*)"'
    r"|`(?P<back>(?:[^`]|``)+)`"
    r"|(?P<symbol>[<>!]=|[=<>(),~+])"
)


def mistake(column: int, what: str) -> ValueError:
    """Return the error for a column."""
    return ValueError(f"column {column}: {what}")


def cut(text: str) -> tuple[Word, ...]:
    """Return the words, followed by one of the kind END.

    A name begins with a letter, "_" or "@" and continues with letters, digits, "_", "." and "-"; any other name needs
    backquotes. A quote inside quotes is doubled.

    >>> [word.text for word in cut("V8 >= -5 and `my name` = 'it''s'")]
    ['V8', '>=', '-5', 'and', 'my name', '=', "it's", '']
    """
    words: list[Word] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        word, at = _name(text, at) if _begins_name(text[at]) else _other(text, at)
        words.append(word)
    return (*words, Word(WordKind.END, "", len(text) + 1))


def _begins_name(character: str) -> bool:
    return character in "_@" or unicodedata.category(character)[0] == "L"


def _goes_on(character: str) -> bool:
    return character in "_.-·" or unicodedata.category(character)[0] in "LMN"  # letters, their marks, and digits


def _name(text: str, start: int) -> tuple[Word, int]:
    stop = start + 1
    while stop < len(text) and _goes_on(text[stop]):
        stop += 1
    return Word(WordKind.NAME, text[start:stop], start + 1), stop


def _other(text: str, start: int) -> tuple[Word, int]:
    found = _NOT_NAME.match(text, start)
    if found is None:
        if text[start] in "'\"`":
            raise mistake(start + 1, f"the quote {text[start]} is not closed, or the quotes are empty")
        raise mistake(start + 1, f"'{text[start]}' has no meaning here; a name with such characters needs backquotes")
    kind = found.lastgroup or ""
    inside = found.group(kind)
    column, stop = start + 1, found.end()
    match kind:
        case "number":
            return Word(WordKind.NUMBER, inside, column), stop
        case "symbol":
            return Word(WordKind.SYMBOL, inside, column), stop
        case "back":
            return Word(WordKind.NAME, inside.replace("``", "`"), column, is_quoted=True), stop
    quote = found.group()[0]
    return Word(WordKind.TEXT, inside.replace(quote * 2, quote), column), stop


ConditionLiteral: TypeAlias = float | str


@dataclass(frozen=True)
class ConditionValues:
    """The original file. `numbers` holds the numeric variables (NaN is a blank), `texts` the others (blank is None)."""

    texts: Mapping[str, Sequence[str | None]]
    numbers: Mapping[str, Floats]

    def is_blank(self, name: str) -> Flags:
        """Tell which records have no value."""
        if name in self.numbers:
            return ~np.isfinite(self.numbers[name])
        return np.array([text is None for text in self.texts[name]], np.bool_)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A variable against literals: one for `=`, `!=`, `<`, `<=`, `>`, `>=`, any number for `in`.

    `columns` are the columns of the literals.
    """

    name: str
    symbol: str
    literals: tuple[ConditionLiteral, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class IsMissing:
    """The variable has no value."""

    name: str


@dataclass(frozen=True, slots=True)
class Negation:
    """The condition does not hold; a blank satisfies no comparison, so it satisfies the negation of each."""

    item: Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All hold."""

    items: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """At least one holds."""

    items: tuple[Condition, ...]


Condition: TypeAlias = Comparison | IsMissing | Negation | Conjunction | Disjunction

_ORDER: Mapping[str, Callable[[Floats, float], Flags]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def satisfied(condition: Condition, values: ConditionValues) -> Flags:
    """Tell which records satisfy the condition; an invalid comparison is a ValueError with its column."""
    match condition:
        case Comparison():
            return _compared(condition, values)
        case IsMissing(name):
            return values.is_blank(name)
        case Negation(item):
            return ~satisfied(item, values)
        case Conjunction(items):
            return reduce(operator.and_, (satisfied(item, values) for item in items))
        case Disjunction(items):
            return reduce(operator.or_, (satisfied(item, values) for item in items))
    assert_never(condition)


def names_in(condition: Condition) -> tuple[str, ...]:
    """Return the variables of a condition, each once, in order of first use."""
    match condition:
        case Comparison(name=name) | IsMissing(name):
            return (name,)
        case Negation(item):
            return names_in(item)
        case Conjunction(items) | Disjunction(items):
            return tuple(dict.fromkeys(name for item in items for name in names_in(item)))
    assert_never(condition)


def _compared(comparison: Comparison, values: ConditionValues) -> Flags:
    if comparison.name in values.numbers:
        return _compared_numbers(comparison, values)
    return _compared_texts(comparison, values.texts[comparison.name])


def _compared_numbers(comparison: Comparison, values: ConditionValues) -> Flags:
    numbers: list[float] = []
    for literal, column in zip(comparison.literals, comparison.columns, strict=True):
        if isinstance(literal, str):
            raise mistake(column, f"{comparison.name} is numeric; expected a number without quotes, found '{literal}'")
        numbers.append(literal)
    known, data = ~values.is_blank(comparison.name), values.numbers[comparison.name]
    compare = _ORDER["=" if comparison.symbol == "in" else comparison.symbol]
    return known & reduce(operator.or_, (compare(data, number) for number in numbers))


def _compared_texts(comparison: Comparison, texts: Sequence[str | None]) -> Flags:
    if comparison.symbol not in ("=", "!=", "in"):
        allowed = "expected =, != or in"
        raise mistake(comparison.columns[0], f"{comparison.name} is not numeric and has no order here; {allowed}")
    wanted: set[str] = set()
    for literal, column in zip(comparison.literals, comparison.columns, strict=True):
        if not isinstance(literal, str):
            raise mistake(column, f"{comparison.name} is not numeric; expected a text in quotes")
        wanted.add(literal)
    is_wanted = comparison.symbol != "!="
    return np.array([text is not None and (text in wanted) == is_wanted for text in texts], np.bool_)
