"""Subdomains: the records of every category of a variable, or those that satisfy a condition.

condition   = conjunction ("or" conjunction)*
conjunction = negation ("and" negation)*
negation    = "not" negation | "(" condition ")" | comparison
comparison  = name ("=" | "!=" | "<" | "<=" | ">" | ">=") literal
            | name "in" "(" literal ("," literal)* ")"
            | name "is" "not"? "missing"
literal     = number | text in quotes
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeAlias

import numpy as np

from constraint_sdc.arrays import Floats, Rows
from constraint_sdc.data.series import double_text
from constraint_sdc.evaluate.condition import (
    Comparison,
    Condition,
    ConditionLiteral,
    ConditionValues,
    Conjunction,
    Disjunction,
    IsMissing,
    Negation,
    Word,
    WordKind,
    cut,
    mistake,
    names_in,
    satisfied,
)

MOST_VALUES = 50
"""A variable with more categories is refused as a mistake."""

_DEEPEST = 50  # levels of nested parentheses and "not"

Labelled: TypeAlias = tuple[tuple[str, Rows], ...]


@dataclass(frozen=True, slots=True)
class Subdomain:
    """A requested subdomain: `condition`, or with None every category of the variable `names[0]`.

    `names` are the variables that `rows` needs; `text` is the text of the recipe.
    """

    text: str
    names: tuple[str, ...]
    condition: Condition | None

    def rows(self, texts: Mapping[str, Sequence[str | None]], numbers: Mapping[str, Floats]) -> Labelled:
        """Return labels and record numbers (from 0, ascending), found in the ORIGINAL file.

        A variable in `numbers` (NaN for a blank) is numeric, even if it is in `texts` too; any other is in `texts`
        (None for a blank). A condition has one entry, perhaps without records; a variable has one for each value, in
        order, and one for its blanks, if there are any.
        """
        values = ConditionValues(texts, numbers)
        if self.condition is None:
            return _by_value(self.names[0], values)
        return ((self.text, np.flatnonzero(satisfied(self.condition, values)).astype(np.int64)),)


def parse_subdomain(text: str, names: Collection[str]) -> Subdomain:
    """Return the subdomain for a variable's name or a condition; `names` are the variables of the file.

    A mistake is a ValueError with its column and what was expected there.
    """
    text = text.strip()
    if text in names:
        return Subdomain(text, (text,), None)
    words = cut(text)
    if len(words) == 2 and words[0].kind is WordKind.NAME:
        name = _known(words[0], names)
        return Subdomain(text, (name,), None)
    condition = _ConditionParser(words, names).whole()
    return Subdomain(text, names_in(condition), condition)


def _known(word: Word, names: Collection[str]) -> str:
    if word.kind is not WordKind.NAME:
        raise mistake(word.column, f"expected a variable's name, found {word}")
    if word.text not in names:
        close = get_close_matches(word.text, list(names), n=1)
        hint = f"; is it {close[0]}?" if close else ""
        raise mistake(word.column, f"the file has no variable {word}{hint}")
    return word.text


class _ConditionParser:
    """One method for each line of the grammar; `_at` is the word to be read next."""

    def __init__(self, words: tuple[Word, ...], names: Collection[str]) -> None:
        self._words = words
        self._names = names
        self._at = 0
        self._depth = 0

    def whole(self) -> Condition:
        condition = self._condition()
        if self._word.kind is not WordKind.END:
            raise mistake(self._word.column, f"expected and, or, or the end, found {self._word}")
        return condition

    @property
    def _word(self) -> Word:
        return self._words[self._at]

    def _next(self) -> Word:
        word = self._word
        self._at += word.kind is not WordKind.END
        return word

    def _takes(self, text: str) -> bool:
        is_there = self._word.is_plain(text)
        self._at += is_there
        return is_there

    def _expect(self, text: str) -> None:
        if not self._takes(text):
            raise mistake(self._word.column, f"expected '{text}', found {self._word}")

    def _condition(self) -> Condition:
        items = [self._conjunction()]
        while self._takes("or"):
            items.append(self._conjunction())
        return items[0] if len(items) == 1 else Disjunction(tuple(items))

    def _conjunction(self) -> Condition:
        items = [self._negation()]
        while self._takes("and"):
            items.append(self._negation())
        return items[0] if len(items) == 1 else Conjunction(tuple(items))

    def _negation(self) -> Condition:
        column = self._word.column
        if self._takes("not"):
            self._descend(column)
            item: Condition = Negation(self._negation())
        elif self._takes("("):
            self._descend(column)
            item = self._condition()
            self._expect(")")
        else:
            return self._comparison()
        self._depth -= 1
        return item

    def _descend(self, column: int) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise mistake(column, f"conditions are nested more than {_DEEPEST} deep")

    def _comparison(self) -> Condition:
        word = self._next()
        if word.is_plain("and", "or", "in", "is"):
            raise mistake(word.column, f"expected a variable's name, found {word} (as a name it needs backquotes)")
        name = _known(word, self._names)
        sign = self._next()
        if sign.is_plain("=", "!=", "<", "<=", ">", ">="):
            literal, column = self._literal()
            return Comparison(name, sign.text, (literal,), (column,))
        if sign.is_plain("in"):
            return self._membership(name)
        if sign.is_plain("is"):
            return self._missing(name)
        expected = "expected =, !=, <, <=, >, >=, in (...), is missing or is not missing"
        raise mistake(sign.column, f"{expected}, found {sign}")

    def _membership(self, name: str) -> Condition:
        self._expect("(")
        found = [self._literal()]
        while self._takes(","):
            found.append(self._literal())
        if not self._word.is_plain(")"):
            raise mistake(self._word.column, f"expected ',' or ')', found {self._word}")
        self._next()
        return Comparison(name, "in", tuple(literal for literal, _ in found), tuple(column for _, column in found))

    def _missing(self, name: str) -> Condition:
        is_not = self._takes("not")
        self._expect("missing")
        return Negation(IsMissing(name)) if is_not else IsMissing(name)

    def _literal(self) -> tuple[ConditionLiteral, int]:
        word = self._next()
        if word.kind is WordKind.TEXT:
            return word.text, word.column
        if word.kind is not WordKind.NUMBER:
            raise mistake(word.column, f"expected a number or a text in quotes, found {word}")
        number = float(word.text)
        if not math.isfinite(number):
            raise mistake(word.column, f"{word} is too large for a floating-point number")
        return number, word.column


def _by_value(name: str, values: ConditionValues) -> Labelled:
    is_blank = values.is_blank(name)
    cells: Sequence[ConditionLiteral | None] = (
        values.numbers[name].tolist() if name in values.numbers else values.texts[name]
    )
    rows: dict[ConditionLiteral, list[int]] = {}
    for i, cell in enumerate(cells):
        if cell is not None and not is_blank[i]:
            rows.setdefault(cell, []).append(i)
    _require_few(name, len(rows))
    ordered = sorted(rows, key=lambda value: (isinstance(value, str), value))
    shown = [(f"{name} = {_shown(value)}", np.array(rows[value], np.int64)) for value in ordered]
    if is_blank.any():
        shown.append((f"{name} is missing", np.flatnonzero(is_blank).astype(np.int64)))
    return tuple(shown)


def _shown(value: ConditionLiteral) -> str:
    return f"'{value}'" if isinstance(value, str) else double_text(value + 0.0)  # -0.0 and 0.0 are one value


def _require_few(name: str, count: int) -> None:
    if count > MOST_VALUES:
        raise ValueError(f"{name} has {count:,} different values, more than {MOST_VALUES}; write a condition instead")
